"""The copies of an access in the unrolled body: which element each lane touches, and whether.

A lane whose guard can't hold at any iteration has no access: of ``if (k == 0)`` in ten lanes
along k one is left.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import assert_never

from streamopt.analysis.phase_reads import may_hold
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.network import Pipeline, Port


@dataclass(frozen=True, slots=True)
class LaneAccess:
    """An access of one lane."""

    port: Port
    subscripts: tuple[Affine, ...]
    """Over tile iterators alone: equal subscripts are one element in every iteration."""


def lane_accesses(port: Port, pipeline: Pipeline) -> Iterator[LaneAccess]:
    """Yield the accesses of a port in one iteration, one for each lane that can have it.

    Lanes that differ only in iterators of which neither subscripts nor guard know have the same
    access; it is yielded once, see `repeats`.
    """
    lanes = {loop.name: loop.trip_count for loop in pipeline.lanes}
    tiles = {loop.name: loop.trip_count for loop in pipeline.tiles}
    guarding = [name for name in condition_iterators(port.guard) if name in lanes]
    placing = {name for s in port.subscripts for name in s.iterators() if name in lanes}
    names = [*guarding, *sorted(placing - set(guarding))]
    holds: dict[tuple[int, ...], bool] = {}
    for point in product(*(range(lanes[name]) for name in names)):
        key = point[: len(guarding)]
        if key not in holds:
            holds[key] = _guard_may_hold(port.guard, guarding, key, tiles)
        if holds[key]:
            lane = {n: Affine.of(value) for n, value in zip(names, point, strict=True)}
            yield LaneAccess(port, tuple(s.substitute(lane) for s in port.subscripts))


def lanes_at_each_place(port: Port, pipeline: Pipeline) -> int | None:
    """Return how many of `lane_accesses` go to each place that the lanes of subscripts lead to.

    That is one number where the guard knows none of these lanes: the points of its own at which
    it may hold. None elsewhere.
    """
    lanes = {loop.name: loop.trip_count for loop in pipeline.lanes}
    placing = {name for subscript in port.subscripts for name in subscript.iterators()}
    guarding = [name for name in condition_iterators(port.guard) if name in lanes]
    if placing & set(guarding):
        return None
    tiles = {loop.name: loop.trip_count for loop in pipeline.tiles}
    points = product(*(range(lanes[name]) for name in guarding))
    return sum(_guard_may_hold(port.guard, guarding, point, tiles) for point in points)


def repeats(port: Port, pipeline: Pipeline) -> int:
    """Return how many lanes have each access that `lane_accesses` yields."""
    known = {*condition_iterators(port.guard), *(n for s in port.subscripts for n in s.iterators())}
    return prod(loop.trip_count for loop in pipeline.lanes if loop.name not in known)


def _guard_may_hold(
    guard: ir.Condition | None, names: list[str], point: tuple[int, ...], tiles: Mapping[str, int]
) -> bool:
    if guard is None:
        return True
    lane = {name: Affine.of(value) for name, value in zip(names, point, strict=True)}
    return may_hold(ir.substitute_condition(guard, lane), tiles)


def condition_iterators(condition: ir.Condition | None) -> tuple[str, ...]:
    """Return the iterators in an affine condition, each once; none for no condition."""
    match condition:
        case None:
            return ()
        case ir.Compare(_, left, right):
            sides = (side.value for side in (left, right) if isinstance(side, ir.Index))
            return tuple(dict.fromkeys(name for side in sides for name in side.iterators()))
        case ir.Logic(_, operands):
            found = (name for operand in operands for name in condition_iterators(operand))
            return tuple(dict.fromkeys(found))
        case _:
            assert_never(condition)
