"""Schedules whose windows take from streams, with unroll factors of one's choice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.space.assemble import assemble
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.opt6.as_built_costs import as_built_costs

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Schedule

__all__ = ["PREFILLED", "WINDOWS", "window_schedule"]

WINDOWS = ("stream_windows",)
PREFILLED = (*WINDOWS, "prefill_windows")


def window_schedule(graph: Graph, place: int, rewrites: tuple[str, ...] = WINDOWS) -> Schedule:
    """Return a schedule of a graph with windows; ``place`` chooses among unroll factors."""
    costs, level = as_built_costs(graph, so.device("u280")), LEVELS[LevelName.OPT6]
    space = decision_space(graph, SpaceOptions(level, dsp_limit=10**6, tiling_limit=1, costs=costs))
    orders = {
        node.name: min(space.orders[node.name], key=lambda o: ["hwco".find(n) % 9 for n in o])
        for node in graph.nodes
    }
    taken: dict[tuple[str, str], int] = {}
    for group in space.classes:
        taken |= dict.fromkeys(group.members, group.factors[place % len(group.factors)])
    factors = {n.name: [taken[n.name, loop] for loop in n.trip_counts] for n in graph.nodes}
    return replace(assemble(graph, orders, factors), rewrites=rewrites)
