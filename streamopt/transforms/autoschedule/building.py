"""Steps from orders: loops with names and bounds, and statements over them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.stepping.steps import Phase, Repeat, Steps
from streamopt.transforms.autoschedule.linear import inverse, is_combination
from streamopt.transforms.autoschedule.orders import SharedIterations, pieces_in
from streamopt.transforms.autoschedule.spans import guard_of, step_loop, union_of, within_loops
from streamopt.transforms.free_names import numbered_stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.program import Statement
    from streamopt.ir.stepping.steps import StepItem, StepLoop
    from streamopt.transforms.autoschedule.orders import OrderedLoop, SunkItem
    from streamopt.transforms.autoschedule.pieces import OrderProblem
    from streamopt.transforms.free_names import FreeNames


class NoStepsError(Exception):
    """An order whose loops can't be said as steps."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Where a piece runs."""

    piece: int
    position: tuple[int, ...]
    """Of its phase among its siblings, at every level of the loops in order around it."""
    phase: str
    """The name of its phase."""
    number: int
    """Of its statement in the phase."""
    times: Any
    """isl relation from the piece's points to the values of all loops around its statement."""


@dataclass(frozen=True, slots=True, eq=False)
class BuiltSteps:
    """Steps, and where each piece is in them."""

    steps: Steps
    placed: tuple[Placed, ...]


def built(
    problem: OrderProblem, items: Sequence[SunkItem], name: str, names: FreeNames
) -> BuiltSteps:
    """Return the steps of an order.

    Raises
    ------
    NoStepsError
        If an iterator of the node isn't affine in the loops.
    """
    builder = _Builder(problem, name, names)
    made = builder.items(items, (), ())
    return BuiltSteps(Steps(name, made), tuple(builder.placed))


@dataclass(frozen=True, slots=True, eq=False)
class _Outer:
    """A loop around, and its value by piece."""

    loop: StepLoop
    values: Mapping[int, Affine]


@dataclass(slots=True)
class _Builder:
    problem: OrderProblem
    name: str
    names: FreeNames
    placed: list[Placed] = field(default_factory=list[Placed])
    phases: int = 0

    def items(
        self, items: Sequence[SunkItem], around: tuple[_Outer, ...], position: tuple[int, ...]
    ) -> tuple[StepItem, ...]:
        """Return items, with the loops in order around them and where these are."""
        made: list[StepItem] = []
        for item in self._flat(items, around):
            place = (*position, len(made))
            if isinstance(item, SharedIterations):
                made.append(self._phase(item, around, place))
                continue
            own = self._loop(item.loop, around, pieces_in(item.items))
            made.append(Repeat(own.loop, self.items(item.items, (*around, own), place)))
        return tuple(made)

    def _flat(self, items: Sequence[SunkItem], around: tuple[_Outer, ...]) -> Iterator[SunkItem]:
        """Yield items without loops of one iteration; sums in groups of their own."""
        for item in items:
            if isinstance(item, SharedIterations):
                yield from self._parted(item, around)
            elif self._is_single(item.loop.values, around, pieces_in(item.items)):
                yield from self._flat(item.items, around)
            else:
                yield item

    def _parted(
        self, group: SharedIterations, around: tuple[_Outer, ...]
    ) -> Iterator[SharedIterations]:
        """Yield groups of pieces that move along the same loops; sums are alone."""
        together: list[int] = []
        kind: tuple[bool, ...] | None = None
        for piece in group.pieces:
            is_sum = len(group.pieces) > 1 and bool(self._sums(group.loops, piece, around))
            own = self._moving(group.loops, piece, around)
            if together and (is_sum or own != kind):
                yield SharedIterations(group.loops, tuple(together))
                together = []
            together.append(piece)
            kind = None if is_sum else own
        yield SharedIterations(group.loops, tuple(together))

    def _moving(
        self, loops: Sequence[OrderedLoop], piece: int, around: tuple[_Outer, ...]
    ) -> tuple[bool, ...]:
        """Return which loops have several iterations with the piece."""
        fixed = dict(self.problem.pieces[piece].fixed)
        known = [one.values[piece].substitute(fixed) for one in around]
        moving: list[bool] = []
        for loop in loops:
            value = loop.values[piece].substitute(fixed)
            moving.append(not is_combination(value, known, self.problem.loops))
            known.append(value)
        return tuple(moving)

    def _phase(
        self, group: SharedIterations, around: tuple[_Outer, ...], position: tuple[int, ...]
    ) -> Phase:
        sums = self._sums(group.loops, group.pieces[0], around) if len(group.pieces) == 1 else ()
        inside, own_sums = around, set[str]()
        for loop in sorted(group.loops, key=lambda loop: loop not in sums):
            if self._is_single(loop.values, inside, group.pieces):
                continue
            inside = (*inside, self._loop(loop, inside, group.pieces))
            if loop in sums:
                own_sums.add(inside[-1].loop.name)
        name = f"{self.name}{self.phases}"
        self.phases += 1
        box = within_loops([one.loop for one in inside])
        statements: list[_Laid] = []
        for piece in group.pieces:
            times = self.problem.values_at(piece, [one.values[piece] for one in inside])
            laid = _Laid(self._statement(piece, inside), times.range())
            if statements and (joined := _joined(statements[-1], laid)) is not None:
                statements[-1] = joined
            else:
                statements.append(laid)
            self.placed.append(Placed(piece, position, name, len(statements) - 1, times))
        if own_sums & {*statements[0].statement.target.iterators()}:
            raise NoStepsError
        order = [one.loop.name for one in inside]
        loops = tuple(one.loop for one in inside[len(around) :])
        guarded = tuple(
            with_guard(one.statement, guard_of(one.points, box, order)) for one in statements
        )
        return Phase(name, loops, frozenset(own_sums), guarded)

    def _sums(
        self, loops: Sequence[OrderedLoop], piece: int, around: tuple[_Outer, ...]
    ) -> tuple[OrderedLoop, ...]:
        """Return the loops along which a piece adds terms in any order."""
        found: list[OrderedLoop] = []
        for one in self.problem.orderings:
            if one.is_sum_step and one.source == one.sink == piece:
                same = one.relation
                for loop in around:
                    same = same.intersect(self.problem.equal_at(piece, loop.values[piece]))
                found += [
                    loop
                    for loop in loops
                    if not same.is_subset(self.problem.equal_at(piece, loop.values[piece]))
                ]
        return tuple(found)

    def _union(
        self, values: Mapping[int, Affine], around: Sequence[_Outer], pieces: Sequence[int]
    ) -> Any:
        """Return the values of loops around pieces and, last, of one more."""
        found = [
            self.problem.values_at(
                piece, [*(one.values[piece] for one in around), values[piece]]
            ).range()
            for piece in pieces
        ]
        return union_of(found)

    def _is_single(
        self, values: Mapping[int, Affine], around: Sequence[_Outer], pieces: Sequence[int]
    ) -> bool:
        """Return whether a loop has one iteration at each iteration of the loops around."""
        import islpy as isl

        for piece in pieces:
            fixed = dict(self.problem.pieces[piece].fixed)
            outer = (one.values[piece].substitute(fixed) for one in around)
            if not is_combination(values[piece].substitute(fixed), [*outer], self.problem.loops):
                return False
        kinds = isl.dim_type
        relation = isl.Map.from_range(self._union(values, around, pieces))
        moved = relation.move_dims(kinds.in_, 0, kinds.out, 0, len(around))
        return bool(moved.is_single_valued())

    def _loop(
        self,
        loop: OrderedLoop,
        around: Sequence[_Outer],
        pieces: Sequence[int],
    ) -> _Outer:
        points = self._union(loop.values, around, pieces)
        own = self.names.fresh(_stem([loop.values[piece] for piece in pieces]))
        made = step_loop(points, [one.loop for one in around], own)
        constant = not any(bound.terms for bound in (*made.lower, *made.upper))
        if made.least >= 0 and not constant:
            return _Outer(made, loop.values)
        move = Affine.of(-made.least)
        moved = replace(
            made,
            lower=tuple(bound + move for bound in made.lower),
            upper=tuple(bound + move for bound in made.upper),
            least=0,
            end=made.end - made.least,
        )
        return _Outer(moved, {piece: loop.values[piece] + move for piece in pieces})

    def _statement(self, piece: int, around: Sequence[_Outer]) -> Statement:
        """Return the statement of a piece over the loops around, with its guards on data."""
        own = self.problem.pieces[piece]
        fixed = dict(own.fixed)
        values = {one.loop.name: one.values[piece].substitute(fixed) for one in around}
        found = inverse(values, own.kept)
        if found is None:
            raise NoStepsError
        order = [*values]
        moved = found | {name: value.substitute(found) for name, value in own.fixed}
        return moved_statement(self.problem.statement(piece), moved, order)


