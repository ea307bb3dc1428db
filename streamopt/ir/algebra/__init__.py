"""Computation with expressions: their values over grids, and divisions that trip counts decide."""
