"""Executes the source program and the emitted design, and compares what they compute."""
