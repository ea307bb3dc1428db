"""isl's scheduler on pieces, within a number of operations.

Options are those with which loops end up in order outside and parallel inside ([1]): one loop
satisfies as many dependences as it can, and all that are left inside of it are coincident.

[1] Verdoolaege and Janssens, Scheduling for PPCG, CW report 706, KU Leuven, 2017.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from streamopt.ir.text import isl_affine
from streamopt.transforms.autoschedule.tree import PARAMETER, order_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from streamopt.ir.affine import Affine
    from streamopt.transforms.autoschedule.orders import OrderedItem
    from streamopt.transforms.autoschedule.pieces import OrderProblem


class Sums(Enum):
    """How the terms of a reduction are ordered."""

    FREE = "free"
    KEPT = "kept"
    REVERSED = "reversed"


@dataclass(frozen=True, slots=True)
class Wish:
    """How a schedule is asked for."""

    peeled: int = 0
    """Outer loops of the node that stay in order around everything, by number."""
    sums: Sums = Sums.FREE


def scheduled(problem: OrderProblem, wish: Wish, operations: int) -> tuple[OrderedItem, ...] | None:
    """Return isl's order of what is inside of peeled loops; None if that takes more operations."""
    import islpy as isl

    constraints, coordinates = _constraints(problem, wish)
    with _limited(operations), _options():
        try:
            schedule = constraints.compute_schedule()
        except isl.Error:
            return None
    return order_of(schedule, coordinates)


def _constraints(problem: OrderProblem, wish: Wish) -> tuple[Any, dict[int, tuple[Affine, ...]]]:
    """Return isl's constraints of a schedule, and the coordinates of each piece in it."""
    import islpy as isl

    outer = problem.loops[: wish.peeled]
    coordinates: dict[int, tuple[Affine, ...]] = {}
    renamings: dict[int, Any] = {}
    domain = isl.UnionSet("{ }")
    for place in problem.places:
        piece = problem.pieces[place]
        coordinates[place] = tuple(
            value for value, loop in zip(piece.values, piece.kept, strict=True) if loop not in outer
        )
        renamings[place] = _renaming(problem, place, coordinates[place], outer)
        domain = domain.union(piece.points.apply(renamings[place]).to_union_set())
    order = isl.UnionMap("{ }")
    for one in problem.orderings:
        if one.is_sum_step and wish.sums is Sums.FREE:
            continue
        relation = one.relation.apply_domain(renamings[one.source])
        relation = relation.apply_range(renamings[one.sink])
        if one.is_sum_step and wish.sums is Sums.REVERSED:
            relation = relation.reverse()
        order = order.union(relation.to_union_map())
    constraints = isl.ScheduleConstraints.on_domain(domain)
    constraints = constraints.set_validity(order).set_proximity(order).set_coincidence(order)
    return constraints, coordinates


def _renaming(
    problem: OrderProblem, place: int, coordinates: tuple[Affine, ...], outer: tuple[str, ...]
) -> Any:
    """Return the relation from points of a piece to its coordinates; outer loops are parameters."""
    import islpy as isl

    names = problem.names
    places = ", ".join(isl_affine(value, names) for value in coordinates)
    fixed = [f"{PARAMETER}{loop}" for loop in outer]
    equal = " and ".join(f"{names[loop]} = {PARAMETER}{loop}" for loop in outer)
    head = f"{problem.tuple_text(place)} -> S{place}[{places}]"
    parameters = f"[{', '.join(fixed)}] -> " if outer else ""
    return isl.Map(f"{parameters}{{ {head} : {equal or 'true'} }}")


@contextmanager
def _options() -> Generator[None]:
    import islpy as isl

    context = isl.DEFAULT_CONTEXT
    context.set_schedule_outer_coincidence(1)
    context.set_schedule_maximize_coincidence(1)
    try:
        yield
    finally:
        context.set_schedule_outer_coincidence(0)
        context.set_schedule_maximize_coincidence(0)


@contextmanager
def _limited(operations: int) -> Generator[None]:
    import islpy as isl

    context = isl.DEFAULT_CONTEXT
    context.reset_operations()
    context.set_max_operations(operations)
    try:
        yield
    finally:
        context.set_max_operations(0)
        context.reset_operations()
