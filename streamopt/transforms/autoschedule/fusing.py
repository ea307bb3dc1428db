"""Neighbours in an order run together: loops in one loop, phases in one phase.

Before::

    for i in order: phase j: ey[i][j] = ..
    for i in order: phase j: ex[i][j] = ..

After::

    for i in order: phase j: ey[i][j] = .. , ex[i][j] = ..

A phase that needs another one's results may run some rows behind it (`with_shifted_phases`)::

    phase i, j: ey[i][j] = ..                for i in order, some more than there are:
    phase i, j: hz[i][j] = .. ey[i + 1][j]     phase j: ey[i][j] = .. , hz[i - 6][j] = ..

Whether that is legal is for others to say.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.transforms.autoschedule.orders import (
    InOrder,
    OrderedLoop,
    SharedIterations,
    pieces_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.transforms.autoschedule.orders import SunkItem
    from streamopt.transforms.autoschedule.pieces import OrderProblem


def with_fused_neighbours(
    problem: OrderProblem, items: tuple[SunkItem, ...]
) -> Iterator[tuple[SunkItem, ...]]:
    """Yield orders in which two neighbours are one."""
    for at, (first, second) in enumerate(pairwise(items)):
        for one in _together(problem, first, second):
            yield (*items[:at], one, *items[at + 2 :])
    for at, item in enumerate(items):
        if isinstance(item, InOrder):
            for inner in with_fused_neighbours(problem, item.items):
                yield (*items[:at], InOrder(item.loop, inner), *items[at + 1 :])


def _together(problem: OrderProblem, first: SunkItem, second: SunkItem) -> Iterator[SunkItem]:
    """Yield one item for two: with iterators as they are, and counted from the first iterations."""
    match first, second:
        case InOrder(), InOrder():
            items = (*first.items, *second.items)
            inner = next(with_fused_neighbours(problem, items), items)
            yield InOrder(
                _joined(problem, [first, second], [first.loop, second.loop], (0, 0)), inner
            )
        case SharedIterations(), SharedIterations() if len(first.loops) == len(second.loops):
            yield _merged(problem, (first, second), 0, None)
            yield _merged(problem, (first, second), 0, (0, 0))
        case _:
            pass


def _merged(
    problem: OrderProblem,
    groups: Sequence[SharedIterations],
    outside: int,
    delays: Sequence[int] | None,
) -> SharedIterations:
    """Return one group of several, without some outer loops."""
    loops = tuple(
        _joined(problem, groups, [group.loops[level] for group in groups], delays)
        for level in range(outside, len(groups[0].loops))
    )
    return SharedIterations(loops, tuple(piece for group in groups for piece in group.pieces))


def _joined(
    problem: OrderProblem,
    items: Sequence[SunkItem],
    loops: Sequence[OrderedLoop],
    delays: Sequence[int] | None,
) -> OrderedLoop:
    """Return one loop of several, which begin at 0 but for their delays, or stay as they are."""
    values: dict[int, Affine] = {}
    for at, (item, loop) in enumerate(zip(items, loops, strict=True)):
        own = {piece: loop.values[piece] for piece in pieces_in((item,))}
        move = Affine()
        if delays is not None:
            least = min(_least(problem, piece, value) for piece, value in own.items())
            move = Affine.of(delays[at] - least)
        values |= {piece: value + move for piece, value in own.items()}
    return OrderedLoop(values, is_parallel=loops[0].is_parallel, body=())


def _least(problem: OrderProblem, piece: int, value: Affine) -> int:
    return int(problem.values_at(piece, [value]).range().dim_min_val(0).to_python())


def with_shifted_phases(
    problem: OrderProblem, items: tuple[SunkItem, ...], delay: int
) -> tuple[SunkItem, ...] | None:
    """Return an order with groups of two loops and more in one, None if there are none.

    Parameters
    ----------
    delay
        Iterations of their outer loop by which a group comes behind those that it depends on.
    """
    if len(items) == 1 and isinstance(items[0], InOrder):
        inner = with_shifted_phases(problem, items[0].items, delay)
        return None if inner is None else (InOrder(items[0].loop, inner),)
    groups = [item for item in items if isinstance(item, SharedIterations)]
    depths = {len(group.loops) for group in groups}
    if len(groups) < max(2, len(items)) or len(depths) > 1 or min(depths) < 2:
        return None
    if len({_operations(problem, group) for group in groups}) == 1:
        return None  # one set of operators serves them in turn
    # each piece as early as it may be: a value is far from its readers then
    groups = [SharedIterations(group.loops, (piece,)) for group in groups for piece in group.pieces]
    delays: list[int] = []
    for at, group in enumerate(groups):
        needed = [
            delays[earlier] + (delay if _depends(problem, groups[earlier], group) else 0)
            for earlier in range(at)
        ]
        delays.append(max(needed, default=0))
    outer = _joined(problem, groups, [group.loops[0] for group in groups], delays)
    return (InOrder(outer, (_merged(problem, groups, 1, [0] * len(groups)),)),)


def _operations(problem: OrderProblem, group: SharedIterations) -> tuple[tuple[str, int], ...]:
    counted = Counter(
        str(part.op)
        for piece in group.pieces
        for part in ir.walk(problem.statement(piece).value)
        if isinstance(part, ir.Binary)
    )
    return tuple(sorted(counted.items()))


def _depends(problem: OrderProblem, first: SharedIterations, second: SharedIterations) -> bool:
    return any(
        one.source in first.pieces and one.sink in second.pieces for one in problem.orderings
    )
