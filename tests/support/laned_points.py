"""Iterations of sequential nodes as built, enumerated one by one."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from streamopt.ir import expression as ir
from streamopt.ir.operators import CompareOp, LogicOp
from streamopt.ir.stepping.stepped import LanedPhase

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.stepping.stepped import LanedItem
    from streamopt.ir.stepping.steps import StepLoop

Point = dict[str, int]
_COMPARE = {
    CompareOp.EQ: int.__eq__,
    CompareOp.NE: int.__ne__,
    CompareOp.LT: int.__lt__,
    CompareOp.LE: int.__le__,
    CompareOp.GT: int.__gt__,
    CompareOp.GE: int.__ge__,
}


def holds(condition: ir.Condition | None, point: Mapping[str, int]) -> bool:
    """Return whether an affine condition holds at a point."""
    match condition:
        case None:
            return True
        case ir.Compare(op, left, right):
            sides = [ir.as_affine(side) for side in (left, right)]
            a, b = (int(side.evaluate(point)) for side in sides if side is not None)
            return bool(_COMPARE[op](a, b))
        case ir.Logic(LogicOp.AND, operands):
            return all(holds(one, point) for one in operands)
        case ir.Logic(_, operands):
            return any(holds(one, point) for one in operands)


def points_of(loops: Sequence[StepLoop], point: Point) -> Iterator[Point]:
    """Yield the iterations of loops, in order, from a point on."""
    if not loops:
        yield point
        return
    first, *rest = loops
    low = max(int(bound.evaluate(point)) for bound in first.lower)
    high = min(int(bound.evaluate(point)) for bound in first.upper)
    for value in range(low, high):
        assert first.least <= value < first.end, first
        yield from points_of(rest, {**point, first.name: value})


def visits(items: Sequence[LanedItem], point: Point) -> Iterator[tuple[LanedPhase, Point]]:
    """Yield the phases in order, with the iterators of the loops around."""
    for item in items:
        if isinstance(item, LanedPhase):
            yield item, point
        else:
            for inner in points_of([item.loop], point):
                yield from visits(item.items, inner)


def lanes_with_work(laned: LanedPhase, tile: Point) -> Iterator[Point]:
    """Yield the iterators of the lanes that work in an iteration of the tile loops."""
    counts = dict(laned.lanes)
    names = [loop.name for loop in laned.tiles]
    for lanes in product(*(range(counts.get(name, 1)) for name in names)):
        own = {n: tile[n] * counts.get(n, 1) + at for n, at in zip(names, lanes, strict=True)}
        point = {**tile, **own}
        if holds(laned.guard, point):
            yield point
