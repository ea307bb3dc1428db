"""Every plan of a small sequential node as simulated: what the search of plans is tried on.

Nothing of the strategies is used: all orders, all lanes of each loop by itself, and all that
operators may be built from are lowered, checked for hazards and simulated.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.errors import LegalityError, SimulationError
from streamopt.evaluation.visit_lengths import with_visit_lengths
from streamopt.ir.graph import SequentialNode
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import NodePlan, Schedule
from streamopt.transforms.autoschedule import steps_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.graph import Graph
    from streamopt.target.device import Target
    from streamopt.target.resources import Resources

BUILT_FROM = (None, Implementation.FABRIC, Implementation.FULLDSP)
"""Of adders and multipliers; None for the tool's choice."""


@dataclass(frozen=True, slots=True)
class SimulatedPlan:
    """A plan as simulated."""

    plan: NodePlan
    cycles: int
    used: Resources


def every_plan(graph: Graph, on: Target) -> Iterator[SimulatedPlan]:
    """Yield all plans of the one node of a graph that can be built."""
    (node,) = graph.nodes
    assert isinstance(node, SequentialNode)
    for steps in steps_of(node):
        laned = {*steps.laned}
        names = tuple(loop.name for loop in steps.loops)
        counts = [loop.trip_count if loop.name in laned else 1 for loop in steps.loops]
        for factors in product(*(range(1, max(1, count) + 1) for count in counts)):
            unroll = tuple(zip(names, factors, strict=True))
            for adders, multipliers in product(BUILT_FROM, BUILT_FROM):
                kinds = ((Operator.ADD, adders), (Operator.MUL, multipliers))
                binding = tuple((kind, own) for kind, own in kinds if own is not None)
                plan = NodePlan(node.name, names, unroll, binding, steps=steps.name)
                found = _simulated(graph, plan, on)
                if found is not None:
                    yield found


def _simulated(graph: Graph, plan: NodePlan, on: Target) -> SimulatedPlan | None:
    schedule = Schedule(graph.name, (plan,), ())
    try:
        found = so.evaluate(graph, with_visit_lengths(graph, schedule, on), on)
    except (LegalityError, SimulationError):
        return None
    return SimulatedPlan(plan, found.trace.cycles, found.resources.total)
