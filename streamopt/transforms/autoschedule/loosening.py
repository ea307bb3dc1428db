"""Loops in order that needn't be: isl leaves them where a loop around is parallel already.

Before (a triangular system for many right-hand sides, as isl has it)::

    in order i:  in order k:  phase j: B[i][j] = .. B[k][j];  B[i][j] = B[i][j] / L[i][i]

After::

    in order k:  phase i, j: B[i][j] = .. B[k][j];   phase j: B[k][j] = B[k][j] / L[k][k]

Whether that is legal is for others to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.transforms.autoschedule.orders import InOrder, SharedIterations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.transforms.autoschedule.orders import OrderedLoop, SunkItem
    from streamopt.transforms.autoschedule.pieces import OrderProblem


def with_loosened_loops(
    problem: OrderProblem, items: tuple[SunkItem, ...], around: tuple[OrderedLoop, ...] = ()
) -> Iterator[tuple[SunkItem, ...]]:
    """Yield orders with one loop in order less."""
    for at, item in enumerate(items):
        if not isinstance(item, InOrder):
            continue
        for one in _swapped(item):
            for inner in _loosened(problem, one, around):
                yield (*items[:at], *inner, *items[at + 1 :])
        for inner in with_loosened_loops(problem, item.items, (*around, item.loop)):
            yield (*items[:at], InOrder(item.loop, inner), *items[at + 1 :])


def _swapped(item: InOrder) -> Iterator[InOrder]:
    """Yield a loop, and with the only loop inside of it around it."""
    yield item
    match item.items:
        case (InOrder(inner, items),):
            yield InOrder(inner, (InOrder(item.loop, items),))
        case _:
            pass


def _loosened(
    problem: OrderProblem, item: InOrder, around: tuple[OrderedLoop, ...]
) -> Iterator[tuple[SunkItem, ...]]:
    """Yield the inside of a loop, or of the only one in it, with that loop around each phase."""
    match item.items:
        case (InOrder(inner, items),) if _may_be_parallel(problem, inner, (*around, item.loop)):
            for groups in _parallel(inner, items):
                yield (InOrder(item.loop, groups),)
        case _:
            if _may_be_parallel(problem, item.loop, around):
                yield from _parallel(item.loop, item.items)


def _parallel(loop: OrderedLoop, items: tuple[SunkItem, ...]) -> Iterator[tuple[SunkItem, ...]]:
    """Yield items with a loop around each group, and around each piece."""
    yield tuple(one for item in items for one in _inside(loop, item, apart=False))
    if any(isinstance(item, SharedIterations) and len(item.pieces) > 1 for item in items):
        yield tuple(one for item in items for one in _inside(loop, item, apart=True))


def _inside(loop: OrderedLoop, item: SunkItem, *, apart: bool) -> Iterator[SunkItem]:
    if isinstance(item, InOrder):
        inner = (one for own in item.items for one in _inside(loop, own, apart=apart))
        yield InOrder(item.loop, tuple(inner))
    elif apart:
        yield from (SharedIterations((*item.loops, loop), (piece,)) for piece in item.pieces)
    else:
        yield SharedIterations((*item.loops, loop), item.pieces)


def _may_be_parallel(
    problem: OrderProblem, loop: OrderedLoop, around: tuple[OrderedLoop, ...]
) -> bool:
    """Return whether no piece needs what itself does in an earlier iteration."""
    for one in problem.orderings:
        if one.source != one.sink or one.source not in loop.values or one.is_sum_step:
            continue
        same = one.relation
        for outer in around:
            same = same.intersect(problem.equal_at(one.source, outer.values[one.source]))
        if not same.is_subset(problem.equal_at(one.source, loop.values[one.source])):
            return False
    return True
