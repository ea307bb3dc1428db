"""Latency of a whole design by CODO's view: FIFOs overlap nests, ping-pong buffers don't."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from streamopt.ir.graph import Graph, Node
    from streamopt.strategies.codo.choices import Choice

__all__ = ["Estimate"]


class Estimate:
    """The latency of a graph's designs of decided loop orders and channels.

    A nest begins when the first element of each FIFO has come and each ping-pong buffer is full,
    and ends no sooner than those that feed it.
    """

    def __init__(
        self, graph: Graph, orders: Mapping[str, tuple[str, ...]], fifos: Collection[str]
    ) -> None:
        ins = graph.in_edges()
        self._nodes, self._orders = graph.nodes, orders
        self._producers = {
            name: [(edge.producer, edge.channel in fifos) for edge in edges]
            for name, edges in ins.items()
        }
        self._fills: dict[tuple[str, Choice], int] = {}

    def cycles(self, choices: Mapping[str, Choice]) -> int:
        """Return the cycles until the last nest ends."""
        begins: dict[str, int] = {}
        ends: dict[str, int] = {}
        for node in self._nodes:
            begin = end = 0
            for producer, streams in self._producers[node.name]:
                if streams:
                    begin = max(begin, begins[producer] + self._fills[producer, choices[producer]])
                    end = max(end, ends[producer])
                else:
                    begin = max(begin, ends[producer])
            own = choices[node.name]
            begins[node.name], ends[node.name] = begin, max(end, begin + own.cycles)
            self._note_fill(node, own)
        return max(ends.values(), default=0)

    def _note_fill(self, node: Node, choice: Choice) -> None:
        if (node.name, choice) not in self._fills:
            fill = _fill_cycles(node, self._orders[node.name], choice)
            self._fills[node.name, choice] = fill


def _fill_cycles(node: Node, order: tuple[str, ...], choice: Choice) -> int:
    """Return the cycles from a nest's begin to its first result: until all terms have come."""
    factors = dict(zip(node.trip_counts, choice.factors, strict=True))
    trips, delays, reduced = node.built_trip_counts, node.delays, set(node.reduction_loops)
    last, inner = 0, choice.ii
    for name in reversed(order):
        tiles = -(-trips[name] // factors[name])
        last += inner * (tiles - 1 if name in reduced else delays.get(name, 0))
        inner *= tiles
    return last + choice.cycles - inner
