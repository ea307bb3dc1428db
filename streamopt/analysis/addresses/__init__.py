"""Constant factors in addresses of memories, and the multipliers that they take."""
