"""CODO from a graph to a schedule: violations, communication, parallelism, in this order.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026, figure 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, StrategyError
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.space.assemble import full_fifo
from streamopt.strategies.codo.aligning import aligned, streams
from streamopt.strategies.codo.fallback import scheduled
from streamopt.strategies.codo.model import nest_model
from streamopt.strategies.codo.telling import told
from streamopt.strategies.rival import RivalAnswer
from streamopt.transforms.rewrites import changed_by

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from streamopt.ir.graph import Edge, Graph
    from streamopt.strategies.codo.aligning import Alignment
    from streamopt.strategies.codo.choices import Choice
    from streamopt.strategies.rival import RivalRequest

__all__ = ["design"]

REWRITES = ("fold_borders", "private_arguments", "stream_windows")
"""Several writers become one, arguments get one reader, windows take their array from a stream."""


def design(request: RivalRequest) -> RivalAnswer:
    """Return CODO's design of a graph.

    Raises
    ------
    StrategyError
        E550 for a graph without nests, E551 if one lane of every nest has more DSPs than allowed.
    """
    source = request.graph
    if not source.nodes:
        message = f"{source.name} has no nest"
        raise StrategyError(Diagnostic("E550", message, hint="give a program that computes"))
    names, graph = changed_by(source, REWRITES)
    alignment = aligned(graph)
    orders = alignment.orders
    fifos = tuple(edge.channel for edge in graph.edges if streams(graph, edge, orders))
    models = {node.name: nest_model(graph, node, request.target) for node in graph.nodes}
    found = scheduled(graph, orders, fifos, models, request.dsp_limit)
    explored = found.explored
    return RivalAnswer(
        _schedule(graph, names, alignment, found.fifos, explored.choices),
        told(source, graph, alignment, found),
        explored.cycles,
        explored.dsps,
    )


def _schedule(
    graph: Graph,
    rewrites: tuple[str, ...],
    alignment: Alignment,
    fifos: Collection[str],
    choices: Mapping[str, Choice],
) -> Schedule:
    nodes = tuple(
        NodePlan(
            node.name,
            alignment.orders[node.name],
            tuple(zip(node.trip_counts, choices[node.name].factors, strict=True)),
        )
        for node in graph.nodes
    )
    factors = {plan.node: plan.factors for plan in nodes}
    channels = tuple(_channel(graph, edge, fifos, factors[edge.producer]) for edge in graph.edges)
    return Schedule(graph.name, nodes, channels, rewrites)


def _channel(
    graph: Graph, edge: Edge, fifos: Collection[str], factors: Mapping[str, int]
) -> ChannelPlan:
    if edge.channel not in fifos:
        return ChannelPlan(edge.channel, ChannelKind.PING_PONG)
    return full_fifo(graph, edge, factors)
