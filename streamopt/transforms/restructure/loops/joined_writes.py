"""Statements that write a grid of elements in turn, as one statement with a loop over these.

Of a loop unrolled by hand, ``y[2*i] = ..; y[2*i + 1] = ..``, no statement streams: each leaves out
elements. What all compute alike is computed once, of operands that the loop chooses.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product

from streamopt.analysis.instances import StatementInstance, hull_of
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import expression_type, negated
from streamopt.ir.element import ElementType
from streamopt.ir.source import RangeLoop
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.restructure.flat_source import FlatSource

_MOST_JOINED = 16
"""Statements: each iteration asks which is its own, and computes what they don't share of all."""


class _DifferError(Exception):
    """Expressions can't be one with chosen operands."""


@dataclass(frozen=True, slots=True)
class _WrittenGrid:
    """Statements of one loop body that write a whole grid of elements."""

    statements: tuple[StatementInstance, ...]
    """Row by row of the grid."""
    steps: tuple[tuple[int, int], ...]
    """Along each dimension, how many elements there are, and how far they are from each other."""

    @property
    def is_strided(self) -> bool:
        """Return whether each statement leaves out elements between its own."""
        subscripts = zip(self.statements[0].target.subscripts, self.steps, strict=True)
        return any(own.terms for own, (size, step) in subscripts if size > 1 and step == 1)


def with_joined_writes(body: FlatSource) -> FlatSource:
    """Write elements beside each other in a loop over them instead of in one statement each.

    Before: ``for i: { y[2*i] = a[i] * c[i]; y[2*i + 1] = a[i] * s[i]; }``
    After:  ``for i: for p < 2: y[2*i + p] = a[i] * (p < 1 ? c[i] : s[i])``

    Legal where no statement between them touches what they write or writes what they read, as
    they keep their order. Statements that leave nothing out are joined if all compute alike.
    """
    taken = FreeNames(iterator for one in body.statements for iterator in one.iterators)
    statements: dict[tuple[int, ...], StatementInstance | None] = {}
    for siblings in _siblings(body.statements):
        unrolled = _unrolled(siblings)
        joined = _joined(unrolled, body, taken) if unrolled and _stay(unrolled, body) else None
        if unrolled is not None and joined is not None:
            statements |= dict.fromkeys(one.position for one in unrolled.statements)
            statements[max(one.position for one in unrolled.statements)] = joined
    if not statements:
        return body
    kept = (statements.get(one.position, one) for one in body.statements)
    return replace(body, statements=tuple(one for one in kept if one is not None))


def _siblings(statements: Iterable[StatementInstance]) -> Iterator[list[StatementInstance]]:
    """Yield statements that write one array in one body under the same conditions."""
    found: dict[object, list[StatementInstance]] = {}
    for one in statements:
        key = one.position[:-1], one.target.array, one.guards
        found.setdefault(key, []).append(one)
    return (own for own in found.values() if 1 < len(own) <= _MOST_JOINED)


def _unrolled(siblings: Sequence[StatementInstance]) -> _WrittenGrid | None:
    """Return statements as writers of a grid; None if they aren't, or leave gaps between them."""
    targets = [one.target.subscripts for one in siblings]
    if not targets[0] or len({tuple(s.terms for s in own) for own in targets}) > 1:
        return None
    places = [tuple(s.constant for s in own) for own in targets]
    axes = [sorted({*own}) for own in zip(*places, strict=True)]
    if sorted(places) != [*product(*axes)]:
        return None
    hulls = {n: (low, high - 1) for n, (low, high) in hull_of(siblings[0].loops).items()}
    steps = [_step(own, axis, hulls) for own, axis in zip(targets[0], axes, strict=True)]
    by_place = dict(zip(places, siblings, strict=True))
    ordered = tuple(by_place[place] for place in sorted(places))
    array = siblings[0].target.array
    if ordered != (*siblings,) and any(a.array == array for one in siblings for a in one.reads):
        return None
    found = tuple(own for own in steps if own is not None)
    return _WrittenGrid(ordered, found) if len(found) == len(steps) else None


def _step(
    subscript: Affine, axis: Sequence[int], hulls: Mapping[str, tuple[int, int]]
) -> tuple[int, int] | None:
    """Return how many places there are and their distance, if no two iterations share one."""
    if len(axis) == 1:
        return 1, 0
    size, step = len(axis), axis[1] - axis[0]
    if [*axis] != [*range(axis[0], axis[-1] + 1, step)]:
        return None
    low, high = replace(subscript, constant=0).interval(hulls)
    is_between = step == 1 and all(factor % size == 0 for _, factor in subscript.terms)
    return (size, step) if is_between or high - low < step else None


def _stay(unrolled: _WrittenGrid, body: FlatSource) -> bool:
    """Return whether the last of the statements may do what all of them do."""
    array, places = unrolled.statements[0].target.array, [s.position for s in unrolled.statements]
    between = (
        one
        for one in body.statements
        if min(places) < one.position < max(places) and one.position not in places
    )
    touched = {array} | {a.array for one in unrolled.statements for a in one.reads}
    return all(
        one.target.array not in touched and all(a.array != array for a in one.reads)
        for one in between
    )


