"""Surroundings of a row: kinds and banks of the memories around it, on which its hardware depends.

A memory that several nodes touch is split by the lanes of all of them. So each has a few *options*
for a row, depending on what rows its other users may take.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeAlias

from streamopt.analysis.live_range import still_loops
from streamopt.ir.expression import Access
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.program import Role
from streamopt.ir.schedule import NodePlan
from streamopt.space.decisions import DecisionSpace
from streamopt.space.row_values import NodeRows
from streamopt.transforms.buffer_banks import buffer_factors

Factors: TypeAlias = Mapping[str, int]
Counts: TypeAlias = tuple[int, ...]
Walk: TypeAlias = tuple[int, ...] | None
Option: TypeAlias = tuple["Neighbour", "Bank | None"]
"""A memory beside a row with the way it is split; None if it is a FIFO."""

MOST_OPTIONS = 256
"""Combinations of other users' rows that are looked at for one memory of one row."""


@dataclass(frozen=True, slots=True)
class Bank:
    """How a memory is split."""

    factors: Counts
    """The partition of the source, by dimension."""
    others: Counts
    """Elements along each dimension that the other users touch in one iteration."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory or channel beside a node."""

    array: str
    edges: tuple[Edge, ...]
    """The channel's edges, several for several writers; none for an array of the boundary."""
    others: tuple[tuple[Node, tuple[Access, ...]], ...]
    """The other nodes that touch it, with their accesses."""

    @property
    def channel(self) -> str | None:
        """Return the name of the channel; None at the boundary."""
        return self.edges[0].channel if self.edges else None

    @property
    def users(self) -> tuple[Node, ...]:
        """Return the other nodes that touch it."""
        return tuple(node for node, _ in self.others)


class Surroundings:
    """The neighbours of all nodes of a space, and their options within some rows."""

    def __init__(self, space: DecisionSpace) -> None:
        self._space = space
        self._graph = space.graph
        self._class_of = space.class_of()
        self.of = {node.name: tuple(_neighbours(self._graph, node)) for node in self._graph.nodes}

    def banks(
        self, node: Node, factors: Factors, beside: Neighbour, rows: Mapping[str, NodeRows]
    ) -> frozenset[Bank] | None:
        """Return the ways in which a memory may be split; None for too many to look at.

        Parameters
        ----------
        factors
            The node's own.
        rows
            What the other users may take.
        """
        choices = [self._other_factors(node, factors, o, a, rows) for o, a in beside.others]
        if prod(map(len, choices)) > MOST_OPTIONS:
            return None
        found: set[Bank] = set()
        for vectors in product(*choices):
            taken = {o.name: f for (o, _), f in zip(beside.others, vectors, strict=True)}
            found.add(self._bank(node, factors, beside, taken))
        return frozenset(found)

    def _bank(
        self, node: Node, factors: Factors, beside: Neighbour, taken: Mapping[str, Factors]
    ) -> Bank:
        shape = self._graph.array(beside.array).shape
        uses = [(access, taken[o.name]) for o, accesses in beside.others for access in accesses]
        others = _touched(shape, uses)
        if beside.edges:
            every = {node.name: factors, **taken}
            return Bank(buffer_factors(self._graph, beside.edges[0], every), others)
        own = _touched(shape, [(a, factors) for a in _accesses(self._graph, node, beside.array)])
        return Bank(tuple(map(max, own, others)), ())

    def own_elements(self, node: Node, factors: Factors, array: str) -> Counts:
        """Return the elements along each dimension that a node touches in one iteration."""
        accesses = [(a, factors) for a in _accesses(self._graph, node, array)]
        return _touched(self._graph.array(array).shape, accesses)

    def _other_factors(
        self,
        node: Node,
        factors: Factors,
        other: Node,
        accesses: Sequence[Access],
        rows: Mapping[str, NodeRows],
    ) -> list[Factors]:
        """Return the factors that another user may take; those of loops without effect are 1."""
        places = list(other.trip_counts)
        matter = {name for access in accesses for name in access.iterators()}
        fixed = {
            self._class_of[node.name, loop]: factor
            for loop, factor in factors.items()
            if len(self._space.classes[self._class_of[node.name, loop]].members) > 1
        }
        ones = dict.fromkeys(places, 1)
        found: dict[tuple[int, ...], Factors] = {}
        for vector in set(rows[other.name].factors):
            given = dict(zip(places, vector, strict=True))
            wrong = any(
                fixed.get(self._class_of[other.name, loop], factor) != factor
                for loop, factor in given.items()
            )
            key = tuple(given[loop] for loop in places if loop in matter)
            if not wrong and key not in found:
                found[key] = ones | {loop: given[loop] for loop in matter}
        return list(found.values())


