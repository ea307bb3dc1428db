"""What opt6 may decide less: variants of its freedom, and which of them change a search."""

from __future__ import annotations

from dataclasses import replace

from measure import source

import streamopt as so
from streamopt.pipeline.beyond.binding_choice import BindingChoice
from streamopt.pipeline.beyond.freedom import PARTIAL_TILES, TRIED, Freedom

__all__ = ["VARIANTS", "is_same_search"]

ALL = Freedom(binding=BindingChoice.DSP)
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
    "none": Freedom(EVERYTHING, BindingChoice.TOOL, 16),
}
"""By name, the one with everything first; multiply-accumulates take 5 DSPs if nothing is said."""


def is_same_search(program: str, freedom: Freedom) -> bool:
    """Return whether a variant has the same forms of a program, and may decide the same."""
    if replace(freedom, without=frozenset()) != ALL or not freedom.partial_tiles:
        return False
    graph = so.dataflow(source(program))
    return [form for _, form in freedom.forms(graph)] == [form for _, form in ALL.forms(graph)]