def _joined(unrolled: _WrittenGrid, body: FlatSource, taken: FreeNames) -> StatementInstance | None:
    """Return all statements as one; None where it would compute something twice for nothing."""
    values = [one.assign.value for one in unrolled.statements]
    target = unrolled.statements[0].target
    element = body.variables[target.array].element
    names = ["" if size == 1 else taken.fresh(f"{target.array}_part") for size, _ in unrolled.steps]
    axes = [(name, *own) for name, own in zip(names, unrolled.steps, strict=True) if name]
    joiner = _Joiner(lambda name: body.variables[name].element)
    most = max(map(_operations, values))
    for name, size, _ in reversed(axes):
        rows = [values[at : at + size] for at in range(0, len(values), size)]
        values = [joiner.joined(row, name, element) for row in rows]
    if not unrolled.is_strided and _operations(values[0]) > most:
        return None
    moves = [Affine.iterator(n).scaled(d) for n, (_, d) in zip(names, unrolled.steps, strict=True)]
    subscripts = tuple(own + m for own, m in zip(target.subscripts, moves, strict=True))
    assign = replace(
        min(unrolled.statements, key=lambda one: one.position).assign,
        target=ir.Access(target.array, subscripts),
        value=values[0],
    )
    last = max(unrolled.statements, key=lambda one: one.position)
    loops = tuple(
        RangeLoop(name, (Affine(),), (Affine.of(size),), (), "", assign.loc)
        for name, size, _ in axes
    )
    position = (*last.position, *(0 for _ in axes))
    return replace(last, assign=assign, loops=(*last.loops, *loops), position=position)


def _operations(value: ir.Expression) -> int:
    """Return how many operations a value takes; another sign is none."""
    parts = (part for part in ir.walk(value) if not ir.is_negation(part))
    return sum(isinstance(part, ir.Binary | ir.Call) for part in parts)


@dataclass(frozen=True, slots=True)
class _Joiner:
    """Makes one expression of several, the first of which counts at 0 of an iterator, and so on."""

    element_of: Callable[[str], ElementType]

    def joined(
        self, values: Sequence[ir.Expression], iterator: str, element: ElementType
    ) -> ir.Expression:
        """Return the value of a target of a type."""
        try:
            return self._one(values, iterator)
        except _DifferError:
            return _chosen([ir.Cast(element, value) for value in values], iterator)

    def _one(self, values: Sequence[ir.Expression], iterator: str) -> ir.Expression:
        """Return one expression for several.

        Raises
        ------
        _DifferError
            If their types differ, or conditions of other kinds.
        """
        if all(value == values[0] for value in values):
            return values[0]
        moved = _moved(values, iterator)
        if moved is not None:
            return moved
        alike = self._alike(values, iterator)
        if alike is not None:
            return alike
        types = {expression_type(value, self.element_of) for value in values}
        if len(types) > 1 or isinstance(values[0], ir.Compare | ir.Logic):
            raise _DifferError
        return _chosen(values, iterator)

    def _alike(self, values: Sequence[ir.Expression], iterator: str) -> ir.Expression | None:
        """Return one operation on operands that are chosen; None for different ones."""
        values = self._as_sums(values)
        operands = [ir.children(value) for value in values]
        shapes = {(type(value), len(own)) for value, own in zip(values, operands, strict=True)}
        if len(shapes) > 1 or not operands[0]:
            return None
        if any(ir.rebuild(value, operands[0]) != values[0] for value in values):
            return None
        try:
            own = tuple(self._one(each, iterator) for each in zip(*operands, strict=True))
        except _DifferError:
            return None
        return ir.rebuild(values[0], own)

    def _as_sums(self, values: Sequence[ir.Expression]) -> Sequence[ir.Expression]:
        """Return sums and differences of floats as sums."""
        sums = [value for value in values if isinstance(value, ir.Binary)]
        ops = {value.op for value in sums}
        if len(sums) < len(values) or ops != {ir.BinaryOp.ADD, ir.BinaryOp.SUB}:
            return values
        types = [expression_type(value.right, self.element_of) for value in sums]
        if not all(own is not None and own.is_float for own in types):
            return values
        return [_as_sum(value) for value in sums]


def _as_sum(value: ir.Binary) -> ir.Binary:
    if value.op is ir.BinaryOp.ADD:
        return value
    return ir.Binary(ir.BinaryOp.ADD, value.left, _negated(value.right))


def _negated(value: ir.Expression) -> ir.Expression:
    """Return a float with the other sign; of a product the last factor has it."""
    match value:
        case ir.Binary(ir.BinaryOp.MUL, left, right):
            return ir.Binary(ir.BinaryOp.MUL, left, _negated(right))
        case _:
            return negated(value)


def _moved(values: Sequence[ir.Expression], iterator: str) -> ir.Expression | None:
    """Return reads of an array, or indices, whose places follow each other evenly, as one."""
    first, second = values[0], values[1]
    step = Affine.iterator(iterator)
    found: ir.Expression | None = None
    match first, second:
        case ir.Read(one), ir.Read(two) if one.array == two.array:
            pairs = zip(one.subscripts, two.subscripts, strict=True)
            moves = [(own, other - own) for own, other in pairs]
            if all(not move.terms for _, move in moves):
                subscripts = tuple(own + step.scaled(move.constant) for own, move in moves)
                found = ir.Read(ir.Access(one.array, subscripts))
        case ir.Index(one), ir.Index(two) if not (two - one).terms:
            found = ir.Index(one + step.scaled((two - one).constant))
        case _:
            pass
    if found is None:
        return None
    told = [ir.substitute(found, {iterator: Affine.of(at)}) for at in range(len(values))]
    return found if told == [*values] else None


def _chosen(values: Sequence[ir.Expression], iterator: str) -> ir.Expression:
    """Return the value that an iterator chooses; neighbours that are the same count as one."""
    runs = [(value, len([*own])) for value, own in groupby(values)]
    found, left = runs[-1][0], len(values) - runs[-1][1]
    for value, length in reversed(runs[:-1]):
        is_own = ir.Compare(
            ir.CompareOp.LT, ir.Index(Affine.iterator(iterator)), ir.Literal(float(left))
        )
        found, left = ir.Select(is_own, value, found), left - length
    return found
