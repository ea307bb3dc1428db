"""Designs as RTL of our own, simulated and synthesised by open tools."""
