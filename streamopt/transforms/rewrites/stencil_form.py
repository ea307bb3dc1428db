"""Sequential nests as time steps of whole-array updates, each of which may stream.

Before::

    for t, i < 12, j < 6:
        if i < 6:  B[i + 1][j + 1] = A[i][j + 1] + A[i + 2][j + 1]
        if i >= 6: A[i - 5][j + 1] = B[i - 6][j + 1] + B[i - 4][j + 1]

After::

    for t:
        B[d0][d1] = A[d0 - 1][d1] + A[d0 + 1][d1]   # 1 <= d0 < 7, 1 <= d1 < 7
        A[d0][d1] = B[d0 - 1][d1] + B[d0 + 1][d1]   # likewise
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import combinations

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.graph import SequentialNode
from streamopt.ir.operators import CompareOp
from streamopt.ir.program import Loop, Statement

Span = tuple[int, int]
"""Lowest value, and the one after the highest."""


@dataclass(frozen=True, slots=True)
class Update:
    """Elements in a box of an array, computed from elements at constant distances."""

    array: str
    loops: tuple[str, ...]
    """Iterators, one for each dimension of the array; ``value`` is over these."""
    box: tuple[Span, ...]
    """By dimension, the elements that it computes; the others keep their values."""
    value: ir.Expression


@dataclass(frozen=True, slots=True)
class StencilForm:
    """``steps`` times all updates, one after the other."""

    steps: int
    updates: tuple[Update, ...]
    # before, after: updates that run once, ahead of the first step and behind the last one
    before: tuple[Update, ...] = ()
    after: tuple[Update, ...] = ()


@dataclass(frozen=True, slots=True)
class _Placed:
    """A statement by the iterations in which it runs."""

    statement: Statement
    spans: Mapping[str, Span]
    """By loop inside of the time loop."""


def stencil_form(node: SequentialNode) -> StencilForm | None:
    """Return the time steps of a nest; None if it has another form.

    Its outermost loop counts time, in a part of its iterations: no access uses it there. Each
    statement runs in a box, writes by plain iterators, reads what it writes at no other place, and
    in a step statements may run one after the other, each as a whole.
    """
    if len(node.loops) < 2 or any(s.reduction is not None for s in node.statements):
        return None
    time = node.loops[0].name
    found = [(statement, _spans(statement, node.loops)) for statement in node.statements]
    placed = [_Placed(statement, spans) for statement, spans in found if spans is not None]
    timed = {p.spans[time] for p in placed if not _uses(p.statement, time)}
    if len(placed) < len(found) or len(timed) != 1:
        return None
    ((first, end),) = timed
    parts: dict[str, list[_Placed]] = {"before": [], "step": [], "after": []}
    for one in placed:
        low, high = one.spans[time]
        if not _uses(one.statement, time):
            inside = {name: span for name, span in one.spans.items() if name != time}
            parts["step"].append(_Placed(one.statement, inside))
        elif high <= first or low >= end:
            parts["before" if high <= first else "after"].append(one)
        else:
            return None
    updates = {name: _updates(part) for name, part in parts.items()}
    before, step, after = (updates[name] for name in parts)
    if before is None or step is None or after is None:
        return None
    return StencilForm(end - first, step, before, after)


def _updates(placed: list[_Placed]) -> tuple[Update, ...] | None:
    """Return statements as updates, in an order in which each may run as a whole."""
    order = _in_order(placed)
    found = [None] if order is None else [_update(placed[at]) for at in order]
    updates = tuple(update for update in found if update is not None)
    return updates if len(updates) == len(found) else None


def _uses(statement: Statement, name: str) -> bool:
    """Return whether an iterator stands anywhere in a statement but in its guard."""
    affine = [s for access in statement.accesses for s in access.subscripts]
    affine += [part.value for part in ir.walk(statement.value) if isinstance(part, ir.Index)]
    return any(name in value.iterators() for value in affine)


def _spans(statement: Statement, loops: Sequence[Loop]) -> dict[str, Span] | None:
    """Return where a statement runs, by loop; None where its guard says more than a box."""
    spans = {loop.name: (0, loop.trip_count) for loop in loops}
    for part in ir.conjuncts(statement.guard) if statement.guard is not None else ():
        bound = _bound(part)
        if bound is None:
            return None
        name, (low, high) = bound
        first, end = spans[name]
        spans[name] = (max(first, low), min(end, high))
    return spans if all(low < high for low, high in spans.values()) else None


_FAR = 1 << 31


def _bound(condition: ir.Condition) -> tuple[str, Span] | None:
    """Return a condition on one iterator as bounds; None for others."""
    if not isinstance(condition, ir.Compare):
        return None
    op, value = condition.op, ir.affine_difference(condition)
    if value is None:
        return None
    names = value.iterators()
    if len(names) != 1 or not value.is_linear or value.factors[names[0]] not in (1, -1):
        return None
    if value.factors[names[0]] < 0:
        value, op = value.scaled(-1), op.mirrored
    at = -value.constant
    spans = {
        CompareOp.LT: (-_FAR, at),
        CompareOp.LE: (-_FAR, at + 1),
        CompareOp.GT: (at + 1, _FAR),
        CompareOp.GE: (at, _FAR),
        CompareOp.EQ: (at, at + 1),
    }
    return (names[0], spans[op]) if op in spans else None


def _in_order(placed: list[_Placed]) -> tuple[int, ...] | None:
    """Return an order in which statements may run one after the other, each as a whole."""
    before: dict[int, set[int]] = {at: set() for at in range(len(placed))}
    for statement in placed:
        if any(distance != 0 for distance in _distances(statement, statement)):
            return None
    for first, second in combinations(range(len(placed)), 2):
        for distance in _distances(placed[first], placed[second]):
            if distance is None:
                return None
            earlier, later = (first, second) if distance >= 0 else (second, first)
            before[later].add(earlier)
    try:
        return tuple(TopologicalSorter(before).static_order())
    except CycleError:
        return None


def _distances(first: _Placed, second: _Placed) -> Iterator[int | None]:
    """Yield whether a statement meets elements of another one later, at once or earlier.

    That is 1, 0 or -1 for each pair of accesses; None where it differs or isn't seen.
    """
    writes = first.statement.target, second.statement.target
    for one, other in (
        *((writes[0], access) for access in second.statement.accesses),
        *((access, writes[1]) for access in first.statement.accesses),
    ):
        if one.array == other.array and _may_meet(one, first.spans, other, second.spans):
            yield _distance(one, first.spans, other, second.spans)


def _reach(value: Affine, spans: Mapping[str, Span]) -> Span:
    low, high = value.interval({name: (low, high - 1) for name, (low, high) in spans.items()})
    return low, high + 1


def _may_meet(
    one: ir.Access, here: Mapping[str, Span], other: ir.Access, there: Mapping[str, Span]
) -> bool:
    pairs = (
        (_reach(a, here), _reach(b, there))
        for a, b in zip(one.subscripts, other.subscripts, strict=True)
    )
    return all(a[0] < b[1] and b[0] < a[1] for a, b in pairs)


def _distance(
    one: ir.Access, here: Mapping[str, Span], other: ir.Access, there: Mapping[str, Span]
) -> int | None:
    shifts: dict[str, int] = {}
    for a, b in zip(one.subscripts, other.subscripts, strict=True):
        names = {*a.iterators(), *b.iterators()}
        if a.terms == b.terms and len(names) == 1 and a.factors == dict.fromkeys(names, 1):
            shifts[names.pop()] = a.constant - b.constant
    for name, span in here.items():
        if span[1] <= there[name][0]:
            return 1
        if there[name][1] <= span[0]:
            return -1
        pinned = span == there[name] and span[1] - span[0] == 1
        shift = 0 if pinned else shifts.get(name)
        if shift is None:
            return None
        if shift:
            return 1 if shift > 0 else -1
    return 0


def _update(placed: _Placed) -> Update | None:
    """Return a statement over the elements that it writes; None if other iterators move."""
    target, spans = placed.statement.target, placed.spans
    at = {name: Affine.of(low) for name, (low, high) in spans.items() if high - low == 1}
    loops: list[str] = []
    box: list[Span] = []
    for dimension, subscript in enumerate(target.subscripts):
        moving = [name for name in subscript.iterators() if name not in at]
        low, high = _reach(subscript, spans)
        if not moving:
            loops.append(f"d{dimension}")
        elif len(moving) == 1 and subscript.factors == {moving[0]: 1} and subscript.is_linear:
            loops.append(moving[0])
            place = Affine.iterator(moving[0])
            at[moving[0]] = place - Affine.of(subscript.constant)
        else:
            return None
        box.append((low, high))
    if set(at) != set(spans) or len(set(loops)) < len(loops) or not loops:
        return None
    value = ir.substitute(placed.statement.value, at)
    return Update(target.array, tuple(loops), tuple(box), value)
