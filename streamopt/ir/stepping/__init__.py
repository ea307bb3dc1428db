"""Sequential nodes: the order of their iterations, and how that is built."""
