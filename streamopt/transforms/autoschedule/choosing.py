"""Orders of a sequential node, the most promising first."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from string import ascii_lowercase
from typing import TYPE_CHECKING

from streamopt.ir.stepping.steps import Repeat
from streamopt.transforms.autoschedule.building import NoStepsError, built
from streamopt.transforms.autoschedule.legality import is_legal
from streamopt.transforms.autoschedule.orders import source_order, sunk
from streamopt.transforms.autoschedule.pieces import problem_of
from streamopt.transforms.autoschedule.scheduler import Wish, scheduled
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.scheduling.scan import TreeChoiceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.program import Array
    from streamopt.ir.stepping.steps import StepItem, Steps
    from streamopt.transforms.autoschedule.building import BuiltSteps
    from streamopt.transforms.autoschedule.orders import OrderedItem
    from streamopt.transforms.autoschedule.pieces import OrderProblem

_PEELED_OPERATIONS = 200_000
"""Of isl, inside of a loop in order: 0.03 s for the 170 relations of PolyBench's adi."""
_WHOLE_OPERATIONS = 60_000
"""For a node as a whole: 0.2 s for the 46 relations of nussinov, which take 50,000."""
_MOST_RELATIONS = 64
"""Of a node that is scheduled as a whole: the more, the longer an operation takes (adi: 13 s)."""
_LANES, _LATENCY, _SUM_LATENCY = 256, 20, 60
"""Of a visit; cycles. Sums have a tree of adders behind them."""
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
    found: dict[str, tuple[float, tuple[OrderedItem, ...]]] = {}
    for order in _orders(problem):
        steps = _checked(problem, order, "", FreeNames(taken))
        if steps is not None:
            found.setdefault(str(steps), (_cost(steps), order))
    ranked = sorted(found.values(), key=lambda one: one[0])
    if not ranked:
        ranked = [(0.0, source_order(problem))]
    names = FreeNames(taken)
    made = (
        _built(problem, order, letter, names)
        for letter, (cost, order) in zip(ascii_lowercase, ranked, strict=False)
        if cost <= _WORSE * ranked[0][0]
    )
    return tuple(one.steps for one in made)


def _orders(problem: OrderProblem) -> Iterator[tuple[OrderedItem, ...]]:
    """Yield orders that isl finds."""
    wishes = [(Wish(1), _PEELED_OPERATIONS)]
    if sum(one.relation.n_basic_map() for one in problem.orderings) <= _MOST_RELATIONS:
        wishes.append((Wish(), _WHOLE_OPERATIONS))
        if any(one.is_sum_step for one in problem.orderings):
            wishes.append((Wish(keeps_sums=True), _WHOLE_OPERATIONS))
    for wish, operations in wishes:
        order = scheduled(problem, wish, operations)
        if order is not None:
            yield order


def _checked(
    problem: OrderProblem, order: Sequence[OrderedItem], name: str, names: FreeNames
) -> Steps | None:
    """Return the steps of an order; None if they aren't legal."""
    try:
        made = _built(problem, order, name, names)
    except (NoStepsError, TreeChoiceError):
        return None
    return made.steps if is_legal(problem, made) else None


def _built(
    problem: OrderProblem, order: Sequence[OrderedItem], name: str, names: FreeNames
) -> BuiltSteps:
    return built(problem, tuple(sunk(order)), name, names)


def _cost(steps: Steps) -> float:
    """Return about how many cycles its visits take with some hundred lanes."""
    return sum(_item_cost(item, 1) for item in steps.items)


def _item_cost(item: StepItem, visits: int) -> float:
    if isinstance(item, Repeat):
        return sum(_item_cost(inner, visits * item.loop.trip_count) for inner in item.items)
    points = prod(loop.trip_count for loop in item.loops)
    return visits * max(points / _LANES, _SUM_LATENCY if item.sums else _LATENCY)
