"""Guards over tile counters: what hardware compares, once the lanes are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from streamopt.ir.expression import (
    Compare,
    CompareOp,
    Condition,
    Logic,
    LogicOp,
    affine_difference,
    as_affine,
    walk,
)
from streamopt.ir.program import Loop


@dataclass(frozen=True, slots=True)
class TileTest:
    """A counter compared with a number."""

    tile: str
    op: CompareOp
    """``==``, or ``<``, or ``>=``."""
    bound: int


TileCondition: TypeAlias = tuple[frozenset[TileTest], ...]
"""Alternatives, each of tests that all hold; none for never, an empty one for always."""
ALWAYS: TileCondition = (frozenset(),)
NEVER: TileCondition = ()
_NO_TESTS = frozenset[TileTest]()


class UnknownConditionError(Exception):
    """A guard that isn't made of comparisons of one counter each."""


def over_tiles(
    condition: Condition | None, tiles: Sequence[Loop], lanes: Sequence[Loop]
) -> TileCondition:
    """Return where a condition holds in some of the lanes.

    Parameters
    ----------
    lanes
        Loops of which any iteration will do.

    Raises
    ------
    UnknownConditionError
        If a part compares more than one counter.
    """
    if condition is None:
        return ALWAYS
    trips = {loop.name: loop.trip_count for loop in tiles}
    found: dict[frozenset[TileTest], None] = {}
    for point in product(*(range(loop.trip_count) for loop in lanes)):
        at = dict(zip((loop.name for loop in lanes), point, strict=True))
        found |= dict.fromkeys(_at(condition, trips, at))
    return _shortened(found)


def iterators_in(condition: Condition | None) -> frozenset[str]:
    """Return the iterators that a condition depends on."""
    if condition is None:
        return frozenset()
    parts = (as_affine(part) for part in walk(condition))
    return frozenset(name for part in parts if part is not None for name in part.iterators())


def _shortened(found: Iterable[frozenset[TileTest]]) -> TileCondition:
    alternatives = [*found]
    return ALWAYS if frozenset() in alternatives else tuple(alternatives)


def _at(condition: Condition, trips: Mapping[str, int], at: Mapping[str, int]) -> TileCondition:
    match condition:
        case Compare():
            return _compared(condition, trips, at)
        case Logic(LogicOp.OR, operands):
            return _shortened(part for one in operands for part in _at(one, trips, at))
        case Logic(_, operands):
            parts = (_at(one, trips, at) for one in operands)
            return _shortened(_NO_TESTS.union(*chosen) for chosen in product(*parts))


def _compared(compare: Compare, trips: Mapping[str, int], at: Mapping[str, int]) -> TileCondition:
    difference = affine_difference(compare)
    if difference is None or not difference.is_linear:
        raise UnknownConditionError
    factors = difference.factors
    fixed = difference.constant + sum(f * at[name] for name, f in factors.items() if name in at)
    moving = [(name, factor) for name, factor in factors.items() if name not in at]
    if len(moving) > 1 or (moving and moving[0][0] not in trips):
        raise UnknownConditionError
    if not moving:
        return ALWAYS if compare.op.holds(fixed, 0) else NEVER
    name, factor = moving[0]
    trip = trips[name]
    inside = [value for value in range(trip) if compare.op.holds(factor * value + fixed, 0)]
    if len(inside) in (0, trip):
        return ALWAYS if inside else NEVER
    if len(inside) == 1:
        return (frozenset({TileTest(name, CompareOp.EQ, inside[0])}),)
    if inside == [*range(len(inside))]:
        return (frozenset({TileTest(name, CompareOp.LT, len(inside))}),)
    if inside == [*range(trip - len(inside), trip)]:
        return (frozenset({TileTest(name, CompareOp.GE, trip - len(inside))}),)
    return tuple(frozenset({TileTest(name, CompareOp.EQ, value)}) for value in inside)