@dataclass(frozen=True, slots=True, eq=False)
class _Laid:
    """A statement over the loops around it, and the values of these at which it runs."""

    statement: Statement
    points: Any


def _joined(first: _Laid, second: _Laid) -> _Laid | None:
    """Return two pieces of one text as one; None if they differ or share a point."""
    one, other = (replace(laid.statement, loc=None) for laid in (first, second))
    if one != other or not first.points.is_disjoint(second.points):
        return None
    return _Laid(first.statement, first.points.union(second.points).coalesce())


def moved_statement(
    statement: Statement, moved: Mapping[str, Affine], order: Sequence[str]
) -> Statement:
    """Return a statement over other loops, in their order, with its guards on data alone."""
    guards = () if statement.guard is None else ir.conjuncts(statement.guard)
    on_data = [guard for guard in guards if not ir.is_affine_condition(guard)]

    def index(value: Affine) -> Affine:
        return value.substitute(moved).ordered(order)

    def access(one: ir.Access) -> ir.Access:
        return ir.Access(one.array, tuple(map(index, one.subscripts)))

    guard = ir.all_of(on_data) if on_data else None
    target = access(statement.target)
    return replace(statement, guard=guard).rewritten(ir.moved_leaf(access, index), target)


def with_guard(statement: Statement, guard: ir.Condition | None) -> Statement:
    """Return a statement with one more guard, ahead of its own."""
    if guard is None:
        return statement
    own = () if statement.guard is None else (statement.guard,)
    return replace(statement, guard=ir.all_of((guard, *own)))


def _stem(values: Sequence[Affine]) -> str:
    """Return the name of a loop: the iterator that it mostly is, but for a constant."""
    found = (value.iterators() for value in values)
    uses = Counter(numbered_stem(names[0]) for names in found if len(names) == 1)
    return uses.most_common(1)[0][0] if uses else "w"


def taken_names(node: SequentialNode) -> tuple[str, ...]:
    """Return the names that loops of a node can't have: those of arrays that it touches.

    Whatever others there are, loops have the same names, so that a plan fits any graph of the node.
    """
    return tuple(dict.fromkeys((*node.inputs, *node.outputs)))
