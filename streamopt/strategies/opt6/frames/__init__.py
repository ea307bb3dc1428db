"""Frames that follow each other: the least distance, by rows on their own and simulated designs."""
