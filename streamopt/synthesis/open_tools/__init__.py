"""Synthesis, placement and routing by open tools: Yosys and nextpnr."""
