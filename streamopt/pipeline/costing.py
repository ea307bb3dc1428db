"""The honest costs of a graph's nodes: the graph is lowered once without unrolling."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.expression import substitute_condition
from streamopt.ir.network import Place
from streamopt.ir.program import Loop
from streamopt.ir.schedule import ChannelKind, ChannelPlan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.network import Network, Pipeline, Port
    from streamopt.perf.honest import HonestCosts, PortRule
    from streamopt.target.device import Target

__all__ = ["honest_costs"]


def honest_costs(graph: Graph, on: Target) -> HonestCosts:
    """Return what every choice of a graph's nodes costs on a target."""
    from streamopt.perf.closed_form import node_pipelines
    from streamopt.perf.honest import HonestCosts
    from streamopt.space.assemble import baseline
    from streamopt.transforms.apply import apply
    from streamopt.transforms.lower import lower

    schedule = baseline(graph)
    # buffers, as the accesses of streams don't name the loops that they move with
    channels = tuple(
        ChannelPlan(plan.channel, ChannelKind.PING_PONG) for plan in schedule.channels
    )
    scheduled = apply(graph, replace(schedule, channels=channels))
    network = lower(scheduled)
    pipelines = node_pipelines(scheduled, network)
    rules = {
        node.name: rule
        for node in graph.nodes
        if len(pipelines[node.name]) == 1
        and (rule := _port_rule(graph, node, pipelines[node.name][0], network)) is not None
    }
    return HonestCosts(pipelines, network, on, rules)


def _port_rule(
    graph: Graph, node: Node, body: Pipeline, network: Network
) -> PortRule | None:
    """Return the rule for arguments that a node walks by more than plain iterators."""
    from streamopt.perf.honest import PortRule
    from streamopt.perf.ports import memory_demands, port_counts
    from streamopt.transforms.partitions import argument_banks

    memories = {m.name: m for m in network.memories if m.place is Place.ARGUMENT}
    ports = tuple(port for port in body.ports if port.target in memories)
    bent = [port for port in ports if not all(map(_is_plain, port.subscripts))]
    if not bent:
        return None
    arrays = {memory.name.removesuffix(".argument"): memory for memory in memories.values()}
    loops = sorted({name for port in ports for s in port.subscripts for name in s.iterators()})
    counts = port_counts(network)

    def judge(chosen: Mapping[str, int]) -> int:
        factors = {name: chosen.get(name, 1) for name in node.trip_counts}
        split = {
            memory.name: replace(
                memory, factors=argument_banks(graph.array(name), node, factors) or (1,)
            )
            for name, memory in arrays.items()
            if name in node.inputs or name == node.write.array
        }
        pipeline = _unrolled(body, ports, node, factors)
        demands = memory_demands(pipeline, split, counts)
        return max((demand.ii for demand in demands), default=1)

    return PortRule(loops, judge)


def _is_plain(subscript: Affine) -> bool:
    return not subscript.terms or subscript.as_iterator() is not None


def _unrolled(
    body: Pipeline, ports: tuple[Port, ...], node: Node, factors: Mapping[str, int]
) -> Pipeline:
    """Return a pipeline of one node's accesses with its loops unrolled."""
    at = {
        name: Affine.iterator(name).scaled(factor) + Affine.iterator(f"{name}.lane")
        for name, factor in factors.items()
        if factor > 1
    }
    placed = tuple(
        replace(
            port,
            subscripts=tuple(s.substitute(at) for s in port.subscripts),
            guard=None if port.guard is None else substitute_condition(port.guard, at),
        )
        for port in ports
    )
    trips = node.trip_counts
    return replace(
        body,
        tiles=tuple(Loop(name, trips[name] // factors[name]) for name in trips),
        lanes=tuple(Loop(f"{name}.lane", factors[name]) for name in trips if factors[name] > 1),
        ports=placed,
        operations=(),
    )
