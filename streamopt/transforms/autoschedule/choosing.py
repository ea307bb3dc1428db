"""Orders of a sequential node, the most promising first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import inf, prod
from string import ascii_lowercase
from typing import TYPE_CHECKING

from streamopt.ir.stepping.steps import Repeat
from streamopt.transforms.autoschedule.building import NoStepsError, built, taken_names
from streamopt.transforms.autoschedule.fusing import with_fused_neighbours, with_shifted_phases
from streamopt.transforms.autoschedule.legality import is_legal
from streamopt.transforms.autoschedule.loosening import with_loosened_loops
from streamopt.transforms.autoschedule.merging import of_all_pieces, with_merged_pieces
from streamopt.transforms.autoschedule.orders import (
    OrderedPiece,
    all_in_order,
    in_source_order,
    steepest,
    sunk,
)
from streamopt.transforms.autoschedule.owners import with_owners
from streamopt.transforms.autoschedule.pieces import problem_of
from streamopt.transforms.autoschedule.scheduler import Sums, Wish, scheduled
from streamopt.transforms.autoschedule.splitting import with_split_pieces
from streamopt.transforms.autoschedule.straightening import narrowed, straightened
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.scheduling.scan import TreeChoiceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.stepping.steps import StepItem, Steps
    from streamopt.transforms.autoschedule.orders import OrderedItem, SunkItem
    from streamopt.transforms.autoschedule.pieces import OrderProblem

_OPERATIONS = 60_000
"""Of isl for one order, at most: 0.2 s for the 46 relations of nussinov, which take 50,000."""
_RELATION_OPERATIONS = 4_000_000
"""Operations times relations, at most: most are short, but a step of its simplex method touches all
relations. Where it never ended, 20,000 for 153 relations took 0.04 s, and 60,000 took 7 s."""
_MOST_RELATIONS = 64
"""Of a node that is scheduled as a whole: the more, the longer an operation takes (adi: 13 s)."""
_LANES, _LATENCY, _SUM_LATENCY = 256, 20, 60
"""Of a visit; cycles. Sums have a tree of adders behind them."""
_MOST_ORDERS = 3
_GAIN = 0.9
"""Of the cost is left, at most, where neighbours run together: they need more banks, too."""
_STEEPEST = 8
"""Coefficients of iterators in a loop's value: larger ones mean divisions and many empty visits."""
_DELAYS = (8, 14)
"""Iterations between a phase and one that needs it: so many rows of a tile, or of two, are as long
as a chain of four operators is deep."""
_NEAR, _WORSE = 3.0, 1.2
"""How many times the cost of the best order others may have, before and after they are improved."""


@lru_cache(maxsize=256)
def steps_of(node: SequentialNode) -> tuple[Steps, ...]:
    """Return orders of a node's iterations that keep its dependences, the best one first.

    There is one at least: that of the node itself. isl is asked for others when this is called
    first, so what only reads programs doesn't call it.
    """
    problem, taken = problem_of(node), taken_names(node)
    problems = [one for one in (problem, with_split_pieces(problem)) if one is not None]
    found = sorted((one for own in problems for one in _chains(own, taken)), key=_cost_of)
    tried = sum(one.cost <= _NEAR * found[0].cost for one in found[:_MOST_ORDERS])
    found = sorted((_improved(one, taken) for one in found[:tried]), key=_cost_of)
    near = (one for one in found if one.cost <= _WORSE * found[0].cost)
    kept = [*{_form(one, taken): one for one in (*near,)[::-1]}.values()][::-1]
    kept += _shifted(found[0], taken)
    kept = [own for one in kept for own in _straightened(one, taken)]
    names = FreeNames(taken)
    letters = iter(ascii_lowercase)
    made = [
        built(one.problem, one.items, letter, names)
        for one, letter in zip(kept, letters, strict=False)
    ]
    owners = with_owners(made[0], next(letters), names)
    if owners is not None and is_legal(kept[0].problem, owners):
        made.append(owners)
    return tuple(one.steps for one in made)


@dataclass(frozen=True, slots=True, eq=False)
class _Proposal:
    """A legal order of a problem, and about how many cycles it takes."""

    problem: OrderProblem
    items: tuple[SunkItem, ...]
    cost: float


def _cost_of(proposal: _Proposal) -> float:
    return proposal.cost


def _form(proposal: _Proposal, taken: tuple[str, ...]) -> str:
    """Return a text that is the same where only phases' loops are in another order."""
    return str(
        _items_form(built(proposal.problem, proposal.items, "", FreeNames(taken)).steps.items)
    )


def _items_form(items: Sequence[StepItem]) -> list[object]:
    return [
        (item.loop.trip_count, _items_form(item.items))
        if isinstance(item, Repeat)
        else (sorted((loop.trip_count, loop.name in item.sums) for loop in item.loops))
        for item in items
    ]


def _chains(problem: OrderProblem, taken: tuple[str, ...]) -> Iterator[_Proposal]:
    """Yield orders of all parts, one after another: the best of each, and others among these."""
    parts = [_ranked(part, taken) for part in problem.segments(0)]
    best = [ranked[0] for ranked in parts]
    yield _chained(problem, best)
    for at, ranked in enumerate(parts):
        for one in ranked[1:]:
            yield _chained(problem, [*best[:at], one, *best[at + 1 :]])


def _chained(problem: OrderProblem, parts: Sequence[_Proposal]) -> _Proposal:
    items = tuple(item for part in parts for item in part.items)
    return _Proposal(problem, items, sum(part.cost for part in parts))


