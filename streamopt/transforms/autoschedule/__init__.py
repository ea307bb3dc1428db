"""Orders of the iterations of sequential nodes: isl proposes them, a test of our own disposes."""

from streamopt.transforms.autoschedule.choosing import steps_of

__all__ = ["steps_of"]
