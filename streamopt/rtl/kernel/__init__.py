"""A pipeline as hardware: what is computed in which cycle, where elements lie, and when."""
