"""One statement as a streaming nest: every element of its array written once, as a whole.

A reduction keeps what it starts from: the element of the array before it. Where a statement can't
be brought to this form, `StreamRefusedError` says what stands against it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from streamopt.analysis.coverage import touches_once
from streamopt.analysis.instances import StatementInstance, bound_conditions, hull_of
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.program import Loop, Statement
from streamopt.transforms.restructure.conditions import conjunction
from streamopt.transforms.restructure.loops.joined_loops import joined_loop, over_joined_loop
from streamopt.transforms.restructure.reductions import Recognized, recognized


class StreamRefusedError(Exception):
    """Why a statement can't be a streaming nest, in words."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """New loops from 0, and the old iterators by the new ones."""

    trips: dict[str, int]
    iterators: dict[str, Affine]
    conditions: tuple[ir.Condition, ...]


def streaming_nest(
    instance: StatementInstance,
    shape: Sequence[int],
    *,
    keeps_old: bool,
    starts_old: bool,
    fills: bool = False,
) -> tuple[tuple[Loop, ...], Statement]:
    """Return loops and statement of a streaming nest; reads of the array are of its old version.

    Before: ``for i, j in 0 .. i + 1: A[i][j] = A[i][j] * beta      # the rest is used later``
    After:  ``for i, j: A_1[i][j] = A[i][j] * beta if j <= i else A[i][j]``

    Parameters
    ----------
    shape
        Of the array that is written.
    keeps_old
        Whether elements that the statement doesn't write are needed afterwards.
    starts_old
        Whether a reduction's first term meets what the array held before.
    fills
        Whether elements that the statement doesn't write are undefined, but copied afterwards.

    Raises
    ------
    StreamRefusedError
        If an element would be written more than once, or the untouched ones can't be copied.
    """
    if any(low >= high for low, high in hull_of(instance.loops).values()):
        raise StreamRefusedError("it never runs")
    for at, extent in enumerate(shape):
        number = joined_loop(instance, at, extent)
        instance = instance if number is None else over_joined_loop(instance, number)
    hulls, target = hull_of(instance.loops), instance.target
    step = recognized(target, instance.assign.value)
    used = target.iterators()
    idle = [name for name, (low, high) in hulls.items() if name not in used and high - low > 1]
    if idle and step is None:
        names = ", ".join(variable_of(name, instance) for name in idle)
        message = f"{told(target, instance)} is assigned again for every {names}"
        raise StreamRefusedError(message)
    reduces = step is not None and bool(idle)
    frame = _boxed(instance)
    guard = conjunction(frame.conditions, frame.trips)
    if guard is False:
        raise StreamRefusedError("it never runs")
    partial = guard is not True or not _is_whole(instance, frame, shape)
    if partial and (keeps_old or fills or guard is not True):
        frame = _whole_array(instance, shape)
        guard = conjunction(frame.conditions, frame.trips)
    _check_once(_whole_target(instance, frame), frame.trips, shape)
    if step is not None and reduces:
        statement = _reduction(instance, step, frame, guard, starts_old=starts_old or keeps_old)
    else:
        statement = _assignment(instance, frame, guard, keeps_old=keeps_old)
    return tuple(Loop(name, trip) for name, trip in frame.trips.items()), statement


def _boxed(instance: StatementInstance) -> _Frame:
    """Return the loops over the hulls of the iterators, from 0."""
    hulls = hull_of(instance.loops)
    trips = {name: high - low for name, (low, high) in hulls.items()}
    moved = {n: Affine.iterator(n) + Affine.of(low) for n, (low, _) in hulls.items()}
    return _Frame(trips, moved, _conditions(instance, moved))


def _conditions(
    instance: StatementInstance, iterators: Mapping[str, Affine], extra: Sequence[ir.Condition] = ()
) -> tuple[ir.Condition, ...]:
    bounds = [c for loop in instance.loops for c in bound_conditions(loop)]
    changed = (ir.substitute_condition(c, iterators) for c in (*bounds, *instance.guards))
    return (*extra, *changed)


def _is_whole(instance: StatementInstance, frame: _Frame, shape: Sequence[int]) -> bool:
    """Return whether the loops over the target's iterators touch each element once."""
    target = instance.target.substitute(frame.iterators)
    points = prod(frame.trips[name] for name in target.iterators())
    return points == prod(shape) and touches_once(target, frame.trips, shape)


