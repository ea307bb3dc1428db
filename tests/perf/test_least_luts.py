"""LUTs that rows and channels surely take, against designs of the same schedules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.ir.schedule import ChannelKind
from streamopt.perf.costs import Setting
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.space.assemble import assemble
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.tiles import MOST_CHOICES
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower
from streamopt.transforms.rewrites import rewritten
from tests.support.nightly import in_nightly
from tests.support.random.graphs import random_graph
from tests.support.random.windows import window_chain

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Schedule
    from streamopt.space.decisions import DecisionSpace

DEVICE = so.device("u280")
GRAPHS = Path(__file__).parents[2] / "graphs"
LEAST_DEPTH_ELEMS = 2


def space_of(graph: Graph) -> DecisionSpace:
    return decision_space(
        graph,
        SpaceOptions(
            LEVELS[LevelName.OPT6],
            dsp_limit=10**6,
            tiling_limit=1,
            costs=as_built_costs(graph, DEVICE).with_surroundings(),
            bindings=bindings(None, graph, DEVICE),
            partial_tiles=MOST_CHOICES,
        ),
    )


def any_schedule(space: DecisionSpace, rng: Random) -> Schedule:
    graph, taken = space.graph, dict[tuple[str, str], int]()
    for group in space.classes:
        taken |= dict.fromkeys(group.members, rng.choice(group.factors))
    return assemble(
        graph,
        {node.name: rng.choice(space.orders[node.name]) for node in graph.nodes},
        {node.name: [taken[node.name, loop] for loop in node.trip_counts] for node in graph.nodes},
        {name: rng.choice(choices) for name, choices in space.bindings.items()},
    )


def said(space: DecisionSpace, schedule: Schedule) -> int:
    """Return the LUTs of all rows, and of the channels that can stream."""
    graph, ins, found = space.graph, space.graph.in_edges(), 0
    for plan in schedule.nodes:
        operands = tuple(dict.fromkeys(edge.array for edge in ins[plan.node]))
        setting = Setting(operands, 1, 0, plan.binding)
        cost = space.costs.node_cost(graph.node(plan.node), plan.order, plan.factors, setting)
        found += cost.luts
        for edge in ins[plan.node]:
            is_fifo = schedule.channel(edge.channel).kind is ChannelKind.FIFO
            if edge.channel in space.streamable:
                found += (cost.as_fifo if is_fifo else cost.as_buffer)[edge.array]
    return found


def built(graph: Graph, schedule: Schedule, depth_elems: int | None) -> int:
    """Return the LUTs of a design, with FIFOs of a depth if one is given."""
    network = lower(apply(graph, schedule))
    if depth_elems is not None:
        fifos = tuple(replace(fifo, depth_elems=depth_elems) for fifo in network.fifos)
        network = replace(network, fifos=fifos)
    return resources(network, pipeline_timings(network, DEVICE), DEVICE).total.luts


def check_bound(graph: Graph, rng: Random) -> int:
    """Check a random schedule; return its FIFOs."""
    space = space_of(graph)
    schedule = any_schedule(space, rng)
    least = said(space, schedule)
    assert least <= built(graph, schedule, LEAST_DEPTH_ELEMS), schedule
    assert least <= built(graph, schedule, None), schedule
    return sum(plan.kind is ChannelKind.FIFO for plan in schedule.channels)


@pytest.mark.parametrize("group", in_nightly(range(12), 1))
def test_designs_take_no_less(group: int) -> None:
    fifos = 0
    for seed in range(5 * group, 5 * group + 5):
        rng = Random(seed)
        graph = random_graph(rng, nodes=rng.randint(2, 4), max_extent=rng.choice((4, 9, 17)))
        for _ in range(3):
            fifos += check_bound(graph, rng)
    assert fifos


@pytest.mark.parametrize("seed", in_nightly(range(8), 1))
def test_designs_with_windows_take_no_less(seed: int) -> None:
    rng = Random(seed)
    form = rewritten(so.dataflow(window_chain(rng)), ("fold_padding", "stream_windows"))
    check_bound(form, rng)


@pytest.mark.parametrize(
    "name", in_nightly(["7mm_balanced", "multi_head_attention", "autoencoder"], 1)
)
def test_rows_leave_little_unsaid(name: str) -> None:
    """Sums, FIFOs and what is kept of them are most of what designs have around operators."""
    (path,) = GRAPHS.glob(f"*/{name}.json")
    space = space_of(so.dataflow(so.load(path)))
    schedule = any_schedule(space, Random(1))
    whole = built(space.graph, schedule, LEAST_DEPTH_ELEMS)
    assert 0.8 * whole <= said(space, schedule) <= whole
