"""Loops of a source taken apart and put together."""
