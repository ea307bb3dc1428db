"""Named rewrites of graphs that keep what they compute; a schedule says which were applied."""

from streamopt.transforms.rewrites.registry import INPUTS, REWRITES, TIME, changed_by, rewritten

__all__ = ["INPUTS", "REWRITES", "TIME", "changed_by", "rewritten"]
