"""The order of a sequential node as its program has it, with the loops that carry nothing apart.

Before::

    for t: { for i: for j: B[i][j] = f(A, i, j);  for i: for j: A[i][j] = f(B, i, j) }

After::

    in order t:
      phase 0, any order of i, j:  B[i][j] = f(A, i, j)
      phase 1, any order of i, j:  A[i][j] = f(B, i, j)

No loop changes places with another: a loop that carries nothing stays in order around one that
carries something. A loop around several statements may become several loops. Systems that unroll
loops as they stand have this order.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.transforms.autoschedule.building import built, taken_names
from streamopt.transforms.autoschedule.choosing import checked_steps
from streamopt.transforms.autoschedule.orders import (
    OrderedLoop,
    OrderedPiece,
    all_in_order,
    sunk,
)
from streamopt.transforms.autoschedule.pieces import problem_of
from streamopt.transforms.free_names import FreeNames

if TYPE_CHECKING:
    from typing import Any

    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.stepping.steps import Steps
    from streamopt.transforms.autoschedule.orders import OrderedItem
    from streamopt.transforms.autoschedule.pieces import OrderProblem

WRITTEN = "written"
"""Name of the order."""


@lru_cache(maxsize=256)
def written_steps(node: SequentialNode) -> Steps:
    """Return the order of a node as it is written."""
    problem, taken = problem_of(node), taken_names(node)
    for sums_too in (True, False):
        items = tuple(sunk(_inside(problem, 0, sums_too=sums_too)))
        steps = checked_steps(problem, items, taken, WRITTEN)
        if steps is not None:
            return steps
    whole = tuple(sunk(all_in_order(problem)))
    return built(problem, whole, WRITTEN, FreeNames(taken)).steps


def _inside(problem: OrderProblem, level: int, *, sums_too: bool) -> tuple[OrderedItem, ...]:
    """Return the order inside of outer loops.

    Parameters
    ----------
    sums_too
        Whether terms of a sum may come in any order.
    """
    if level == len(problem.loops):
        return tuple(map(OrderedPiece, problem.places))
    parts = [*problem.segments(level)]
    if len(parts) > 1:
        return tuple(item for part in parts for item in _inside(part, level, sums_too=sums_too))
    carries = any(
        not (sums_too and one.is_sum_step) and not _carried(one.relation, level).is_empty()
        for one in problem.orderings
    )
    if carries and len(parts := _distributed(problem, level)) > 1:
        return tuple(item for part in parts for item in _inside(part, level, sums_too=sums_too))
    items = _inside(problem, level + 1, sums_too=sums_too)
    value = Affine.iterator(problem.loops[level])
    values = dict.fromkeys(problem.places, value)
    return (OrderedLoop(values, not carries and _are_parallel(items), items),)


def _distributed(problem: OrderProblem, level: int) -> list[OrderProblem]:
    """Return parts that may each have loops of their own, one after another, from a level on.

    A perfect nest may have made one loop of several, as that of a sum and what follows it.
    """
    last = {place: place for place in problem.places}
    for one in problem.orderings:
        if one.source > one.sink and not _within(one.relation, level).is_empty():
            last[one.sink] = max(last[one.sink], one.source)
    together: list[int] = []
    parts: list[OrderProblem] = []
    for place in problem.places:
        if together and max(last[own] for own in together) < place:
            parts.append(problem.part(together))
            together = []
        together.append(place)
    return [*parts, problem.part(together)]


def _within(relation: Any, level: int) -> Any:
    """Return the pairs of a relation in one iteration of the loops around a level."""
    import islpy as isl

    for outer in range(level):
        relation = relation.equate(isl.dim_type.in_, outer, isl.dim_type.out, outer)
    return relation


def _carried(relation: Any, level: int) -> Any:
    """Return the pairs of a relation that a loop carries."""
    import islpy as isl

    relation = _within(relation, level)
    same = relation.equate(isl.dim_type.in_, level, isl.dim_type.out, level)
    return relation.subtract(same)


def _are_parallel(items: tuple[OrderedItem, ...]) -> bool:
    """Return whether all loops among items and in them are."""
    loops = [item for item in items if isinstance(item, OrderedLoop)]
    return all(loop.is_parallel and _are_parallel(loop.body) for loop in loops)
