"""The MINLP of equation 3 in [1]: permutation indicators and tile sizes as printed.

For solvers of nonlinear integer programs. It has the optimum of the compact program, which is
what its use is: an independent statement of the same problem. Equation numbers are those of
``models/formulations/paper.md``.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, tables 3 and 4, equations 1 to 3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from streamopt.formulation.tags import Formulation, Tag, new_model, pyo
from streamopt.ir.graph import Edge
from streamopt.ir.schedule import Schedule
from streamopt.perf.paper.algebra import INTEGERS
from streamopt.perf.paper.dsp import dsps_per_lane
from streamopt.perf.paper.timing import NestTiming, nest_timing
from streamopt.space.assemble import assemble, first_plans
from streamopt.space.decisions import DecisionSpace, read_stream_order, write_stream_order


@dataclass(frozen=True, slots=True)
class Paper:
    """The model under construction with its variables."""

    formulation: Formulation
    space: DecisionSpace
    choice: Mapping[str, Sequence[Any]]
    """``b``: by node, one binary for each loop order."""
    # unroll, tiles: ``u`` and ``x``: by node and loop, unroll factor and trip count of the tile
    # loop
    unroll: Mapping[str, Mapping[str, Any]]
    tiles: Mapping[str, Mapping[str, Any]]
    # start, last: ``st`` and ``lw`` of every node in cycles
    start: Mapping[str, Any]
    last: Mapping[str, Any]

    def chosen(self, node: str, values: Sequence[Any]) -> Any:
        """Return ``sum(b * value of the order b)``, as in table 4 of [1]."""
        return sum(b * value for b, value in zip(self.choice[node], values, strict=True))


def build(space: DecisionSpace, *, horizon_cycles: int) -> Paper:
    """Return the paper's program: minimise ``lw(Sink)`` in cycles.

    Parameters
    ----------
    horizon_cycles
        Latency of a schedule of this space; bounds all times.
    """
    paper = _variables(space, horizon_cycles)
    _permutations(paper)
    _tile_sizes(paper)
    _dsp_budget(paper)
    _times(paper)
    return paper


def _variables(space: DecisionSpace, horizon_cycles: int) -> Paper:
    formulation = new_model(space.graph.name)
    model = formulation.model
    names = [node.name for node in space.graph.nodes]
    loops = [(node.name, loop.name) for node in space.graph.nodes for loop in node.loops]
    orders = [(name, p) for name in names for p in range(len(space.orders[name]))]
    factors = {key: group.factors for group in space.classes for key in group.members}
    trips = {key: space.graph.node(key[0]).trip_counts[key[1]] for key in loops}
    model.b = pyo.Var(orders, domain=pyo.Binary)
    model.u = pyo.Var(loops, domain=pyo.PositiveIntegers)
    model.x = pyo.Var(loops, domain=pyo.PositiveIntegers)
    for key in loops:
        most = max(factors[key])
        model.u[key].setub(most)
        model.x[key].setlb(trips[key] // most)
        model.x[key].setub(trips[key])
    times: dict[str, Any] = {"domain": pyo.NonNegativeIntegers, "bounds": (0, horizon_cycles)}
    model.start = pyo.Var(names, **times)
    model.last = pyo.Var(names, **times)
    model.latency = pyo.Var(**times)
    model.objective = pyo.Objective(expr=model.latency, sense=pyo.minimize)

    def by_loop(variable: Any) -> dict[str, dict[str, Any]]:
        return {
            node.name: {loop.name: variable[node.name, loop.name] for loop in node.loops}
            for node in space.graph.nodes
        }

    return Paper(
        formulation=formulation,
        space=space,
        choice={n: [model.b[n, p] for p in range(len(space.orders[n]))] for n in names},
        unroll=by_loop(model.u),
        tiles=by_loop(model.x),
        start={name: model.start[name] for name in names},
        last={name: model.last[name] for name in names},
    )


def _permutations(paper: Paper) -> None:
    """Choose one loop order for every node (1)."""
    for node, choices in paper.choice.items():
        paper.formulation.require(sum(choices) == 1, Tag("1", "permutation", node))


def _tile_sizes(paper: Paper) -> None:
    """Couple unroll factors along edges (2) and let them divide the trip counts (3)."""
    for group in paper.space.classes:
        first = paper.unroll[group.members[0][0]][group.members[0][1]]
        for node, loop in group.members[1:]:
            paper.formulation.require(
                paper.unroll[node][loop] == first, Tag("2", "tile_size", f"{node}.{loop}")
            )
    for node in paper.space.graph.nodes:
        for loop in node.loops:
            paper.formulation.require(
                paper.unroll[node.name][loop.name] * paper.tiles[node.name][loop.name]
                == loop.trip_count,
                Tag("3", "divisor", f"{node.name}.{loop.name}"),
            )


def _dsp_budget(paper: Paper) -> None:
    """Keep ``sum(U_n * product of the unroll factors)`` within the DSPs (4)."""
    graph = paper.space.graph
    lane_dsps = {node.name: dsps_per_lane(node, graph.element_of) for node in graph.nodes}
    used = sum(dsps * prod(paper.unroll[node].values()) for node, dsps in lane_dsps.items() if dsps)
    if not any(lane_dsps.values()):
        return
    paper.formulation.require(
        used <= paper.space.dsp_limit, Tag("4", "dsp_budget", paper.space.graph.name)
    )


def _times(paper: Paper) -> None:
    """State table 4 of [1] (5 to 9)."""
    require = paper.formulation.require
    timings = _timings(paper)
    for node, own in timings.items():
        start, last = paper.start[node], paper.last[node]
        whole = paper.chosen(node, [timing.last_write for timing in own])
        require(last >= start + whole, Tag("7", "last_write", node))
        require(paper.formulation.model.latency >= last, Tag("9", "latency", node))
    for edge in paper.space.graph.edges:
        before, after = edge.producer, edge.consumer
        first = paper.start[before] + paper.chosen(
            before, [timing.first_write for timing in timings[before]]
        )
        require(paper.start[after] >= first, Tag("5", "arrival", edge.channel))
        waits = 1 - _streams(paper, edge)
        arrival = first + waits * (paper.last[before] - first)
        require(paper.start[after] >= arrival, Tag("6", "arrival", edge.channel))
        epilogue = paper.chosen(
            after,
            [timing.last_write + timing.last_read[edge.array] * -1 for timing in timings[after]],
        )
        require(
            paper.last[after] >= paper.last[before] + epilogue,
            Tag("8", "last_write", edge.channel),
        )


def _timings(paper: Paper) -> dict[str, list[NestTiming[Any]]]:
    graph = paper.space.graph
    ins, outs = graph.in_edges(), graph.out_edges()
    algebra: Any = INTEGERS
    return {
        node.name: [
            nest_timing(
                node,
                order,
                paper.tiles[node.name],
                tuple(dict.fromkeys(edge.array for edge in ins[node.name])),
                algebra,
                stores=len(outs[node.name]),
            )
            for order in paper.space.orders[node.name]
        ]
        for node in graph.nodes
    }


def _streams(paper: Paper, edge: Edge) -> Any:
    """Return ``sum of b * b'`` over the pairs of orders that agree: 1 where the edge is a FIFO."""
    if edge.channel not in paper.space.streamable:
        return 0
    by_order: dict[tuple[int, ...], tuple[list[Any], list[Any]]] = {}
    sides = ((edge.producer, write_stream_order), (edge.consumer, read_stream_order))
    for side, (node, walk) in enumerate(sides):
        for order, b in zip(paper.space.orders[node], paper.choice[node], strict=True):
            walked = walk(paper.space.graph, edge, order)
            if walked is not None:
                by_order.setdefault(walked, ([], []))[side].append(b)
    return sum(sum(written) * sum(read) for written, read in by_order.values() if written and read)


def read_back(paper: Paper, values: Mapping[str, float]) -> Schedule:
    """Return the schedule of a solution, given by variable name."""
    orders = {
        node: paper.space.orders[node][
            max(range(len(choices)), key=lambda p: values[choices[p].name])
        ]
        for node, choices in paper.choice.items()
    }
    factors = {
        node: tuple(round(values[u.name]) for u in loops.values())
        for node, loops in paper.unroll.items()
    }
    plans = first_plans(paper.space.graph, paper.space.costs)
    return assemble(paper.space.graph, orders, factors, plans=plans)
