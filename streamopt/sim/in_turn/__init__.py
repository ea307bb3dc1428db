"""Pipelines that take turns: their iterations, and hazards between them."""
