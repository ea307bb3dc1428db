"""Loops split in two: one over rows, and one over the places of a row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from streamopt.analysis.instances import StatementInstance, hull_of
from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod
from streamopt.ir.algebra.divisions import placed
from streamopt.ir.expression import (
    Access,
    Expression,
    Index,
    Read,
    walk,
)
from streamopt.ir.source import RangeLoop
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.restructure.flat_source import FlatSource, with_affines, with_values


@dataclass(frozen=True, slots=True)
class SplitLoop:
    """A loop over elements as one over rows and one over the elements of a row."""

    loops: tuple[RangeLoop, RangeLoop]
    value: Affine


def split_loop(loop: RangeLoop, stride: int, taken: FreeNames) -> SplitLoop | None:
    """Return a loop as one over rows of so many iterations; None if it has no whole rows."""
    (first, *starts), (end, *ends) = loop.lower, loop.upper
    if starts or ends or first.terms or end.terms or (end.constant - first.constant) % stride:
        return None
    trips = end.constant - first.constant
    if trips <= stride:
        return None
    row, place = taken.fresh(f"{loop.iterator}_row"), taken.fresh(f"{loop.iterator}_place")
    rows, places = Affine.of(trips // stride), Affine.of(stride)
    value = Affine.iterator(row).scaled(stride) + Affine.iterator(place) + first
    loops = (
        replace(loop, iterator=row, lower=(Affine(),), upper=(rows,), variable="", value=None),
        RangeLoop(place, (Affine(),), (places,), (), "", loop.loc),
    )
    return SplitLoop(loops, value)


def over_split_loops(
    instance: StatementInstance, found: Mapping[str, SplitLoop]
) -> StatementInstance:
    """Return a statement in split loops instead of those that were split."""
    if not found.keys() & {*instance.iterators}:
        return instance
    values = {iterator: split.value for iterator, split in found.items()}
    changed = with_values(instance, values)
    loops: list[RangeLoop] = []
    position = [instance.position[0]]
    for loop, place in zip(changed.loops, instance.position[1:], strict=True):
        split = found.get(loop.iterator)
        loops += [loop] if split is None else split.loops
        position += [place] if split is None else [0, place]
    return replace(changed, loops=tuple(loops), position=tuple(position))


def with_split_counters(body: FlatSource) -> FlatSource:
    """Split loops of which rows and places are told apart by a division.

    Before: ``for n in 0 .. 192: { if (n % 16 == 0) s = 0; s = s + a[n]; }``
    After:  ``for n_row in 0 .. 12: for n_place in 0 .. 16: { if (n_place == 0) s = 0; ... }``

    Legal as the order of iterations stays.
    """
    taken = FreeNames(iterator for instance in body.statements for iterator in instance.iterators)
    while True:
        strides: dict[str, int] = {}
        for instance in body.statements:
            for name, stride in _divided(instance):
                strides[name] = max(stride, strides.get(name, 0))
        loops = {loop.iterator: loop for one in body.statements for loop in one.loops}
        split = {name: split_loop(loops[name], stride, taken) for name, stride in strides.items()}
        found = {name: own for name, own in split.items() if own is not None}
        if not found:
            return body
        statements = (_decided(over_split_loops(one, found)) for one in body.statements)
        body = replace(body, statements=tuple(statements))


def is_divided(instance: StatementInstance) -> bool:
    """Return whether a statement tells rows and places of a loop apart by a division."""
    return any(_divided(instance))


def _divided(instance: StatementInstance) -> Iterator[tuple[str, int]]:
    """Yield iterators that are divided as they are, with the divisors."""
    for value in _affines((*instance.guards, instance.assign.value), instance.target):
        for atom, _ in value.terms:
            match atom:
                case FloorDiv(inner, divisor) | Mod(inner, divisor):
                    name = inner.as_iterator()
                    if name is not None:
                        yield name, divisor
                case Iter():
                    pass


def _affines(values: Sequence[Expression], target: Access) -> Iterator[Affine]:
    yield from target.subscripts
    for part in (part for value in values for part in walk(value)):
        match part:
            case Index(value):
                yield value
            case Read(access):
                yield from access.subscripts
            case _:
                pass


def _decided(instance: StatementInstance) -> StatementInstance:
    """Return a statement without divisions that its loops decide."""
    hulls = hull_of(instance.loops)
    trips = {name: high for name, (low, high) in hulls.items() if low >= 0}
    same = {name: Affine.iterator(name) for name in trips}

    def decided(value: Affine) -> Affine:
        return placed(value, same, trips) if {*value.iterators()} <= trips.keys() else value

    return with_affines(instance, decided)
