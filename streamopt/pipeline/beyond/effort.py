"""What a search of a form looks for: within which latencies, and how hard."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.perf.paper.dsp import dsps_per_lane

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.graph import Graph
    from streamopt.strategies.resources.budgeted import Chosen

__all__ = ["Asked", "Horizon", "horizons"]

FIRST_HORIZONS = (1.25, 3.0, 12.0)
"""Horizons of the first rows, times the cycles in which all DSPs would do all products."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a search is to look for.

    Attributes
    ----------
    labels
        Of a state.
    steady
        Whether streams that come in bursts are left out.
    """

    labels: int
    steady: bool


@dataclass(frozen=True, slots=True)
class Horizon:
    """Latencies that are of interest.

    Attributes
    ----------
    most_cycles
        Longer ones are not; None for all.
    is_near
        Whether a search found a design that is as slow, so that shorter horizons leave little.
    """

    most_cycles: int | None
    is_near: bool


def horizons(within: Horizon, graph: Graph, dsps: int, plainest: Callable[[], Chosen]) -> list[int]:
    """Return horizons to look within, in this order.

    Parameters
    ----------
    plainest
        Returns the schedule without any unrolling, which none is longer than.
    """
    most = within.most_cycles
    longest = plainest().cycles if most is None else most
    ideal = _ideal_cycles(graph, dsps)
    first = [int(times * ideal) for times in FIRST_HORIZONS if not within.is_near and ideal]
    return [*(cycles for cycles in first if cycles < longest), longest]


def _ideal_cycles(graph: Graph, dsps: int) -> int:
    """Return how long all products of a graph take in DSPs that always have work."""
    work = sum(
        prod(node.trip_counts.values()) * dsps_per_lane(node, graph.element_of)
        for node in graph.nodes
        if not isinstance(node, SequentialNode)
    )
    return -(-work // max(1, dsps))
