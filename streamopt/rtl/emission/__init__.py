"""Kernels as Verilog, through amaranth."""
