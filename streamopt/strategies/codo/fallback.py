"""Growing the cap within the DSPs, and ping-pong buffers where strategies conflict.

Where neighbours ask for lanes of a nest with which it is n times slower than it could be, a buffer
to one of them becomes a ping-pong buffer ([1] section VI, inter-task optimization). The paper
doesn't say when that pays; here it is done if the model says that the design gets faster.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, StrategyError
from streamopt.strategies.codo.exploration import Explorer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.graph import Graph
    from streamopt.strategies.codo.exploration import Explored
    from streamopt.strategies.codo.model import NestModel

__all__ = ["Scheduled", "scheduled"]

MOST_OVER = 32
"""Caps in a row whose designs have too many DSPs, before no larger one is tried."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A design within the DSPs.

    Attributes
    ----------
    fifos
        Channels that stream.
    downgraded
        Pairs (nest, channel): channels that could stream, but conflict with the nest's strategy.
    """

    explored: Explored
    fifos: tuple[str, ...]
    downgraded: tuple[tuple[str, str], ...] = ()


def scheduled(
    graph: Graph,
    orders: Mapping[str, tuple[str, ...]],
    fifos: tuple[str, ...],
    models: Mapping[str, NestModel],
    dsp_limit: int,
) -> Scheduled:
    """Return the design of a graph of decided loop orders.

    Raises
    ------
    StrategyError
        E551 if one lane of every nest has more DSPs than allowed.
    """
    explorer = Explorer(graph, orders, fifos, models)
    found = Scheduled(_within(graph, explorer, dsp_limit), fifos)
    for name in explorer.conflicts(found.explored):
        trials: list[tuple[float, int, Explorer, tuple[str, ...], str]] = []
        for place, edge in enumerate(graph.edges):
            if name not in (edge.producer, edge.consumer) or edge.channel not in found.fifos:
                continue
            left = tuple(one for one in found.fifos if one != edge.channel)
            trial = Explorer(graph, orders, left, models)
            cycles = _soon(trial, found.explored.cap, dsp_limit)
            if cycles < found.explored.cycles:
                trials.append((cycles, place, trial, left, edge.channel))
        if trials:
            _, _, trial, left, channel = min(trials, key=lambda one: one[:2])
            better = _within(graph, trial, dsp_limit)
            found = Scheduled(better, left, (*found.downgraded, (name, channel)))
    return found


def _soon(explorer: Explorer, cap: int, dsp_limit: int) -> float:
    """Return the cycles at a cap, or at the first of its halves that keeps to the DSPs."""
    while True:
        found = explorer.explored(cap)
        if found.dsps <= dsp_limit:
            return found.cycles
        if cap == 1:
            return float("inf")
        cap //= 2


def _within(graph: Graph, explorer: Explorer, dsp_limit: int) -> Explored:
    """Return the fastest design by the model within the DSPs, of fewest DSPs.

    The cap grows until designs are over the limit `MOST_OVER` times in a row: a larger cap may
    have fewer DSPs, where trip counts divide otherwise.
    """
    fitting: list[Explored] = []
    over = least_dsps = 0
    for cap in explorer.caps():
        found = explorer.explored(cap)
        least_dsps = least_dsps or found.dsps
        over = over + 1 if found.dsps > dsp_limit else 0
        if not over:
            fitting.append(found)
        elif over == MOST_OVER:
            break
    if not fitting:
        message = f"{graph.name} needs {least_dsps} DSPs with one lane a nest"
        hint = f"give --dsp {least_dsps} or more"
        raise StrategyError(Diagnostic("E551", message, hint=hint))
    return min(fitting, key=lambda own: (own.cycles, own.dsps, own.cap))
