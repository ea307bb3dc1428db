"""Guards over tile counters: what hardware compares, once the lanes are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd
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
from streamopt.rtl.kernel.subscripts import TileSum, UnknownPlaceError, sum_at


@dataclass(frozen=True, slots=True)
class TileTest:
    """A counter, or a sum over counters, compared with a number."""

    compared: TileSum
    name: str
    """Of the counter; of a sum, its parts."""
    op: CompareOp
    """``==``, ``!=``, ``<`` or ``>=``."""
    bound: int


TileCondition: TypeAlias = tuple[frozenset[TileTest], ...]
"""Alternatives, each of tests that all hold; none for never, an empty one for always."""
ALWAYS: TileCondition = (frozenset(),)
NEVER: TileCondition = ()
_NO_TESTS = frozenset[TileTest]()


class UnknownConditionError(Exception):
    """A guard that isn't made of comparisons of affine sums."""


def over_tiles(
    condition: Condition | None,
    tiles: Sequence[Loop],
    lanes: Sequence[Loop],
    fixed: Mapping[str, int] | None = None,
) -> TileCondition:
    """Return where a condition holds in some of the lanes.

    Parameters
    ----------
    lanes
        Loops of which any iteration will do.
    fixed
        Iterations of other lanes.

    Raises
    ------
    UnknownConditionError
        If a part compares what no register counts.
    """
    if condition is None:
        return ALWAYS
    found: dict[frozenset[TileTest], None] = {}
    for point in product(*(range(loop.trip_count) for loop in lanes)):
        at = dict(zip((loop.name for loop in lanes), point, strict=True))
        found |= dict.fromkeys(_at(condition, tiles, at | dict(fixed or {})))
        if _NO_TESTS in found:
            return ALWAYS
    return _shortened(found)


def iterators_in(condition: Condition | None) -> frozenset[str]:
    """Return the iterators that a condition depends on."""
    if condition is None:
        return frozenset()
    parts = (as_affine(part) for part in walk(condition))
    return frozenset(name for part in parts if part is not None for name in part.iterators())


def both(left: TileCondition, right: TileCondition) -> TileCondition:
    """Return where both of two conditions hold."""
    return _shortened(one | other for one in left for other in right)


def _shortened(found: Iterable[frozenset[TileTest]]) -> TileCondition:
    alternatives = [*dict.fromkeys(found)]
    return ALWAYS if _NO_TESTS in alternatives else tuple(alternatives)


def _at(condition: Condition, tiles: Sequence[Loop], at: Mapping[str, int]) -> TileCondition:
    match condition:
        case Compare():
            return _compared(condition, tiles, at)
        case Logic(LogicOp.OR, operands):
            return _shortened(part for one in operands for part in _at(one, tiles, at))
        case Logic(_, operands):
            parts = (_at(one, tiles, at) for one in operands)
            return _shortened(_NO_TESTS.union(*chosen) for chosen in product(*parts))


def _compared(compare: Compare, tiles: Sequence[Loop], at: Mapping[str, int]) -> TileCondition:
    difference = affine_difference(compare)
    if difference is None:
        raise UnknownConditionError
    try:
        total, fixed = sum_at(difference, tiles, at)
    except UnknownPlaceError:
        raise UnknownConditionError from None
    if total.is_constant:
        return ALWAYS if compare.op.holds(fixed, 0) else NEVER
    moving = [position for position, step in enumerate(total.steps) if step]
    if total.digits or len(moving) > 1:
        return _summed(compare.op, total, fixed, tiles)
    tile, factor = tiles[moving[0]], total.steps[moving[0]]
    trip = tile.trip_count
    inside = [value for value in range(trip) if compare.op.holds(factor * value + fixed, 0)]

    def alternative(op: CompareOp, bound: int) -> frozenset[TileTest]:
        counter = TileSum(tuple(int(at == moving[0]) for at in range(len(tiles))))
        return frozenset({TileTest(counter, tile.name, op, bound)})

    if len(inside) in (0, trip):
        return ALWAYS if inside else NEVER
    if len(inside) == 1:
        return (alternative(CompareOp.EQ, inside[0]),)
    if inside == [*range(len(inside))]:
        return (alternative(CompareOp.LT, len(inside)),)
    if inside == [*range(trip - len(inside), trip)]:
        return (alternative(CompareOp.GE, trip - len(inside)),)
    return tuple(alternative(CompareOp.EQ, value) for value in inside)


def _summed(op: CompareOp, total: TileSum, fixed: int, tiles: Sequence[Loop]) -> TileCondition:
    """Return the comparison of a sum of several counters with a constant."""
    low, high = total.bounds(tiles)
    truth = op.truth(low + fixed, high + fixed)
    if truth is not None:
        return ALWAYS if truth else NEVER
    bound, common = -fixed, gcd(*total.factors)
    if op in (CompareOp.LE, CompareOp.GT):
        op, bound = (CompareOp.LT if op is CompareOp.LE else CompareOp.GE), bound + 1
    if op in (CompareOp.EQ, CompareOp.NE) and bound % common:
        return ALWAYS if op is CompareOp.NE else NEVER
    total, bound = total.divided(common), -(-bound // common)
    parts = [
        f"{factor}{tile.name}" if factor != 1 else tile.name
        for factor, tile in zip(total.steps, tiles, strict=True)
        if factor
    ]
    name = "_plus_".join([*parts, *("digit" for _ in total.digits)]).replace("-", "minus_")
    return (frozenset({TileTest(total, name, op, bound)}),)
