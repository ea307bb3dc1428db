"""Addresses of memories: their constant factors, multipliers that they take, and their ends."""
