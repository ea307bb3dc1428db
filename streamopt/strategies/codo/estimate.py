"""Latency of a whole design by CODO's view: FIFOs overlap nests, ping-pong buffers don't."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from streamopt.ir.graph import Graph, Node
    from streamopt.strategies.codo.choices import Choice

__all__ = ["estimated_cycles"]


def estimated_cycles(
    graph: Graph,
    orders: Mapping[str, tuple[str, ...]],
    fifos: Collection[str],
    choices: Mapping[str, Choice],
) -> int:
    """Return the cycles until the last nest ends.

    A nest begins when the first element of each FIFO has come and each ping-pong buffer is full,
    and ends no sooner than those that feed it.
    """
    begins: dict[str, int] = {}
    ends: dict[str, int] = {}
    fills: dict[str, int] = {}
    ins = graph.in_edges()
    for node in graph.nodes:
        begin = end = 0
        for edge in ins[node.name]:
            if edge.channel in fifos:
                begin = max(begin, begins[edge.producer] + fills[edge.producer])
                end = max(end, ends[edge.producer])
            else:
                begin = max(begin, ends[edge.producer])
        own = choices[node.name]
        begins[node.name] = begin
        ends[node.name] = max(end, begin + own.cycles)
        fills[node.name] = _fill_cycles(node, orders[node.name], own)
    return max(ends.values(), default=0)


def _fill_cycles(node: Node, order: tuple[str, ...], choice: Choice) -> int:
    """Return the cycles from a nest's begin to its first result: until all terms have come."""
    factors = dict(zip(node.trip_counts, choice.factors, strict=True))
    delays, reduced = node.delays, set(node.reduction_loops)
    iterations, last, inner = 1, 0, choice.ii
    for name in reversed(order):
        tiles = -(-node.built_trip_counts[name] // factors[name])
        last += inner * (tiles - 1 if name in reduced else delays.get(name, 0))
        inner *= tiles
        iterations *= tiles
    return last + choice.cycles - iterations * choice.ii
