"""Engines as C++: one function that all layers run on, their table, and its host."""
