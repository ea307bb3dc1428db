"""The oracle: every schedule of a small space, by walking loops without the performance model."""
