"""Cells of our Verilog before it is written: operators measured, the rest estimated."""
