"""The costs of a graph's nodes as built: the graph is lowered once without unrolling."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.ir.schedule import ChannelKind, ChannelPlan
from streamopt.transforms.partitions import argument_banks, fullest_bank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.network import Network, Pipeline
    from streamopt.ir.ports import PortPlan
    from streamopt.ir.schedule import Binding
    from streamopt.perf.as_built.node_costs import AsBuiltCosts, PortRule
    from streamopt.perf.pipelines.bandwidth import TransferRule
    from streamopt.target.device import Target

NOTHING: Mapping[str, Binding] = MappingProxyType({})

__all__ = ["as_built_costs"]


def as_built_costs(
    graph: Graph,
    on: Target,
    counted: Mapping[str, Binding] = NOTHING,
    ports: tuple[PortPlan, ...] = (),
) -> AsBuiltCosts:
    """Return the cost of every configuration of a graph's nodes on a target.

    Parameters
    ----------
    counted
        By node, a binding by which DSPs are counted, whatever the tool does.
    ports
        How arrays cross the boundary, with movers in the graph: they keep to their channels.
    """
    from streamopt.perf.as_built.closed_form import node_pipelines
    from streamopt.perf.as_built.node_costs import AsBuiltCosts
    from streamopt.perf.pipelines.bandwidth import network_rates
    from streamopt.perf.pipelines.ports import port_counts
    from streamopt.space.assemble import baseline
    from streamopt.transforms.apply import apply
    from streamopt.transforms.lower import lower

    schedule = baseline(graph)
    # buffers, as the accesses of streams don't name the loops that they move with
    channels = tuple(ChannelPlan(plan.channel, ChannelKind.PING_PONG) for plan in schedule.channels)
    scheduled = apply(graph, replace(schedule, channels=channels, ports=ports))
    network = lower(scheduled)
    counts, rates = port_counts(network), network_rates(network, on)
    pipelines = node_pipelines(scheduled, network)
    rules = {
        node.name: _transfer_rule(pipelines[node.name], network, rates)
        or _port_rule(graph, node, counts)
        for node in graph.nodes
    }
    return AsBuiltCosts(graph, pipelines, network, on, rules, counted)


def _transfer_rule(
    pipelines: Sequence[Pipeline], network: Network, rates: Mapping[str, tuple[float, ...]]
) -> TransferRule | None:
    """Return the rule of the channel that a node moves an array through, if it does."""
    from streamopt.perf.pipelines.bandwidth import TransferRule

    touched = [port.target for p in pipelines for port in p.ports if port.target in rates]
    if not touched:
        return None
    bits = next(m.element.bits for m in network.memories if m.name == touched[0])
    return TransferRule(bits, rates[touched[0]])


def _port_rule(graph: Graph, node: Node, counts: Mapping[str, int]) -> PortRule:
    """Return the rule for the arguments that a node walks by more than plain iterators."""
    from streamopt.perf.as_built.node_costs import PortRule

    accesses = () if isinstance(node, SequentialNode) else (*node.reads, node.write)
    bent = [
        access
        for access in dict.fromkeys(accesses)
        if counts.get(access.array) and not all(map(_is_plain, access.subscripts))
    ]
    crooked = [s for access in bent for s in access.subscripts if not _is_plain(s)]
    judge = partial(_argument_ii, graph, node, bent, counts)
    return PortRule(sorted({name for s in crooked for name in s.iterators()}), judge)


def _argument_ii(
    graph: Graph,
    node: Node,
    accesses: Sequence[Access],
    ports: Mapping[str, int],
    chosen: Mapping[str, int],
) -> int:
    """Return the II that the accesses of a node ask for, by the factors of some of its loops."""
    factors = {name: chosen.get(name, 1) for name in node.trip_counts}
    loads: Counter[str] = Counter()
    for access in accesses:
        banks = argument_banks(graph.array(access.array), node, factors)
        pairs = zip(access.subscripts, banks, strict=True)
        loads[access.array] += prod(fullest_bank(s, node, factors, n) for s, n in pairs)
    return max(-(-load // ports[array]) for array, load in loads.items())


def _is_plain(subscript: Affine) -> bool:
    return not subscript.terms or subscript.as_iterator() is not None
