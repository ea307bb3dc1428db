"""Conditions of a node over the loops as they are built: guards, first iterations, and choices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import dropwhile, takewhile

from streamopt.analysis.operations import OperationList, add_body, index_name
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Compare,
    CompareOp,
    Condition,
    Expression,
    Index,
    Literal,
    Logic,
    LogicOp,
    all_of,
    children,
    is_affine_condition,
    substitute_condition,
    walk,
)
from streamopt.ir.graph import Graph
from streamopt.ir.network import Operation
from streamopt.ir.scheduled import ScheduledNode, TiledLoop

INDEX_CONDITION = "(index condition)"
"""The operand of an operation that is a condition on loops."""


class NodeConditions:
    """Conditions of one node, over tile and lane iterators.

    Attributes
    ----------
    start
        Name of the value that its sums start with; empty for none.
    truth
        Name of the value by which data decide where a reduction has terms; empty for none.
    indices
        Sums over loops that are operands, by their names.
    """

    def __init__(self, graph: Graph, scheduled: ScheduledNode) -> None:
        self._scheduled, self._node = scheduled, scheduled.node
        self._built = {loop.name: self._position(loop.name) for loop in scheduled.loops}
        delays = self._node.delays
        self._computed = {
            name: place - Affine.of(delays.get(name, 0)) for name, place in self._built.items()
        }
        self._made = self._expressions(graph)
        self.indices = {
            index_name(part.value): part.value.substitute(self._computed)
            for whole in self._node.expressions
            for part in walk(whole)
            if isinstance(part, Index)
        }

    def _position(self, name: str) -> Affine:
        loop = self._scheduled.loop(name)
        tile = Affine.iterator(name) if loop in self._scheduled.tile_loops else Affine()
        lane = Affine.iterator(f"{name}.lane") if loop.unroll > 1 else Affine()
        return tile.scaled(loop.unroll) + lane

    def _expressions(self, graph: Graph) -> dict[str, Expression]:
        """Return the expressions of operations with conditions on loops, by results."""
        node = self._node
        elements = {array.name: array.element for array in graph.arrays}
        among = ValueContext(lambda name: elements[name], node.trip_counts)
        operations = OperationList(among, lambda access: f"v{node.reads.index(access)}")
        add_body(operations, node)
        self.start = "" if node.start is None else operations.value(node.start)
        is_decided = node.guard is not None and not is_affine_condition(node.guard)
        self.truth = operations.value(node.guard) if node.guard and is_decided else ""
        return {
            operations.value(part): part
            for whole in node.expressions
            for part in walk(whole)
            if not isinstance(part, Compare | Logic) or not is_affine_condition(part)
            if any(map(_is_index_condition, children(part)))
        }

    @property
    def guard(self) -> Condition | None:
        """Return where a reduction has terms; None for everywhere, or where data decide."""
        guard = self._node.guard
        if guard is None or self.truth:
            return None
        return substitute_condition(guard, self._computed)

    @property
    def first(self) -> Condition | None:
        """Return where a sum begins; None for everywhere."""
        parts: list[Condition] = [
            Compare(CompareOp.LT, Index(self._computed[loop.name]), Literal(loop.unroll))
            for loop in filter(self._is_reduced, self._scheduled.tile_loops)
        ]
        return all_of(parts) if parts else None

    @property
    def again(self) -> Condition | None:
        """Return where the element is the one that a sum was added to last; None for everywhere.

        A sum that begins counts too. Where a loop that is not reduced stands between two that are,
        other elements come between two runs of the inner one.
        """
        outwards = reversed(self._scheduled.tile_loops)
        loops = [*dropwhile(lambda loop: not self._is_reduced(loop), outwards)]
        inner = [*takewhile(self._is_reduced, loops)]
        if not any(map(self._is_reduced, loops[len(inner) :])):
            return None
        parts: tuple[Condition, ...] = tuple(
            Compare(CompareOp.GE, Index(self._computed[loop.name]), Literal(loop.unroll))
            for loop in inner
        )
        return parts[0] if len(parts) == 1 else Logic(LogicOp.OR, parts)

    def _is_reduced(self, loop: TiledLoop) -> bool:
        return loop.name in self._node.reduction_loops

    @property
    def computing(self) -> Condition | None:
        """Return where loops that windows stretch have something to compute; None if all have."""
        parts: list[Condition] = []
        for stretch in self._node.stretches:
            place, trips = self._built[stretch.loop], self._node.trip_counts[stretch.loop]
            if stretch.delay:
                parts.append(Compare(CompareOp.GE, Index(place), Literal(stretch.delay)))
            if stretch.delay + trips < stretch.iterations:
                parts.append(Compare(CompareOp.LT, Index(place), Literal(stretch.delay + trips)))
        return all_of(parts) if parts else None

    def of(self, operation: Operation) -> Iterator[tuple[int, Condition]]:
        """Yield pairs of the conditions on loops among an operation's operands: place, itself."""
        if INDEX_CONDITION not in operation.operands:
            return
        parts = children(self._made[operation.result])
        for at, (name, part) in enumerate(zip(operation.operands, parts, strict=True)):
            if name == INDEX_CONDITION:
                assert isinstance(part, Compare | Logic)
                yield at, substitute_condition(part, self._computed)


def _is_index_condition(part: Expression) -> bool:
    return isinstance(part, Compare | Logic) and is_affine_condition(part)
