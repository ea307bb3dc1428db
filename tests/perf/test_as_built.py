"""As-built costs of rows against the designs that the rows become."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.ir.program import Role
from streamopt.ir.schedule import ChannelKind
from streamopt.perf.as_built.closed_form import node_pipelines, predict
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.addresses import address_multipliers
from streamopt.perf.resources.memory_blocks import memories_as_built
from streamopt.perf.resources.network import resources
from streamopt.space.assemble import assemble, evaluate
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.sketches import program
from tests.support.random.graphs import random_graph
from tests.support.random.windows import window_chain
from tests.support.window_schedules import PREFILLED, WINDOWS

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Prediction, Schedule
    from streamopt.perf.as_built.node_costs import AsBuiltCosts
    from streamopt.space.decisions import DecisionSpace

GRAPHS = Path(__file__).parents[2] / "graphs"
DEVICE = so.device("u280")
FORM = ("fold_padding", "fold_copies", "private_arguments")
EARLIER, LATER = 1, 4
EARLIER_IN_PARTIAL_TILES = 3
"""Cycles by which the depth of a row may be off: rows are lowered without unrolling, and a bank
that shrinks to a register, or is selected among many, answers at another time. Banks of
partial tiles may have extents by which addresses are multiplied, where whole arrays have not."""


def space_of(graph: Graph, costs: AsBuiltCosts, *, partial: int = 0) -> DecisionSpace:
    level = LEVELS[LevelName.OPT6]
    return decision_space(
        graph,
        SpaceOptions(
            level,
            dsp_limit=10**6,
            tiling_limit=1,
            costs=costs,
            bindings=bindings(None, graph, DEVICE),
            partial_tiles=partial,
        ),
    )


def any_schedule(space: DecisionSpace, rng: Random) -> Schedule:
    graph, taken = space.graph, dict[tuple[str, str], int]()
    for group in space.classes:
        some = group.factors[: max(1, 2 * len(group.factors) // 3)]
        taken |= dict.fromkeys(group.members, rng.choice(some))
    return assemble(
        graph,
        {node.name: rng.choice(space.orders[node.name]) for node in graph.nodes},
        {node.name: [taken[node.name, loop] for loop in node.trip_counts] for node in graph.nodes},
        {name: rng.choice(choices) for name, choices in space.bindings.items()},
    )


def as_built(graph: Graph, schedule: Schedule) -> Prediction:
    """Return the closed form of the lowered design, with DSPs of operators alone."""
    scheduled = apply(graph, schedule)
    network = lower(scheduled)
    timings = pipeline_timings(network, DEVICE)
    used, memories = resources(network, timings, DEVICE).pipelines, memories_as_built(network)
    operators = {
        pipeline.name: used[pipeline.name].dsps
        - sum(found.in_dsp for found in address_multipliers(pipeline, memories))
        for own in node_pipelines(scheduled, network).values()
        for pipeline in own
    }
    return predict(scheduled, network, timings, operators)


@pytest.mark.parametrize(
    "program",
    ["polybench/gesummv", "polybench/atax", "polybench/3mm", "cnns/dwsconv_block",
     "cnns/residual_block", "transformers/feed_forward"],
)  # fmt: skip
def test_rows_say_what_designs_of_programs_take(program: str) -> None:
    graph = rewritten(so.dataflow(so.load(GRAPHS / f"{program}.json")), FORM)
    costs, rng = as_built_costs(graph, DEVICE), Random(program)
    space = space_of(graph, costs)
    for _ in range(6):
        schedule = any_schedule(space, rng)
        rows = evaluate(graph, schedule, costs)
        for row, built in zip(rows.nodes, as_built(graph, schedule).nodes, strict=True):
            assert (row.node, row.ii, row.dsps) == (built.node, built.ii, built.dsps)
            later = row.first_write_cycles - row.start_cycles
            later -= built.first_write_cycles - built.start_cycles
            assert -EARLIER <= later <= LATER


@pytest.mark.parametrize("seed", range(12))
def test_rows_of_random_graphs_are_never_too_fast(seed: int) -> None:
    graph = rewritten(random_graph(Random(seed), nodes=3, max_extent=8), FORM)
    costs, rng = as_built_costs(graph, DEVICE), Random(seed)
    space = space_of(graph, costs)
    for _ in range(6):
        schedule = any_schedule(space, rng)
        rows = evaluate(graph, schedule, costs)
        for row, built in zip(rows.nodes, as_built(graph, schedule).nodes, strict=True):
            assert row.ii >= built.ii
            assert row.dsps == built.dsps or row.ii > built.ii
            later = row.first_write_cycles - row.start_cycles
            later -= built.first_write_cycles - built.start_cycles
            assert -EARLIER <= later <= LATER


@pytest.mark.parametrize("program", ["polybench/gesummv", "polybench/3mm", "cnns/dwsconv_block"])
def test_rows_with_partial_tiles_say_what_designs_take(program: str) -> None:
    graph = rewritten(so.dataflow(so.load(GRAPHS / f"{program}.json")), FORM)
    costs, rng = as_built_costs(graph, DEVICE), Random(program)
    space, partial = space_of(graph, costs, partial=10**6), 0
    for _ in range(6):
        schedule = any_schedule(space, rng)
        scheduled = apply(graph, schedule)
        partial += sum(loop.is_partial for node in scheduled.nodes for loop in node.loops)
        rows = evaluate(graph, schedule, costs)
        for row, built in zip(rows.nodes, as_built(graph, schedule).nodes, strict=True):
            assert (row.node, row.ii, row.dsps) == (built.node, built.ii, built.dsps)
            later = row.first_write_cycles - row.start_cycles
            later -= built.first_write_cycles - built.start_cycles
            assert -EARLIER_IN_PARTIAL_TILES <= later <= LATER
    assert partial > 6


@pytest.mark.parametrize("names", [WINDOWS, PREFILLED], ids=["late", "prefilled"])
@pytest.mark.parametrize("seed", range(6))
def test_rows_say_when_windows_read_and_write(seed: int, names: tuple[str, ...]) -> None:
    graph = rewritten(so.dataflow(window_chain(Random(seed))), names)
    assert any(node.windows for node in graph.nodes)
    costs, rng = as_built_costs(graph, DEVICE), Random(seed)
    space = space_of(graph, costs)
    for _ in range(4):
        schedule = in_rows(space, any_schedule(space, rng))
        rows, built = evaluate(graph, schedule, costs), as_built(graph, schedule)
        for row, own in zip(rows.nodes, built.nodes, strict=True):
            assert (row.ii, row.dsps) == (own.ii, own.dsps)
        assert -EARLIER <= rows.latency_cycles - built.latency_cycles <= LATER * len(rows.nodes)
        cycles = so.simulate(graph, schedule).cycles
        assert -LATER <= cycles - built.latency_cycles <= LATER + cycles // 10  # stalls


def in_rows(space: DecisionSpace, schedule: Schedule) -> Schedule:
    """Return the schedule with all nodes in row order, so that all of their channels stream."""
    orders = {
        node.name: min(
            space.orders[node.name], key=lambda order: ["hwco".find(n) % 9 for n in order]
        )
        for node in space.graph.nodes
    }
    factors = {
        node.name: [schedule.node(node.name).factors[name] for name in node.trip_counts]
        for node in space.graph.nodes
    }
    found = assemble(space.graph, orders, factors)
    assert all(plan.kind is ChannelKind.FIFO for plan in found.channels)
    return found


def test_windows_on_arguments_share_ports() -> None:
    p = so.dsl.program("window")
    h, w, m, n = p.iterators(h=8, w=8, m=3, n=3)
    x, k = p.input("x", 10, 10), p.input("k", 3, 3)
    p.output("y", (h, w), so.dsl.sum((m, n), x[h + m, w + n] * k[m, n]))
    graph = so.dataflow(p.build())
    costs = as_built_costs(graph, DEVICE)
    space = space_of(graph, costs)
    seen: set[int] = set()
    (node,) = graph.nodes
    order = tuple(name for name in node.trip_counts if name not in node.reduction_loops)
    order = (*node.reduction_loops, *order)
    for columns in (1, 2, 4, 8):
        for taps in (1, 3):
            factors = dict(zip(node.trip_counts, (1, columns, 1, taps), strict=True))
            schedule = assemble(graph, {node.name: order}, {node.name: list(factors.values())})
            (row,) = evaluate(graph, schedule, costs).nodes
            (built,) = as_built(graph, schedule).nodes
            assert row.ii == built.ii
            seen.add(row.ii)
    assert len(space.classes) == 4
    assert max(seen) > 1


@pytest.mark.parametrize(("lanes", "ii"), [((2, 3), 3), ((2, 1), 5)])
def test_who_fills_a_buffer_waits_for_the_banks_that_its_reader_leaves(
    lanes: tuple[int, int], ii: int
) -> None:
    arrays = {"x": "input 10 8", "k": "weight 3", "a": "internal 10 8", "b": "internal 4 2 8"}
    nodes = {
        "fill": "i 10, w 8: a[i][w] = x[i][w] + 1",
        "blur": "h 4, g 2, w 8, m 3: b[h][g][w] += a[2 * h + g + m][w] * k[m]",
        "next": "h 3, g 2, w 8, n 2: y[h][g][w] += b[h + n][g][w]",
    }
    graph = so.dataflow(program({**arrays, "y": "output 3 2 8"}, nodes))
    graph = rewritten(graph, ("stream_windows",))
    costs = as_built_costs(graph, DEVICE, most_banks=256)
    orders = {node.name: tuple(node.trip_counts) for node in graph.nodes}
    factors = {"fill": [10, 1], "blur": [1, lanes[0], 1, lanes[1]], "next": [1, lanes[0], 1, 1]}
    schedule = replace(assemble(graph, orders, factors), most_banks=256)
    rows, built = evaluate(graph, schedule, costs).nodes, as_built(graph, schedule).nodes
    assert (rows[0].ii, built[0].ii) == (3, ii)


@pytest.mark.parametrize(("kind", "ii"), [("memory", 2), ("rom", 1)])
def test_lanes_beyond_the_limit_of_banks_take_turns_in_arguments_alone(kind: str, ii: int) -> None:
    p = so.dsl.program("rows")
    i, j = p.iterators(i=32, j=8)
    x, w = p.input("x", 32, 8), p.input("w", 32, 8)
    p.output("y", (i,), so.dsl.sum(j, x[i, j] * w[i, j]))
    graph = so.dataflow(p.build())
    weights = tuple(
        array if array.name == "y" else replace(array, role=Role.WEIGHT) for array in graph.arrays
    )
    values = dict.fromkeys(("x", "w"), np.ones((32, 8), np.float32))
    graph = replace(graph, arrays=weights, values=values)
    ports = so.plan_ports(graph, ports=dict.fromkeys(("x", "w"), kind))
    costs = as_built_costs(graph, DEVICE, ports=ports, most_banks=2)
    (node,) = graph.nodes
    schedule = assemble(graph, {node.name: ("j", "i")}, {node.name: [1, 8]})
    (row,) = evaluate(graph, schedule, costs).nodes
    (built,) = as_built(graph, replace(schedule, ports=ports, most_banks=2)).nodes
    assert row.ii == built.ii == ii
