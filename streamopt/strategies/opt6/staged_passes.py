"""Stencils over grids that are off the chip: steps of a pass and lanes, chosen by what both take.

All stages of a pass are alike, so what a design takes grows by the same amount with each step.
Designs of one step and of two, for each number of lanes, say how many fit; the fastest are built
and simulated (O25).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import gcd
from typing import TYPE_CHECKING

from streamopt.evaluation.boundary_ports import boundary_cycles, boundary_of_form
from streamopt.ir.expression import Read
from streamopt.ir.graph import Graph, Node
from streamopt.ir.network import LEAST_DEPTH_ELEMS
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.program import Role
from streamopt.ir.schedule import (
    MOST_ARGUMENT_BANKS,
    Binding,
    NodePlan,
    Schedule,
)
from streamopt.perf.as_built.work_bound import work_bound_cycles
from streamopt.space.tiles import divisors
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import ADDERS_IN_FABRIC, bindings, counted
from streamopt.strategies.opt6.simulated_design import SimulatedDesign, judged
from streamopt.strategies.problem import Problem
from streamopt.strategies.resources.budgeted import Chosen
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution
from streamopt.target.resources import RESOURCE_NAMES, Resources
from streamopt.transforms.ports.passes import in_place
from streamopt.transforms.ports.port_schedule import full_channel
from streamopt.transforms.rewrites import TIME, WINDOWS, rewritten
from streamopt.transforms.rewrites.unroll_time import one_pass, pass_steps

if TYPE_CHECKING:
    from streamopt.strategies.opt6.search_options import SearchOptions

MOST_LANES = 128
MOST_ITERATIONS = 2**21
"""Of a stage in a pass that is simulated."""
MOST_JUDGED = 8
"""Designs that are built, those first that promise most."""
URAM_BITS = 288 * 1024
BRAM18_BITS = 18 * 1024


@dataclass(frozen=True, slots=True)
class StagedDesign:
    """A design that runs in passes, and cycles below which none of so many steps a pass is."""

    design: SimulatedDesign
    bound_cycles: int

    def solution(self, run: Run) -> Solution:
        """Return it with its bound, which is one for designs of as many steps a pass."""
        found = self.design.solution(run)
        bound = min(self.bound_cycles, found.latency_cycles)
        return replace(found, bound=bound, message="stages of a stencil, pass after pass")


@dataclass(frozen=True, slots=True)
class _Shape:
    """Steps of a pass, lanes of every stage, and how many stages are built with adders of LUTs."""

    steps: int
    lanes: int
    in_fabric: int = 0


@dataclass(frozen=True, slots=True)
class _Growth:
    """Amounts of designs of so many lanes."""

    # one, step: of one step with all around it, and of each step more
    one: tuple[int, ...]
    step: tuple[int, ...]
    fabric: tuple[int, ...]
    """The increase of a step with adders of LUTs: fewer DSPs are a negative amount."""
    # cycles, step_cycles: of a pass likewise
    cycles: int
    step_cycles: int


def fits_on_chip(graph: Graph, limits: Resources) -> bool:
    """Return whether memories may hold all arrays that a graph hands over."""
    room = limits.bram18 * BRAM18_BITS + limits.uram * URAM_BITS
    outputs = (array for array in graph.arrays if array.role is Role.OUTPUT)
    return sum(array.size_elems * array.element.storage_bits for array in outputs) <= room


def staged_design(run: Run, options: SearchOptions) -> StagedDesign | None:
    """Return the fastest design in passes that was found within the limits, if there is one.

    There is none but for a graph that is one stencil with its arrays in memory off the chip.
    """
    if TIME in options.space.without or not _is_off_chip(run.problem):
        return None
    steps = pass_steps(run.problem.graph)
    return _StagedSearch(run, options, steps).best() if steps else None


def _is_off_chip(problem: Problem) -> bool:
    kinds = {port.array: port.kind for port in problem.ports}
    crossing = (array for array in problem.graph.arrays if array.role is not Role.INTERNAL)
    return all(a.size_elems == 1 or kinds.get(a.name) is PortKind.AXI for a in crossing)


class _StagedSearch:
    """Designs of one stencil, by steps of a pass and lanes."""

    def __init__(self, run: Run, options: SearchOptions, steps: int) -> None:
        self._run, self._options, self._steps = run, options, steps
        self._graph, self._limits = run.problem.graph, options.region.limits
        self._step_nodes = one_pass(self._graph, 1).nodes
        self._updates = sum(not _is_mover(node) for node in self._step_nodes)

    def best(self) -> StagedDesign | None:
        """Return the first design within the limits, of those that promise the fewest cycles."""
        for _, shape in sorted(self._promising(), key=lambda pair: pair[0])[:MOST_JUDGED]:
            self._run.clock.check()
            found, bound = self._design(shape)
            if found.is_within:
                return StagedDesign(found, bound)
        return None

    def _promising(self) -> Iterator[tuple[float, _Shape]]:
        """Yield shapes that should fit, with the cycles that they should take."""
        for lanes in self._lane_counts():
            self._run.clock.check()
            growth = self._growth(lanes)
            fits = False
            for steps in divisors(self._steps, 1):
                in_fabric = _fewest_in_fabric(growth, steps, self._updates, self._limits)
                if in_fabric is None:
                    break
                fits = True
                cycles = growth.cycles + (steps - 1) * growth.step_cycles
                yield self._steps / steps * cycles, _Shape(steps, lanes, in_fabric)
            if not fits:
                return

    def _lane_counts(self) -> list[int]:
        nodes = [node for node in self._step_nodes if len(node.loops) > 1]
        if not nodes:
            return [1]
        most = max(node.iterations for node in nodes) // MOST_ITERATIONS
        counts = divisors(gcd(*(node.loops[-1].trip_count for node in nodes)), 1)
        return [lanes for lanes in counts if most <= lanes <= MOST_LANES]

    def _growth(self, lanes: int) -> _Growth:
        """Return the amounts of designs of so many lanes, by those of one step and of two."""
        one, _ = self._design(_Shape(1, lanes))
        two, _ = self._design(_Shape(2, lanes))
        other, _ = self._design(_Shape(1, lanes, self._updates))
        amounts = [_amounts(design) for design in (one, two, other)]
        cycles = [
            (design.cycles + 1) // max(1, self._steps // steps)
            for steps, design in ((1, one), (2, two))
        ]
        return _Growth(
            amounts[0],
            tuple(b - a for a, b in zip(amounts[0], amounts[1], strict=True)),
            tuple(b - a for a, b in zip(amounts[0], amounts[2], strict=True)),
            cycles[0],
            cycles[1] - cycles[0],
        )

    def _design(self, shape: _Shape) -> tuple[SimulatedDesign, int]:
        """Return a design of that shape, and cycles below which no such pass is."""
        problem, on = self._run.problem, self._options.region.on
        names = (f"{TIME}:{shape.steps}", WINDOWS)
        form = rewritten(one_pass(self._graph, shape.steps), (WINDOWS,))
        graph, ports = boundary_of_form(form, in_place(form, problem.ports), on)
        choices = bindings(self._options.space.binding, graph, on)
        schedule = _schedule(graph, ports, shape, choices)
        chosen = Chosen(schedule, 0, 0, 0)
        sizes = self._options.sizes_fifos
        found = judged(graph, names, chosen, self._options.region, sizes_fifos=sizes)
        peaks = {fifo.name: fifo.peak_elems for fifo in found.evaluation.trace.fifos}
        channels = tuple(
            replace(c, depth_elems=max(LEAST_DEPTH_ELEMS, peaks[c.channel])) if c.depth_elems else c
            for c in found.built.channels
        )
        found = replace(found, built=replace(found.built, channels=channels))
        return found, self._bound(graph, ports, choices)

    def _bound(
        self, graph: Graph, ports: tuple[PortPlan, ...], choices: Mapping[str, tuple[Binding, ...]]
    ) -> int:
        on, priced = self._options.region.on, counted(self._options.space.binding, graph)
        costs = as_built_costs(graph, on, priced, ports, MOST_ARGUMENT_BANKS)
        work = work_bound_cycles(graph, costs, choices, priced, on, self._limits)
        return graph.pass_count * max(boundary_cycles(graph, ports, on), work)


def _is_mover(node: Node) -> bool:
    return isinstance(node.value, Read)


def _schedule(
    graph: Graph,
    ports: tuple[PortPlan, ...],
    shape: _Shape,
    choices: Mapping[str, tuple[Binding, ...]],
) -> Schedule:
    """Return the schedule of a pass: rows in order, and lanes along them."""
    stages = [node.name for node in graph.nodes if not _is_mover(node)]
    in_fabric = {
        name for name in stages[: shape.in_fabric] if ADDERS_IN_FABRIC in choices.get(name, ())
    }
    nodes: list[NodePlan] = []
    for node in graph.nodes:
        names = tuple(loop.name for loop in node.loops)
        factors = dict.fromkeys(names, 1)
        if names and node.loops[-1].trip_count % shape.lanes == 0:
            factors[names[-1]] = shape.lanes
        binding = ADDERS_IN_FABRIC if node.name in in_fabric else ()
        nodes.append(NodePlan(node.name, names, tuple(factors.items()), binding))
    plan = Schedule(graph.name, tuple(nodes), (), (), ports, MOST_ARGUMENT_BANKS)
    return replace(plan, channels=tuple(full_channel(graph, edge, plan) for edge in graph.edges))


def _fewest_in_fabric(growth: _Growth, steps: int, updates: int, limits: Resources) -> int | None:
    """Return the fewest stages with adders of LUTs for which a design should fit; None if none."""
    most = [getattr(limits, name) for name in RESOURCE_NAMES]
    for count in range(steps * updates + 1):
        parts = zip(growth.one, growth.step, growth.fabric, most, strict=True)
        if all(o + (steps - 1) * s + count * f / updates <= m for o, s, f, m in parts):
            return count
    return None


def _amounts(design: SimulatedDesign) -> tuple[int, ...]:
    return tuple(getattr(design.used, name) for name in RESOURCE_NAMES)
