"""Networks as layers, and engines that run one layer after the other."""
