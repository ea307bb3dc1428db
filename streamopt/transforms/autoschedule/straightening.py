"""Loops of phases counted so that bounds say little: upwards in arrays, and sums from 0.

Before (nussinov, rows counted from the last one)::

    sum over k from 499 - i to w - i + 499; i from w + 1 to 500:  T[499 - i][k + 1] + T[k + 2][..]

After::

    sum over k from 0 to w; i from 0 to 499 - w:  T[i][i + k + 1] + T[i + k + 2][..]

Tiles of a sum are then full but for the last one, whatever the other loops' tiles are, and what a
visit of the sum completes first is what the next one needs first. Iterations of a phase have no
order, so that all of this is legal; a test looks at it nevertheless.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.stepping.steps import bounding
from streamopt.transforms.autoschedule.orders import InOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamopt.ir.stepping.steps import Phase, StepLoop, Steps
    from streamopt.transforms.autoschedule.orders import OrderedLoop, SunkItem

    StepsOf = Callable[[tuple[SunkItem, ...]], Steps | None]


def straightened(items: tuple[SunkItem, ...], steps_of: StepsOf) -> Iterator[tuple[SunkItem, ...]]:
    """Yield an order whose phases' loops say less, as far as it is legal, and the one that was.

    Sums that begin elsewhere in each lane may need more logic between lanes and banks.

    Parameters
    ----------
    steps_of
        Of an order; None if it isn't legal.
    """
    steps = steps_of(items)
    if steps is not None and any(map(_crossing, steps.phases)):
        upwards = _least(items, steps_of, _downward, _otherwise)
        straight = _least(upwards, steps_of, _crookedness, _otherwise)
        if straight is not items:
            yield straight
    yield items


def narrowed(items: tuple[SunkItem, ...], steps_of: StepsOf) -> tuple[SunkItem, ...]:
    """Return an order whose phases' loops have few values in all, as far as it is legal.

    Before (three sections of a filter, one a sample behind the other): ``w from 0 to 257: t from
    w - 2 to w``, whose 256 values want lanes for many samples. After: ``s from 0 to 2``, as
    ``w - t``.

    Parameters
    ----------
    steps_of
        Of an order; None if it isn't legal.
    """
    steps = steps_of(items)
    moving = steps is not None and any(_is_moving(loop) for p in steps.phases for loop in p.loops)
    return _least(items, steps_of, _values, lambda own, _: _across(own, ())) if moving else items


def _is_moving(loop: StepLoop) -> bool:
    """Return whether both ends of a loop move with loops around."""
    return any(low.terms for low in loop.lower) and any(high.terms for high in loop.upper)


def _values(steps: Steps) -> tuple[int, ...]:
    return (sum(prod(loop.trip_count for loop in phase.loops) for phase in steps.phases),)


def _across(
    items: tuple[SunkItem, ...], around: tuple[OrderedLoop, ...]
) -> Iterator[tuple[SunkItem, ...]]:
    """Yield orders in which a loop of one phase is counted from one in order around it."""
    for at, item in enumerate(items):
        if isinstance(item, InOrder):
            inner = _across(item.items, (*around, item.loop))
            found = (InOrder(item.loop, own) for own in inner)
        else:
            found = (
                replace(item, loops=(*item.loops[:place], moved, *item.loops[place + 1 :]))
                for place, loop in enumerate(item.loops)
                for other in around
                for moved in (_plus(loop, other, -1), _plus(loop, other, 1))
            )
        for one in found:
            yield (*items[:at], one, *items[at + 1 :])


def _least(
    items: tuple[SunkItem, ...],
    steps_of: StepsOf,
    badness: Callable[[Steps], tuple[int, ...]],
    changes: Callable[[tuple[SunkItem, ...], Steps], Iterator[tuple[SunkItem, ...]]],
) -> tuple[SunkItem, ...]:
    """Return an order that changes make better, one after another, until none does."""
    best, steps = items, steps_of(items)
    while steps is not None and any(least := badness(steps)):
        found = [
            (badness(own), at, one, own)
            for at, one in enumerate(changes(best, steps))
            if (own := steps_of(one)) is not None
        ]
        lowest = min(found, key=lambda own: own[:2], default=None)
        if lowest is None or lowest[0] >= least:
            break
        _, _, best, steps = lowest
    return best


def _crookedness(steps: Steps) -> tuple[int, ...]:
    """Return bounds of sums over other loops, subscripts that go down, and where sums begin."""
    crossing = sum(_crossing(phase) for phase in steps.phases)
    return crossing, *_downward(steps), sum(_firsts(steps))


def _firsts(steps: Steps) -> tuple[int, ...]:
    """Return the constants from 1 on at which sums begin that end somewhere else each time."""
    loops = [loop for phase in steps.phases for loop in phase.loops if loop.name in phase.sums]
    return tuple(
        loop.least
        for loop in loops
        if loop.lower == (Affine.of(loop.least),) and any(bound.terms for bound in loop.upper)
    )


def _crossing(phase: Phase) -> int:
    own = {loop.name for loop in phase.loops}
    return len(own & bounding(phase.loops)) if phase.sums else 0


def _downward(steps: Steps) -> tuple[int]:
    """Return by how many subscripts more loops of phases move down than up."""
    return (sum(max(0, by) for phase in steps.phases for by in _moves(phase)),)


def _moves(phase: Phase) -> Iterator[int]:
    moves = Counter[str]()
    for statement in phase.statements:
        for access in statement.accesses:
            for subscript in access.subscripts:
                moves.update({n: -1 if by > 0 else 1 for n, by in subscript.factors.items()})
    return (moves[loop.name] for loop in phase.loops)


def _otherwise(items: tuple[SunkItem, ...], steps: Steps) -> Iterator[tuple[SunkItem, ...]]:
    return _changed(items, _firsts(steps))


def _changed(
    items: tuple[SunkItem, ...], firsts: tuple[int, ...]
) -> Iterator[tuple[SunkItem, ...]]:
    """Yield orders in which one loop of one phase has other values."""
    for at, item in enumerate(items):
        if isinstance(item, InOrder):
            found = (InOrder(item.loop, inner) for inner in _changed(item.items, firsts))
        else:
            found = (replace(item, loops=loops) for loops in _moved(item.loops, firsts))
        for one in found:
            yield (*items[:at], one, *items[at + 1 :])


def _moved(
    loops: tuple[OrderedLoop, ...], firsts: tuple[int, ...]
) -> Iterator[tuple[OrderedLoop, ...]]:
    """Yield loops, one of which runs backwards or is counted from another one on, or from 0."""
    for at, loop in enumerate(loops):
        others = (other for other in loops if other is not loop)
        each = (_plus(loop, other, factor) for other in others for factor in (1, -1))
        for moved in (_scaled(loop, -1), *(_from(loop, least) for least in firsts if least), *each):
            yield (*loops[:at], moved, *loops[at + 1 :])


def _scaled(loop: OrderedLoop, factor: int) -> OrderedLoop:
    return replace(loop, values={at: value.scaled(factor) for at, value in loop.values.items()})


def _from(loop: OrderedLoop, first: int) -> OrderedLoop:
    move = Affine.of(-first)
    return replace(loop, values={at: value + move for at, value in loop.values.items()})


def _plus(loop: OrderedLoop, other: OrderedLoop, factor: int) -> OrderedLoop:
    values = {
        at: value + other.values[at].scaled(factor)
        for at, value in loop.values.items()
        if at in other.values
    }
    return replace(loop, values=values)