def _whole_array(instance: StatementInstance, shape: Sequence[int]) -> _Frame:
    """Return loops over the whole array instead of the statement's own parallel ones.

    Every subscript must be an iterator plus a constant, or a constant.
    """
    hulls = hull_of(instance.loops)
    moved = {n: Affine.iterator(n) + Affine.of(low) for n, (low, _) in hulls.items()}
    trips = {name: high - low for name, (low, high) in hulls.items()}
    seen: set[str] = set()
    extra: list[ir.Condition] = []
    added: dict[str, int] = {}
    for dimension, (subscript, extent) in enumerate(
        zip(instance.target.subscripts, shape, strict=True)
    ):
        match subscript.terms:
            case ((Iter(name), 1),) if name not in seen:
                seen.add(name)
                moved[name] = Affine.iterator(name) - Affine.of(subscript.constant)
                trips[name] = extent
            case ((Iter(_), 1),) | ():
                fresh = _fresh(dimension, {*trips, *added})
                added[fresh] = extent
                value = ir.Index(subscript.substitute(moved))
                extra.append(ir.Compare(ir.CompareOp.EQ, ir.Index(Affine.iterator(fresh)), value))
            case _:
                message = (
                    f"{told(instance.target, instance)} leaves out elements that are needed later"
                )
                message += _rows_hint(instance, shape)
                raise StreamRefusedError(message)
    return _Frame({**added, **trips}, moved, _conditions(instance, moved, extra))


def _rows_hint(instance: StatementInstance, shape: Sequence[int]) -> str:
    """Return the declaration that would let an array of one dimension that holds rows stream."""
    coefficients = [abs(c) for s in instance.target.subscripts for _, c in s.terms]
    row = max(coefficients, default=1)
    if len(shape) != 1 or len(coefficients) < 2 or row == 1 or shape[0] % row:
        return ""
    return f"; declare {instance.target.array}[{shape[0] // row}][{row}] to let it stream"


def _fresh(dimension: int, taken: set[str]) -> str:
    number = dimension
    while f"d{number}" in taken:
        number += 1
    return f"d{number}"


def _whole_target(instance: StatementInstance, frame: _Frame) -> ir.Access:
    """Return the target by the new iterators; a subscript that was added is its own iterator."""
    target = instance.target
    names = [name for name in frame.trips if name not in frame.iterators]
    seen: set[str] = set()
    subscripts: list[Affine] = []
    for subscript in target.subscripts:
        plain = subscript.terms[0][0] if len(subscript.terms) == 1 else None
        again = isinstance(plain, Iter) and plain.name in seen
        if names and (again or not subscript.terms):
            subscripts.append(Affine.iterator(names.pop(0)))
        else:
            subscripts.append(subscript.substitute(frame.iterators))
        seen.update(subscript.iterators())
    return ir.Access(target.array, tuple(subscripts))


def _check_once(target: ir.Access, trips: Mapping[str, int], shape: Sequence[int]) -> None:
    if not touches_once(target, trips, shape):
        raise StreamRefusedError(f"{target} names an element at more than one iteration")


def _assignment(
    instance: StatementInstance, frame: _Frame, guard: ir.Condition | bool, *, keeps_old: bool
) -> Statement:
    target = _whole_target(instance, frame)
    value = ir.substitute(instance.assign.value, frame.iterators)
    if guard is not True and guard is not False:
        other: ir.Expression = ir.Read(target) if keeps_old else ir.Literal(0.0)
        value = ir.Select(guard, value, other)
    return Statement(target, value, loc=instance.assign.loc)


def _reduction(
    instance: StatementInstance,
    step: Recognized,
    frame: _Frame,
    guard: ir.Condition | bool,
    *,
    starts_old: bool,
) -> Statement:
    target = _whole_target(instance, frame)
    return Statement(
        target,
        ir.substitute(step.term, frame.iterators),
        step.reduction,
        ir.Read(target) if starts_old else None,
        None if isinstance(guard, bool) else guard,
        instance.assign.loc,
    )


def told(access: ir.Access, instance: StatementInstance) -> str:
    """Return an access of a statement with the variables that the user counts."""
    back: dict[str, Affine] = {}
    for loop in instance.loops:
        step = dict(loop.value.terms).get(Iter(loop.iterator)) if loop.value else None
        if loop.value is None or step not in (1, -1):
            continue
        start = loop.value - Affine.iterator(loop.iterator).scaled(step)
        variable = Affine.iterator(loop.variable)
        back[loop.iterator] = (variable - start.substitute(back)).scaled(step)
    names = [loop.variable or loop.iterator for loop in instance.loops]
    subscripts = (subscript.substitute(back).ordered(names) for subscript in access.subscripts)
    return str(ir.Access(access.array, tuple(subscripts)))


def variable_of(iterator: str, instance: StatementInstance) -> str:
    """Return the name of an iterator in the source."""
    return next((p.variable for p in instance.loops if p.iterator == iterator), "") or iterator
