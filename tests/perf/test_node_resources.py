"""Operators of nodes for many schedules at once, against those of the lowered pipelines."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.formats.graph_json import load_graph_json
from streamopt.ir.graph import SequentialNode
from streamopt.ir.network import Implementation, PipelineTiming
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.perf.as_built.node_operators import node_operators
from streamopt.perf.resources.network import operator_resources
from streamopt.perf.resources.operators import operator_replicas
from streamopt.target.device import Target
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.lower import lower
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.network import Network
    from streamopt.ir.schedule import Binding

GRAPHS = sorted((Path(__file__).parents[2] / "graphs").rglob("*.json"))
U280 = Target.named("u280", clock_ns=3.33)
BINDINGS: tuple[Binding, ...] = (
    (),
    ((Operator.ADD, Implementation.FABRIC),),
    ((Operator.ADD, Implementation.FABRIC), (Operator.MUL, Implementation.FABRIC)),
)


def random_plan(node: Node, rng: random.Random) -> NodePlan:
    order = list(node.trip_counts)
    rng.shuffle(order)
    factors: dict[str, int] = {}
    for name, trips in node.trip_counts.items():
        small = [f for f in range(1, 17) if trips % f == 0]
        factors[name] = rng.choice([1, *small, *([trips] if trips <= 32 else [])])
    return NodePlan(node.name, tuple(order), tuple(factors.items()), rng.choice(BINDINGS))


def network_of(graph: Graph, plans: tuple[NodePlan, ...]) -> Network:
    buffers = tuple(ChannelPlan(edge.channel, ChannelKind.PING_PONG) for edge in graph.edges)
    return lower(apply(graph, Schedule(graph.name, plans, buffers)))


def check_nodes(graph: Graph, rng: random.Random) -> None:
    """Compare every node of a random schedule, at some interval: the rules don't ask which."""
    plans = tuple(random_plan(node, rng) for node in graph.nodes)
    network = network_of(graph, plans)
    pipelines = {pipeline.name: pipeline for pipeline in network.pipelines}
    for plan, node in zip(plans, graph.nodes, strict=True):
        if isinstance(node, SequentialNode):
            continue
        operators = node_operators(node, lambda name: graph.array(name).element, plan.binding)
        factors = {name: np.array([factor]) for name, factor in plan.unroll}
        timing = PipelineTiming(rng.choice((1, 1, 2, 4, 12)), depth_cycles=20)
        apart = operators.distances(plan.order, factors)
        found = operators.amounts(factors, np.array([timing.ii]), apart, U280)
        pipeline = pipelines[node.name]
        replicas = operator_replicas(pipeline)
        used, bits = operator_resources(pipeline, replicas, timing, U280)
        amounts = (found.dsps, found.luts, found.ffs, found.unit_bits)
        assert [a.tolist() for a in amounts] == [[used.dsps], [used.luts], [used.ffs], [bits]], plan


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_published_programs(path: Path) -> None:
    graph = canonicalize(load_graph_json(path))
    for seed in range(12):
        check_nodes(graph, random.Random(seed))


def test_random_graphs() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        graph = random_graph(rng, nodes=3, max_extent=24)
        check_nodes(graph, rng)


def test_many_schedules_at_once() -> None:
    graph = canonicalize(load_graph_json(GRAPHS[0].parents[1] / "polybench" / "gemm.json"))
    node = graph.nodes[-1]
    operators = node_operators(node, lambda name: graph.array(name).element)
    rng = random.Random(7)
    plans = [random_plan(node, rng) for _ in range(50)]
    order = plans[0].order
    factors = {n: np.array([plan.factors[n] for plan in plans]) for n in node.trip_counts}
    ii = np.array([rng.choice((1, 2, 4, 12)) for _ in plans])
    together = operators.amounts(factors, ii, operators.distances(order, factors), U280)
    for place in range(len(plans)):
        one = {name: values[place : place + 1] for name, values in factors.items()}
        apart = operators.distances(order, one)
        alone = operators.amounts(one, ii[place : place + 1], apart, U280)
        assert alone.dsps.tolist() == [together.dsps[place]]
        assert alone.luts.tolist() == [together.luts[place]]
    assert len(set(together.dsps.tolist())) > 10
