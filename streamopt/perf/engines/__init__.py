"""Engines in closed form: cycles of layers, depth of the pipeline, and resources."""
