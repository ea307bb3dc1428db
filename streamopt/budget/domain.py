"""Rows that nodes may take, and what each then may find around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.budget.order_signature import order_signature
from streamopt.ir.schedule import NodePlan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.budget.local_costs import Option
    from streamopt.budget.surroundings import Bank, Neighbour, Surroundings
    from streamopt.ir.graph import Edge, Node
    from streamopt.space.decisions import DecisionSpace
    from streamopt.space.rows import NodeRows

    Walk = tuple[int, ...] | None

__all__ = ["Domain"]


class Domain:
    """Some rows of every node, with the options of the memories between them."""

    def __init__(
        self, space: DecisionSpace, rows: Mapping[str, NodeRows], around: Surroundings
    ) -> None:
        self.around = around
        self._space = space
        self._rows = rows
        self._ins = space.graph.in_edges()
        self._walks: dict[tuple[str, str], frozenset[Walk]] = {}
        self._banks: dict[object, frozenset[Bank] | None] = {}

    def plan(self, node: Node, row: int) -> NodePlan:
        """Return a row as a plan."""
        own = self._rows[node.name]
        unroll = tuple(zip(node.trip_counts, own.factors[row], strict=True))
        return NodePlan(node.name, own.orders[row], unroll)

    def seen(self, node: Node, row: int) -> object:
        """Return what rows share that take the same in the same surroundings."""
        own = self._rows[node.name]
        walks = tuple(walked[row] for walked in own.streams.values())
        return own.factors[row], order_signature(node, self.plan(node, row)), walks

    def streams_to(self, node: Node) -> tuple[Edge, ...]:
        """Return the channels to a node that can stream."""
        return tuple(e for e in self._ins[node.name] if e.channel in self._space.streamable)

    def options(self, node: Node, row: int, beside: Neighbour) -> list[Option] | None:
        """Return the options of one neighbour of a row; None for too many to look at."""
        may_buffer = True
        found: list[Option] = []
        if beside.channel is not None and beside.channel in self._space.streamable:
            edge = beside.edges[0]
            walk = self._rows[node.name].streams[edge.channel][row]
            other = edge.producer if edge.consumer == node.name else edge.consumer
            others = self._walks_of(other, edge.channel)
            may_buffer = walk is None or len(others) > 1 or walk not in others
            if walk is not None and walk in others:
                found.append((beside, None))
        if may_buffer:
            banks = self._banks_of(node, row, beside)
            if banks is None:
                return None
            found += [(beside, bank) for bank in sorted(banks, key=repr)]
        return found

    def _walks_of(self, name: str, channel: str) -> frozenset[Walk]:
        key = (name, channel)
        if key not in self._walks:
            self._walks[key] = frozenset(self._rows[name].streams[channel])
        return self._walks[key]

    def _banks_of(self, node: Node, row: int, beside: Neighbour) -> frozenset[Bank] | None:
        vector = self._rows[node.name].factors[row]
        key = (node.name, vector, beside.array, beside.channel)
        if key not in self._banks:
            factors = dict(zip(node.trip_counts, vector, strict=True))
            self._banks[key] = self.around.banks(node, factors, beside, self._rows)
        return self._banks[key]
