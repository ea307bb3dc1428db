"""Narrower spaces of opt6, and which of them change a search."""

from __future__ import annotations

from dataclasses import replace

from measure import source

import streamopt as so
from streamopt.space.level import BindingChoice
from streamopt.strategies.opt6.choices import PARTIAL_TILES, TRIED, variants

__all__ = ["VARIANTS", "is_same_search"]

ALL = so.Space(binding=BindingChoice.DSP)
EVERY_REWRITE = frozenset(TRIED)
EVERYTHING = EVERY_REWRITE | {PARTIAL_TILES}
VARIANTS = {
    "all": ALL,
    **{
        f"without {name}": replace(ALL, without=frozenset({name}))
        for name in (*TRIED, PARTIAL_TILES)
    },
    "without rewrites": replace(ALL, without=EVERY_REWRITE),
    "tool binding": replace(ALL, binding=BindingChoice.TOOL),
    "tiles of 16": replace(ALL, tiling_limit=16),
    "none": so.Space(16, EVERYTHING, BindingChoice.TOOL),
}
"""By name, the one with everything first; multiply-accumulates take 5 DSPs if nothing is said."""


def is_same_search(program: str, space: so.Space) -> bool:
    """Return whether a variant has the same forms of a program, and may decide the same."""
    if replace(space, without=frozenset()) != ALL or not space.partial_tiles:
        return False
    graph = so.dataflow(source(program))
    found, every = (
        [own for _, own in variants(graph, w)] for w in (space.without, frozenset[str]())
    )
    return found == every
