"""Random designs of C functions that update arrays in place: any order and lanes, or a level's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.program import Role
from streamopt.strategies.sequential.plan_builder import PlanBuilder
from streamopt.strategies.sequential.plan_search import first_plan
from streamopt.target.device import DEVICE, find_device
from streamopt.target.resources import Fit
from streamopt.transforms.autoschedule import steps_of
from tests.support.random.schedules import any_factors
from tests.support.random.updates import random_updates

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from streamopt.ir.ports import PortPlan
    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Binding, NodePlan, Schedule

TYPES = ("double", "double", "float", "unsigned")
ANY_LANES = "any lanes"
"""Instead of a level: orders, lanes and operators of sequential nodes by chance."""
LEVELS = (*6 * (ANY_LANES,), "opt1", "opt4", "opt6 raw", "opt6 slr", "opt6 slr")
LANES = (1, 1, 2, 3, 4)
BINDINGS: tuple[Binding, ...] = ((), (), ((Operator.ADD, Implementation.FABRIC),))
DSPS = 300
PORTS = {
    "vitis": ("memory", "memory", "m_axi", "axis", "mixed"),
    "native": ("memory",),
    "tapa": ("m_axi",),
}
_ON = find_device(DEVICE, None)


@dataclass(frozen=True, slots=True)
class InPlaceDesign:
    """A design that is wanted of a C function.

    Attributes
    ----------
    text
        Of the function, whose parameters are those of `tests.support.random.updates.ARRAYS`.
    seed
        Of its inputs.
    """

    text: str
    c_type: str
    program: Program
    level: str
    schedule: Schedule
    backend: str
    seed: int

    def __str__(self) -> str:
        """Return the function, and what is made of it."""
        return f"{self.text}\n{self.level} {self.backend}\n{self.schedule}"


def in_place_design(rng: Random, name: str, backend: str, folder: Path) -> InPlaceDesign | None:
    """Return a design of a function of that name; None if it is refused: reads go beyond arrays."""
    c_type = rng.choice(TYPES)
    text = f"void {name}{random_updates(rng, c_type)}"
    path = folder / f"{name}.c"
    path.write_text(f"#include <math.h>\n{text}\n")
    program = so.load(path)
    graph = so.dataflow(program)
    kind, level, seed = rng.choice(PORTS[backend]), rng.choice(LEVELS), rng.randrange(2**32)
    ports: tuple[PortPlan, ...] = ()
    if kind != "memory":
        kinds = ("memory", "m_axi", "axis") if kind == "mixed" else (kind,)
        crossing = [array.name for array in graph.arrays if array.role is not Role.INTERNAL]
        ports = so.plan_ports(graph, ports={own: rng.choice(kinds) for own in crossing})
    if level == ANY_LANES:
        schedule = _any_lanes(graph, rng)
    else:
        schedule = _solved(graph, level, ports if rng.random() < 0.5 else ())
    if ports and not schedule.ports:
        schedule = so.put_outside(graph, schedule, ports)
    return InPlaceDesign(text, c_type, program, level, schedule, backend, seed)


def _any_lanes(graph: Graph, rng: Random) -> Schedule:
    schedule = any_factors(graph, rng)
    own = {n.name: _plan(graph, n, rng) for n in graph.nodes if isinstance(n, SequentialNode)}
    plans = tuple(own.get(plan.node) or plan for plan in schedule.nodes)
    return replace(schedule, nodes=plans)


def _plan(graph: Graph, node: SequentialNode, rng: Random) -> NodePlan | None:
    names = (*node.inputs, *node.outputs)
    arrays = {
        name: replace(graph.array(name), role=Role.OUTPUT if name in node.outputs else Role.INPUT)
        for name in dict.fromkeys(names)
    }
    orders = steps_of(node)
    if not orders:
        return None
    steps = rng.choice(orders)
    plan = first_plan(node, steps, rng.choice(BINDINGS))
    most = {loop.name: max(1, loop.trip_count) for loop in steps.loops}
    unroll = tuple(
        (name, min(most[name], rng.choice(LANES)) if name in steps.laned else 1)
        for name, _ in plan.unroll
    )
    alone = Graph(node.name, tuple(arrays.values()), (node,), ())
    return PlanBuilder(_ON, _ON.budget(Fit.DEVICE)).built(alone, replace(plan, unroll=unroll)).plan


def _solved(graph: Graph, level: str, ports: tuple[PortPlan, ...]) -> Schedule:
    name, _, fit = level.partition(" ")
    space = so.Space(tiling_limit=2, ports=ports)
    budget = so.Budget(fit=fit) if fit else so.Budget()
    return so.solve(
        graph, level=name, dsp=DSPS, time_limit=5.0, space=space, budget=budget
    ).schedule
