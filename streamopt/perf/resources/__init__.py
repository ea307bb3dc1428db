"""DSPs, block RAMs, UltraRAMs, LUTs and flip-flops of a network: operators, memories, fabric."""
