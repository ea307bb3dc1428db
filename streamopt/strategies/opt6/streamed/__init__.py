"""Descents of large graphs with windows, by curves of what is written over time."""
