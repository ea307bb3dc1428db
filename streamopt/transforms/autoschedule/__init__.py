"""Orders of the iterations of sequential nodes: isl proposes them, a test of our own disposes."""

from streamopt.transforms.autoschedule.choosing import steps_of
from streamopt.transforms.autoschedule.written import WRITTEN, written_steps

__all__ = ["WRITTEN", "steps_of", "written_steps"]
