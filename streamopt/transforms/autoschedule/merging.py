"""Statements of one loop body, scheduled as one.

isl's loop in order satisfies as many dependences as it can, so one from a statement to the next of
the same iteration delays that, and values of loops get steep: ``2 i + 3 j``. Statements with the
same iterations that stay together have only the dependences between iterations to keep.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.transforms.autoschedule.orders import OrderedLoop, OrderedPiece
from streamopt.transforms.autoschedule.pieces import Ordering, between

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from streamopt.transforms.autoschedule.orders import OrderedItem
    from streamopt.transforms.autoschedule.pieces import OrderProblem


def with_merged_pieces(problem: OrderProblem) -> OrderProblem | None:
    """Return a problem of the first pieces of all bodies; None if each has but one."""
    first = {place: own[0] for own in _bodies(problem) for place in own}
    places = tuple(dict.fromkeys(first.values()))
    if len(places) == len(first):
        return None
    joined: dict[tuple[int, int, bool], Any] = {}
    for one in problem.orderings:
        source, sink = first[one.source], first[one.sink]
        relation = between(one.relation, source, sink)
        if source == sink:
            relation = relation.subtract(problem.pieces[source].points.identity())
        if not relation.is_empty():
            key = source, sink, one.is_sum_step
            joined[key] = relation if key not in joined else joined[key].union(relation)
    orderings = tuple(Ordering(*key[:2], own, key[2]) for key, own in joined.items())
    return replace(problem, places=places, orderings=orderings)


def of_all_pieces(problem: OrderProblem, items: Sequence[OrderedItem]) -> tuple[OrderedItem, ...]:
    """Return an order of the first pieces of bodies with all pieces of these."""
    return tuple(_of_all({own[0]: own for own in _bodies(problem)}, items))


def _of_all(bodies: dict[int, list[int]], items: Sequence[OrderedItem]) -> Iterator[OrderedItem]:
    for item in items:
        if isinstance(item, OrderedPiece):
            yield from map(OrderedPiece, bodies[item.piece])
        else:
            values = {place: v for first, v in item.values.items() for place in bodies[first]}
            yield OrderedLoop(values, item.is_parallel, tuple(_of_all(bodies, item.body)))


def _bodies(problem: OrderProblem) -> list[list[int]]:
    """Return the places of pieces that have the same iterations, in order."""
    found: list[tuple[Any, list[int]]] = []
    for place in problem.places:
        points = problem.pieces[place].points.reset_tuple_id()
        own = next((places for body, places in found if body.is_equal(points)), None)
        if own is None:
            found.append((points, [place]))
        else:
            own.append(place)
    return [places for _, places in found]
