"""Orders of a sequential node, the most promising first."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from string import ascii_lowercase
from typing import TYPE_CHECKING, TypeAlias

from streamopt.ir.stepping.steps import Repeat
from streamopt.transforms.autoschedule.building import NoStepsError, built
from streamopt.transforms.autoschedule.legality import is_legal
from streamopt.transforms.autoschedule.orders import OrderedPiece, in_source_order, sunk
from streamopt.transforms.autoschedule.pieces import problem_of
from streamopt.transforms.autoschedule.scheduler import Sums, Wish, scheduled
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.scheduling.scan import TreeChoiceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.program import Array
    from streamopt.ir.stepping.steps import StepItem, Steps
    from streamopt.transforms.autoschedule.orders import OrderedItem, SunkItem
    from streamopt.transforms.autoschedule.pieces import OrderProblem

_PEELED_OPERATIONS = 200_000
"""Of isl, inside of a loop in order: 0.03 s for the 170 relations of PolyBench's adi."""
_WHOLE_OPERATIONS = 60_000
"""For a node as a whole: 0.2 s for the 46 relations of nussinov, which take 50,000."""
_MOST_RELATIONS = 64
"""Of a node that is scheduled as a whole: the more, the longer an operation takes (adi: 13 s)."""
_LANES, _LATENCY, _SUM_LATENCY = 256, 20, 60
"""Of a visit; cycles. Sums have a tree of adders behind them."""
_MOST_ORDERS = 4
_WORSE = 3.0
"""How many times the cost of the best order others may have."""


def steps_of(node: SequentialNode, arrays: Mapping[str, Array]) -> tuple[Steps, ...]:
    """Return orders of a node's iterations that keep its dependences, the best one first.

    There is one at least: that of the node itself. isl is asked for others when this is called
    first, so what only reads programs doesn't call it.
    """
    return _steps_of(node, tuple(arrays))


@lru_cache(maxsize=256)
def _steps_of(node: SequentialNode, taken: tuple[str, ...]) -> tuple[Steps, ...]:
    problem = problem_of(node)
    names = FreeNames(taken)
    made = (
        built(problem, order, letter, names).steps
        for letter, order in zip(ascii_lowercase, _orders(problem, taken), strict=False)
    )
    return tuple(made)


_Ranked: TypeAlias = "list[tuple[float, tuple[SunkItem, ...]]]"


def _orders(problem: OrderProblem, taken: tuple[str, ...]) -> list[tuple[SunkItem, ...]]:
    """Return orders of a node, the best one first."""
    parts = [_ranked(problem, part, taken) for part in problem.segments(0)]
    chains = [tuple(item for ranked in parts for item in ranked[0][1])]
    for at, ranked in enumerate(parts):
        others = [one for one in ranked[1:] if one[0] <= _WORSE * ranked[0][0]]
        for _, items in others[:_MOST_ORDERS]:
            chosen = [
                *(one[0][1] for one in parts[:at]),
                items,
                *(one[0][1] for one in parts[at + 1 :]),
            ]
            chains.append(tuple(item for items in chosen for item in items))
    return chains[:_MOST_ORDERS]


def _ranked(whole: OrderProblem, problem: OrderProblem, taken: tuple[str, ...]) -> _Ranked:
    """Return orders of a part with their costs, the best one first."""
    found: dict[str, tuple[float, tuple[SunkItem, ...]]] = {}
    for order in _proposals(problem):
        items = tuple(sunk(order))
        steps = _checked(problem, items, taken)
        if steps is not None:
            found.setdefault(str(steps), (_cost(steps), items))
    return sorted(found.values(), key=lambda one: one[0])


def _proposals(problem: OrderProblem) -> Iterator[tuple[OrderedItem, ...]]:
    yield in_source_order(problem, 0, _peeled(problem, 1))
    if problem.relations > _MOST_RELATIONS:
        return
    sums = any(one.is_sum_step for one in problem.orderings)
    for kind in Sums if sums else (Sums.FREE,):
        order = scheduled(problem, Wish(0, kind), _WHOLE_OPERATIONS)
        if order is not None:
            yield order


def _peeled(problem: OrderProblem, level: int) -> tuple[OrderedItem, ...]:
    """Return an order inside of outer loops: isl's, or else one with more loops as they are."""
    order = scheduled(problem, Wish(level), _PEELED_OPERATIONS)
    if order is not None:
        return order
    if level == len(problem.loops):
        return tuple(map(OrderedPiece, problem.places))
    parts = [*problem.segments(level)]
    if len(parts) > 1:
        return tuple(item for part in parts for item in _peeled(part, level))
    return in_source_order(problem, level, _peeled(problem, level + 1))


def _checked(
    problem: OrderProblem, order: Sequence[SunkItem], taken: tuple[str, ...]
) -> Steps | None:
    """Return the steps of an order; None if they aren't legal."""
    try:
        made = built(problem, order, "", FreeNames(taken))
    except (NoStepsError, TreeChoiceError):
        return None
    return made.steps if is_legal(problem, made) else None


def _cost(steps: Steps) -> float:
    """Return about how many cycles its visits take with some hundred lanes."""
    return sum(_item_cost(item, 1) for item in steps.items)


def _item_cost(item: StepItem, visits: int) -> float:
    if isinstance(item, Repeat):
        return sum(_item_cost(inner, visits * item.loop.trip_count) for inner in item.items)
    points = prod(loop.trip_count for loop in item.loops)
    return visits * max(points / _LANES, _SUM_LATENCY if item.sums else _LATENCY)
