"""Tensor operators as loop nests: what front ends of neural networks share."""
