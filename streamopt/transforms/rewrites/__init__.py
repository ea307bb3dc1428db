"""Named rewrites of graphs that keep what they compute; a schedule says which were applied."""

from streamopt.transforms.rewrites.registry import (
    AFTER_MOVERS,
    COLUMNS,
    INPUTS,
    PREFILL,
    REWRITES,
    TIME,
    WINDOWS,
    changed_by,
    rewritten,
)

__all__ = [
    "AFTER_MOVERS",
    "COLUMNS",
    "INPUTS",
    "PREFILL",
    "REWRITES",
    "TIME",
    "WINDOWS",
    "changed_by",
    "rewritten",
]
