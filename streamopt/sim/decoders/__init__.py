"""Simulated decoders: from a prompt to its answers."""
