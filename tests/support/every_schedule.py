"""Every schedule of a small graph with what it takes as built: what searches are tried on."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import streamopt as so
from streamopt.errors import SolverError
from streamopt.evaluation.design import timed_network
from streamopt.perf.resources.network import resources
from streamopt.space.assemble import assemble, evaluate
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.target.resources import RESOURCE_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Schedule
    from streamopt.space.decisions import DecisionSpace
    from streamopt.strategies.solution import Solution
    from streamopt.target.device import Target

    Costs = tuple[int, ...]

DEVICE = so.device("u280")
TOO_MANY_SCHEDULES = "E510"


def space_of(graph: Graph, *, dsp: int = 120, tiling_limit: int = 2) -> DecisionSpace:
    level = LEVELS[LevelName.OPT5]
    return decision_space(graph, SpaceOptions(level, dsp_limit=dsp, tiling_limit=tiling_limit))


def size(space: DecisionSpace) -> int:
    """Return how many schedules there are, with those of too many DSPs."""
    count = 1
    for group in space.classes:
        count *= len(group.factors)
    for orders in space.orders.values():
        count *= len(orders)
    return count


def schedules(space: DecisionSpace) -> Iterator[Schedule]:
    """Yield all schedules within the DSPs in the paper's accounting."""
    graph, class_of = space.graph, space.class_of()
    names = [node.name for node in graph.nodes]
    for factors in product(*(group.factors for group in space.classes)):
        taken = {
            node.name: [factors[class_of[node.name, loop]] for loop in node.trip_counts]
            for node in graph.nodes
        }
        for orders in product(*(space.orders[name] for name in names)):
            schedule = assemble(graph, dict(zip(names, orders, strict=True)), taken)
            if evaluate(graph, schedule).dsps <= space.dsp_limit:
                yield schedule


def built(graph: Graph, schedule: Schedule, on: Target = DEVICE) -> Costs:
    """Return all that a schedule takes, with the FIFO depths that it has."""
    network, timings = timed_network(graph, schedule, on)
    used = resources(network, timings, on).total
    return tuple(getattr(used, name) for name in RESOURCE_NAMES)


def asked_of_the_oracle(graph: Graph, **options: Any) -> Solution | None:
    """Return the best of all schedules, or none where the oracle refuses to list so many."""
    try:
        return so.solve(graph, effort=so.Effort(solver="exhaustive", fifos=None), **options)
    except SolverError as refused:
        if [told.code for told in refused.diagnostics] != [TOO_MANY_SCHEDULES]:
            raise
    return None
