"""Operators on floating-point numbers, with registers where they are asked for."""
