"""Structures, streams and open types of a file, rewritten as scalars and arrays of numbers."""
