"""Arrays off the chip: masters that read them over AXI4, and the words that movers take."""
