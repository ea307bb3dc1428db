"""isl's scheduler on pieces, within a number of operations.

Options are those with which loops end up in order outside and parallel inside ([1]): one loop
satisfies as many dependences as it can, and all that are left inside of it are coincident.

[1] Verdoolaege and Janssens, Scheduling for PPCG, CW report 706, KU Leuven, 2017.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamopt.ir.affine import Affine
from streamopt.ir.text import isl_affine
from streamopt.transforms.autoschedule.orders import OrderedLoop
from streamopt.transforms.autoschedule.tree import order_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from streamopt.transforms.autoschedule.orders import OrderedItem
    from streamopt.transforms.autoschedule.pieces import OrderProblem


@dataclass(frozen=True, slots=True)
class Wish:
    """How a schedule is asked for.

    Attributes
    ----------
    peeled
        Outer loops of the node that stay in order around everything, by number.
    keeps_sums
        Whether terms of a reduction keep their order.
    serial
        Whether strongly connected components come one after another.
    """

    peeled: int = 0
    keeps_sums: bool = False
    serial: bool = False


def scheduled(problem: OrderProblem, wish: Wish, operations: int) -> tuple[OrderedItem, ...] | None:
    """Return an order as isl finds it; None if that takes more operations."""
    with _limited(operations):
        import islpy as isl

        try:
            return _found(problem, wish)
        except isl.Error:
            return None


def _found(problem: OrderProblem, wish: Wish) -> tuple[OrderedItem, ...]:
    import islpy as isl

    outer = problem.loops[: wish.peeled]
    coordinates: dict[int, tuple[Affine, ...]] = {}
    renamings: list[Any] = []
    domain = isl.UnionSet("{ }")
    for place, piece in enumerate(problem.pieces):
        own = tuple(
            value for value, loop in zip(piece.values, piece.kept, strict=True) if loop not in outer
        )
        coordinates[place] = own
        renamings.append(_renaming(problem, place, own, outer))
        domain = domain.union(piece.points.apply(renamings[-1]).to_union_set())
    order = isl.UnionMap("{ }")
    for one in problem.orderings:
        if one.is_sum_step and not wish.keeps_sums:
            continue
        relation = one.relation.apply_domain(renamings[one.source])
        relation = relation.apply_range(renamings[one.sink])
        order = order.union(relation.to_union_map())
    constraints = isl.ScheduleConstraints.on_domain(domain)
    constraints = constraints.set_validity(order).set_proximity(order).set_coincidence(order)
    with _options(wish):
        items = order_of(constraints.compute_schedule(), coordinates)
    places = range(len(problem.pieces))
    for loop in reversed(outer):
        items = (OrderedLoop(dict.fromkeys(places, Affine.iterator(loop)), False, items),)
    return items


def _renaming(
    problem: OrderProblem, place: int, coordinates: tuple[Affine, ...], outer: tuple[str, ...]
) -> Any:
    """Return the relation from points of a piece to its coordinates; outer loops are parameters."""
    import islpy as isl

    names = {loop: f"c{at}" for at, loop in enumerate(problem.loops)}
    places = ", ".join(isl_affine(value, names) for value in coordinates)
    equal = " and ".join(f"{names[loop]} = {loop}" for loop in outer) or "true"
    head = f"S{place}[{', '.join(names.values())}] -> S{place}[{places}]"
    parameters = f"[{', '.join(outer)}] -> " if outer else ""
    return isl.Map(f"{parameters}{{ {head} : {equal} }}")


@contextmanager
def _options(wish: Wish) -> Generator[None]:
    import islpy as isl

    context = isl.DEFAULT_CONTEXT
    context.set_schedule_outer_coincidence(1)
    context.set_schedule_maximize_coincidence(1)
    context.set_schedule_serialize_sccs(int(wish.serial))
    try:
        yield
    finally:
        context.set_schedule_outer_coincidence(0)
        context.set_schedule_maximize_coincidence(0)
        context.set_schedule_serialize_sccs(0)


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