def _improved(best: _Proposal, taken: tuple[str, ...]) -> _Proposal:
    """Return an order with less in order, and neighbours together, while that makes it shorter."""
    for changes in (with_loosened_loops, with_fused_neighbours):
        found: list[_Proposal] = []
        for items in changes(best.problem, best.items):
            steps = checked_steps(best.problem, items, taken)
            if steps is not None and (cost := _cost(steps)) < _GAIN * best.cost:
                found.append(_Proposal(best.problem, items, cost))
        if found:
            return _improved(min(found, key=_cost_of), taken)
    return best


def _shifted(best: _Proposal, taken: tuple[str, ...]) -> Iterator[_Proposal]:
    """Yield an order with phases that run some iterations behind others."""
    for delay in _DELAYS:
        items = with_shifted_phases(best.problem, best.items, delay)
        if items is not None and checked_steps(best.problem, items, taken) is not None:
            yield _Proposal(best.problem, items, best.cost)


def _straightened(one: _Proposal, taken: tuple[str, ...]) -> Iterator[_Proposal]:
    """Yield an order with loops of phases that have fewer values and bounds that say less."""

    @cache
    def steps_of(items: tuple[SunkItem, ...]) -> Steps | None:
        return checked_steps(one.problem, items, taken)

    few = narrowed(one.items, steps_of)
    if few is not one.items and _has_owners(one, taken):
        few = one.items
    for items in straightened(few, steps_of):
        yield replace(one, items=items)


def _has_owners(one: _Proposal, taken: tuple[str, ...]) -> bool:
    """Return whether there is an order like this one whose elements stay at their lanes."""
    names = FreeNames(taken)
    return with_owners(built(one.problem, one.items, "", names), "", names) is not None


def _as_it_is(problem: OrderProblem) -> _Proposal:
    """Return the order of the node itself, which is legal and takes longest."""
    return _Proposal(problem, tuple(sunk(all_in_order(problem))), inf)


def _ranked(problem: OrderProblem, taken: tuple[str, ...]) -> list[_Proposal]:
    """Return orders of a part, the best one first."""
    found: dict[str, _Proposal] = {}
    steps = _add(found, problem, in_source_order(problem, 0, _peeled(problem, 1)), taken)
    if problem.relations <= _MOST_RELATIONS and not (steps and _is_wide(problem, steps)):
        merged = with_merged_pieces(problem)
        for kind in Sums:
            _add(found, problem, _asked(problem, Wish(0, kind)), taken)
            order = None if merged is None else _asked(merged, Wish(0, kind))
            if order is not None:
                _add(found, problem, of_all_pieces(problem, order), taken)
        order = None if merged is None else _inside_of_parallel_loops(problem, merged)
        _add(found, problem, order, taken)
    return sorted(found.values(), key=_cost_of) or [_as_it_is(problem)]


def _add(
    found: dict[str, _Proposal],
    problem: OrderProblem,
    order: tuple[OrderedItem, ...] | None,
    taken: tuple[str, ...],
) -> Steps | None:
    """Add an order to those found, if there is one and it is legal."""
    if order is None or steepest(order) > _STEEPEST:
        return None
    items = tuple(sunk(order))
    steps = checked_steps(problem, items, taken)
    if steps is not None:
        found.setdefault(str(steps), _Proposal(problem, items, _cost(steps)))
    return steps


def _is_wide(problem: OrderProblem, steps: Steps) -> bool:
    """Return whether an order has no more loops in order than the outermost one, which must be."""
    carried = (one for one in problem.orderings if problem.is_carried(one, 0))
    bound = {piece for one in carried for piece in (one.source, one.sink)}
    is_bound = bound == {*problem.places}
    return is_bound and _depth(steps.items) <= 1 and not any(p.sums for p in steps.phases)


def _depth(items: Sequence[StepItem]) -> int:
    """Return how many loops run in order around a phase, at most."""
    return max(1 + _depth(item.items) if isinstance(item, Repeat) else 0 for item in items)


def _inside_of_parallel_loops(
    problem: OrderProblem, merged: OrderProblem
) -> tuple[OrderedItem, ...] | None:
    """Return an order with the outer loops whose iterations don't wait for each other as they are.

    Where isl sees them, it is content with these, and skews none of the loops inside.
    """
    levels = range(len(problem.loops))
    waiting = (lv for lv in levels if any(problem.is_carried(o, lv) for o in problem.orderings))
    parallel = next(waiting, 0)
    items = _asked(merged, Wish(parallel)) if parallel else None
    if items is None:
        return None
    order = of_all_pieces(problem, items)
    for level in reversed(range(parallel)):
        (outer,) = in_source_order(problem, level, order)
        order = (replace(outer, is_parallel=True),)
    return order


def _peeled(problem: OrderProblem, level: int) -> tuple[OrderedItem, ...]:
    """Return an order inside of outer loops: isl's, or else one with more loops as they are."""
    order = _asked(problem, Wish(level))
    if order is not None:
        return order
    if level == len(problem.loops):
        return tuple(map(OrderedPiece, problem.places))
    parts = [*problem.segments(level)]
    if len(parts) > 1:
        return tuple(item for part in parts for item in _peeled(part, level))
    return in_source_order(problem, level, _peeled(problem, level + 1))


def _asked(problem: OrderProblem, wish: Wish) -> tuple[OrderedItem, ...] | None:
    """Return isl's order; None if it takes too many operations, none of which waits for a clock."""
    most = min(_OPERATIONS, _RELATION_OPERATIONS // max(1, problem.relations))
    return scheduled(problem, wish, most)


def checked_steps(
    problem: OrderProblem, order: Sequence[SunkItem], taken: tuple[str, ...], name: str = ""
) -> Steps | None:
    """Return the steps of an order; None if they aren't legal."""
    try:
        made = built(problem, order, name, FreeNames(taken))
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
    points *= len(item.statements)
    return visits * max(points / _LANES, _SUM_LATENCY if item.sums else _LATENCY)
