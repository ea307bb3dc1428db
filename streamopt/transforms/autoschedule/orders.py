"""Orders as trees of loops over pieces: what schedulers make and steps are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from streamopt.ir.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.transforms.autoschedule.pieces import OrderProblem


@dataclass(frozen=True, slots=True, eq=False)
class OrderedLoop:
    """A loop by its value for each piece inside, over the node's loops."""

    values: Mapping[int, Affine]
    is_parallel: bool
    """Whether its iterations don't wait for each other, at one iteration of the loops around."""
    body: tuple[OrderedItem, ...]


@dataclass(frozen=True, slots=True)
class OrderedPiece:
    """One piece, by its place."""

    piece: int


OrderedItem: TypeAlias = OrderedLoop | OrderedPiece


@dataclass(frozen=True, slots=True, eq=False)
class SharedIterations:
    """Pieces that share iterations: what becomes a phase."""

    loops: tuple[OrderedLoop, ...]
    """Without an order, outermost first."""
    pieces: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class InOrder:
    """A loop whose iterations run in order."""

    loop: OrderedLoop
    items: tuple[SunkItem, ...]


SunkItem: TypeAlias = InOrder | SharedIterations


def in_source_order(
    problem: OrderProblem, level: int, items: tuple[OrderedItem, ...]
) -> tuple[OrderedItem, ...]:
    """Return items inside of a loop of the node, in order."""
    value = Affine.iterator(problem.loops[level])
    return (OrderedLoop(dict.fromkeys(problem.places, value), is_parallel=False, body=items),)


def all_in_order(problem: OrderProblem) -> tuple[OrderedItem, ...]:
    """Return the order of the node itself: all of its loops in order."""
    items: tuple[OrderedItem, ...] = tuple(map(OrderedPiece, problem.places))
    for level in reversed(range(len(problem.loops))):
        items = in_source_order(problem, level, items)
    return items


def sunk(items: Sequence[OrderedItem], around: tuple[OrderedLoop, ...] = ()) -> Iterator[SunkItem]:
    """Yield an order with parallel loops inside of all others: they are put around each item.

    Before: ``for i in parallel: a; for t: b``
    After:  ``for i in parallel: a;  for t: for i in parallel: b``
    """
    together: list[int] = []
    for item in items:
        if isinstance(item, OrderedPiece):
            together.append(item.piece)
            continue
        if together:
            yield SharedIterations(around, tuple(together))
            together = []
        if item.is_parallel:
            yield from sunk(item.body, (*around, item))
        else:
            yield InOrder(item, tuple(sunk(item.body, around)))
    if together:
        yield SharedIterations(around, tuple(together))


def pieces_in(items: Sequence[SunkItem]) -> tuple[int, ...]:
    """Return the pieces inside, in order."""
    return tuple(
        piece
        for item in items
        for piece in (item.pieces if isinstance(item, SharedIterations) else pieces_in(item.items))
    )


def steepest(items: Sequence[OrderedItem]) -> int:
    """Return the largest coefficient of an iterator in the value of a loop."""
    loops = [item for item in items if isinstance(item, OrderedLoop)]
    own = (abs(f) for loop in loops for v in loop.values.values() for f in v.factors.values())
    return max(*own, *(steepest(loop.body) for loop in loops), 0, 0)
