"""Functions of floating-point numbers by tables and polynomials."""
