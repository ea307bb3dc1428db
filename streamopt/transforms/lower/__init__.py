"""Scheduled graph to network: the hardware that the emitted code describes, ready to be timed."""

from streamopt.transforms.lower.network import lower

__all__ = ["lower"]
