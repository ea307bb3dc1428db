"""What streamopt finds around it: packages, solvers, compilers and vendors' tools."""
