"""Decoders in closed form: cycles of chunks, depths of pipelines, and resources."""