def _neighbours(graph: Graph, node: Node) -> Iterator[Neighbour]:
    ins: dict[str, list[Edge]] = {}
    outs: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        if edge.consumer == node.name:
            ins.setdefault(edge.array, []).append(edge)
        elif edge.array in node.outputs:
            outs.setdefault(edge.consumer, []).append(edge)
    for edges in (*ins.values(), *outs.values()):
        users = [*graph.writers(edges[0].array), graph.node(edges[0].consumer)]
        yield Neighbour(edges[0].array, tuple(edges), _others(graph, node, edges[0].array, users))
    for name in dict.fromkeys((*node.inputs, *node.outputs)):
        array = graph.array(name)
        if array.role is not Role.INTERNAL and (name not in ins or name in node.outputs):
            users = list(graph.writers(name))
            if array.is_given:
                users += [other for other in graph.nodes if name in other.inputs]
            yield Neighbour(name, (), _others(graph, node, name, users))


def at_boundary(graph: Graph, node: Node, array: str) -> bool:
    """Return whether a node touches an array where it crosses the boundary, and no channel."""
    comes = any(edge.consumer == node.name and edge.array == array for edge in graph.edges)
    return array in node.outputs or (array in node.inputs and not comes)


def _others(
    graph: Graph, node: Node, array: str, users: Sequence[Node]
) -> tuple[tuple[Node, tuple[Access, ...]], ...]:
    distinct = {user.name: user for user in users if user.name != node.name}
    return tuple((user, _accesses(graph, user, array)) for user in distinct.values())


def _accesses(graph: Graph, node: Node, array: str) -> tuple[Access, ...]:
    """Return a node's accesses of an array that comes from outside or goes there."""
    writes = node in graph.writers(array) and not isinstance(node, SequentialNode)
    return (*((node.write,) if writes else ()), *node.reads_of(array))


def _touched(shape: Counts, uses: Sequence[tuple[Access, Factors]]) -> Counts:
    return tuple(
        min(
            extent,
            max(
                (prod(factors[n] for n in a.subscripts[at].iterators()) for a, factors in uses),
                default=1,
            ),
        )
        for at, extent in enumerate(shape)
    )


def order_signature(node: Node, plan: NodePlan) -> Hashable:
    """Return a key of an order; orders of equal keys and unroll factors take the same hardware."""
    factors, trips = plan.factors, node.trip_counts
    moving = [name for name in plan.order if trips[name] > factors[name]]
    seen = ((_seen_by(a, moving), _still(node, plan, a)) for a in (node.write, *node.reads))
    return tuple(moving[-1:]), tuple(seen)


def _still(node: Node, plan: NodePlan, access: Access) -> frozenset[str]:
    """Return the loops of which a buffer for an access holds no more than the lanes."""
    found = still_loops(node, access, plan.order, plan.factors)
    return frozenset(name for name in access.iterators() if found[name])


def _seen_by(access: Access, moving: Sequence[str]) -> Hashable:
    used = set(access.iterators())
    unused = [place for place, name in enumerate(moving) if name not in used]
    if not unused:
        return True, frozenset[str]()
    inside = frozenset(moving[unused[-1] + 1 :])
    return all(name not in used for name in moving[unused[0] :]), inside


class RowDomain:
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
        if own.plans:
            return own.plans[row]
        unroll = tuple(zip(node.trip_counts, own.factors[row], strict=True))
        return NodePlan(node.name, own.orders[row], unroll)

    def seen(self, node: Node, row: int) -> object:
        """Return a key of a row; rows of equal keys take the same in the same surroundings."""
        own = self._rows[node.name]
        if own.plans:
            return own.plans[row]
        walks = tuple(walked[row] for walked in own.streams.values())
        return own.factors[row], order_signature(node, self.plan(node, row)), walks

    def streams_to(self, node: Node) -> tuple[Edge, ...]:
        """Return the channels to a node that can stream."""
        return tuple(e for e in self._ins[node.name] if e.channel in self._space.streamable)

    def options(self, node: Node, row: int, beside: Neighbour) -> list[Option] | None:
        """Return the options of one neighbour of a row; None for those that aren't looked at.

        These are too many ones, and what a sequential node touches: its plans copy arrays in
        their own ways.
        """
        if any(isinstance(user, SequentialNode) for user in (node, *beside.users)):
            return None
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
