"""Expressions: their values in C's types, folded where constant and affine where they can be."""
