"""The statements of a sequential node as sets of iterations, and the order that these must keep.

Iterations are points of the node's rectangular loops; a *piece* is a part of a statement's points,
all of them at first. For isl's scheduler a piece has coordinates of its own: without the dimensions
that an equality fixes, and aligned with the elements that it writes, as pieces that were laid end
to end along a loop aren't.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from streamopt.analysis.dependence import dependence_relations
from streamopt.analysis.instances import StatementInstance, iterations_of, loops_over
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.source import Assign
from streamopt.ir.text import isl_affine
from streamopt.transforms.autoschedule.linear import affine_of_row, equalities, reduced
from streamopt.transforms.scheduling.timed import is_reduction_step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.program import Statement
    from streamopt.transforms.autoschedule.linear import Row


_SMALL = 8
"""First values below a small part of the last one, such as 1 of 500, aren't offsets of pieces."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Iterations of one statement."""

    statement: int
    """Place in the node."""
    points: Any
    """isl set ``S<place of the piece>[c0, ...]`` over the node's loops."""
    values: tuple[Affine, ...]
    """Its coordinates over the node's loops."""
    fixed: tuple[tuple[str, Affine], ...]
    """By loop that is no coordinate: its value over those that are."""

    @property
    def kept(self) -> tuple[str, ...]:
        """Return the loops that are its coordinates, each but for a constant."""
        return tuple(value.iterators()[0] for value in self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Ordering:
    """Iterations of one piece that must run before those of another."""

    source: int
    sink: int
    relation: Any
    """isl relation between points of the node's loops."""
    is_sum_step: bool = False
    """Whether it is only between two terms of one reduction."""


@dataclass(frozen=True, slots=True, eq=False)
class OrderProblem:
    """Pieces whose order is asked for."""

    node: SequentialNode
    pieces: tuple[Piece, ...]
    """All of the node."""
    places: tuple[int, ...]
    """Of those that are asked for."""
    orderings: tuple[Ordering, ...]
    """Between these."""

    @property
    def loops(self) -> tuple[str, ...]:
        """Return the loops of the node, outermost first."""
        return tuple(loop.name for loop in self.node.loops)

    @property
    def relations(self) -> int:
        """Return how many simple relations its orderings are."""
        return sum(one.relation.n_basic_map() for one in self.orderings)

    @property
    def names(self) -> dict[str, str]:
        """Return the names of the loops in the points of pieces."""
        return {loop: f"c{at}" for at, loop in enumerate(self.loops)}

    def tuple_text(self, piece: int) -> str:
        """Return a point of a piece for isl: ``S0[c0, c1]``."""
        return f"S{piece}[{', '.join(self.names.values())}]"

    def values_at(self, piece: int, values: Iterable[Affine]) -> Any:
        """Return the isl relation from the points of a piece to some values."""
        import islpy as isl

        names = self.names
        texts = ", ".join(isl_affine(value, names) for value in values)
        relation = isl.Map(f"{{ {self.tuple_text(piece)} -> [{texts}] }}")
        return relation.intersect_domain(self.pieces[piece].points)

    def equal_at(self, piece: int, value: Affine) -> Any:
        """Return pairs of points of a piece at which a value is the same."""
        relation = self.values_at(piece, [value])
        return relation.apply_range(relation.reverse())

    def elements_at(self, piece: int, access: ir.Access) -> Any:
        """Return the isl relation from the points of a piece to the elements of an access."""
        import islpy as isl

        element = element_text(access, self.names)
        relation = isl.Map(f"{{ {self.tuple_text(piece)} -> {element} }}")
        return relation.intersect_domain(self.pieces[piece].points)

    def statement(self, piece: int) -> Statement:
        """Return the statement of a piece."""
        return self.node.statements[self.pieces[piece].statement]

    def is_carried(self, ordering: Ordering, level: int) -> bool:
        """Return whether some of its pairs differ in a loop of the node."""
        import islpy as isl

        relation = ordering.relation
        return not relation.is_subset(
            relation.equate(isl.dim_type.in_, level, isl.dim_type.out, level)
        )

    def part(self, places: Sequence[int]) -> OrderProblem:
        """Return the problem of some of its pieces."""
        own = {*places}
        inside = (one for one in self.orderings if one.source in own and one.sink in own)
        return replace(self, places=tuple(places), orderings=tuple(inside))

    def segments(self, level: int) -> Iterator[OrderProblem]:
        """Yield parts that come one after another along a loop of the node, in order."""
        points = {at: self.pieces[at].points for at in self.places}
        ends = {
            at: (int(one.dim_min_val(level).to_python()), int(one.dim_max_val(level).to_python()))
            for at, one in points.items()
        }
        together: list[int] = []
        last = -1
        for at in sorted(self.places, key=lambda at: (ends[at][0], at)):
            if together and ends[at][0] > last:
                yield self.part(sorted(together))
                together = []
            together.append(at)
            last = max(last, ends[at][1])
        yield self.part(sorted(together))


def element_text(access: ir.Access, names: Mapping[str, str]) -> str:
    """Return an element of an array for isl."""
    subscripts = ", ".join(isl_affine(subscript, names) for subscript in access.subscripts)
    return f"A_{access.array}[{subscripts}]"


def problem_of(node: SequentialNode) -> OrderProblem:
    """Return all iterations of a node; statements that never run have no piece."""
    instances = [_instance(node, statement, at) for at, statement in enumerate(node.statements)]
    points: dict[int, Any] = {}
    for at, instance in enumerate(instances):
        found = iterations_of(instance, f"S{at}")
        if not found.is_empty():
            points[at] = found
    place = {at: number for number, at in enumerate(points)}
    joined: dict[tuple[int, int, bool], Any] = {}
    for found in dependence_relations(instances):
        key = place[found.source], place[found.sink], is_reduction_step(found, instances)
        relation = between(found.relation, key[0], key[1])
        joined[key] = relation if key not in joined else joined[key].union(relation)
    orderings = tuple(
        Ordering(source, sink, relation, is_sum)
        for (source, sink, is_sum), relation in joined.items()
    )
    pieces = tuple(piece_of(node, at, found, place[at]) for at, found in points.items())
    return OrderProblem(node, pieces, tuple(range(len(pieces))), orderings)


def _instance(node: SequentialNode, statement: Statement, at: int) -> StatementInstance:
    loops = loops_over([loop.name for loop in node.loops], [loop.trip_count for loop in node.loops])
    guards = () if statement.guard is None else ir.conjuncts(statement.guard)
    position = (*(0 for _ in loops), at)
    return StatementInstance(Assign(statement.target, statement.value), loops, position, guards)


def between(relation: Any, source: int, sink: int) -> Any:
    """Return a relation between points of the node's loops as one between two pieces."""
    import islpy as isl

    named = relation.set_tuple_name(isl.dim_type.in_, f"S{source}")
    return named.set_tuple_name(isl.dim_type.out, f"S{sink}")


def piece_of(node: SequentialNode, statement: int, points: Any, place: int) -> Piece:
    """Return the piece of a statement that these points are, at least one."""
    names = [loop.name for loop in node.loops]
    rows = reduced([*equalities(points)], range(len(names) - 1, -1, -1))
    fixed = {at: row for at, row in rows.items() if _is_integral(row)}
    target = node.statements[statement].target
    values = tuple(
        Affine.iterator(name) + Affine.of(_shift(points, target, at, name))
        for at, name in enumerate(names)
        if at not in fixed
    )
    solved = tuple((names[at], _solved(row, at, names)) for at, row in fixed.items())
    return Piece(statement, points.set_tuple_name(f"S{place}"), values, solved)


def _is_integral(row: Row) -> bool:
    return all(entry.denominator == 1 for entry in row)


def _solved(row: Row, at: int, names: list[str]) -> Affine:
    others = [-entry if column != at else entry * 0 for column, entry in enumerate(row)]
    return affine_of_row(others, names)


def _shift(points: Any, target: ir.Access, at: int, name: str) -> int:
    """Return the shift with which an iterator is a subscript of the target, or else starts at 0."""
    least, last = (int(end.to_python()) for end in (points.dim_min_val(at), points.dim_max_val(at)))
    for subscript in target.subscripts:
        alone = subscript.iterators() == (name,) and subscript.factors == {name: 1}
        if alone and least + subscript.constant >= 0:
            return subscript.constant
    return -least if _SMALL * least > last else 0
