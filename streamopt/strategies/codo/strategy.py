"""CODO from a graph to a schedule: violations, communication, parallelism, in this order.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026, figure 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.depths import full_depth_elems
from streamopt.errors import Diagnostic, StrategyError
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.strategies.codo.aligning import aligned, streams
from streamopt.strategies.codo.exploration import Explorer
from streamopt.strategies.codo.model import nest_model
from streamopt.strategies.codo.telling import told
from streamopt.strategies.rival import RivalAnswer
from streamopt.transforms.rewrites import rewritten

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from streamopt.ir.graph import Edge, Graph
    from streamopt.strategies.codo.aligning import Alignment
    from streamopt.strategies.codo.choices import Choice
    from streamopt.strategies.codo.exploration import Explored
    from streamopt.strategies.codo.model import NestModel
    from streamopt.strategies.rival import RivalRequest

__all__ = ["design"]

REWRITES = ("fold_borders", "private_arguments", "stream_windows")
"""Several writers become one, arguments get one reader, windows take their array from a stream."""

MOST_OVER = 32
"""Caps in a row whose designs have too many DSPs, before no larger one is tried."""


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
    names, graph = _rewritten(source)
    alignment = aligned(graph)
    fifos = [edge.channel for edge in graph.edges if streams(graph, edge, alignment.orders)]
    models = {node.name: nest_model(graph, node, request.target) for node in graph.nodes}
    found = _within(request, graph, alignment, fifos, models)
    return RivalAnswer(
        _schedule(graph, names, alignment, fifos, found.choices),
        told(source, graph, alignment, fifos, found),
        found.cycles,
        found.dsps,
    )


def _rewritten(graph: Graph) -> tuple[tuple[str, ...], Graph]:
    """Return the graph after the rewrites that do something, and their names."""
    names: list[str] = []
    for name in REWRITES:
        after = rewritten(graph, (name,))
        if after != graph:
            names.append(name)
        graph = after
    return tuple(names), graph


def _within(
    request: RivalRequest,
    graph: Graph,
    alignment: Alignment,
    fifos: Collection[str],
    models: Mapping[str, NestModel],
) -> Explored:
    """Return the fastest design by the model within the DSPs, of fewest DSPs.

    The cap grows until designs are over the limit `MOST_OVER` times in a row: a larger cap may
    have fewer DSPs, where trip counts divide otherwise.
    """
    explorer = Explorer(graph, alignment.orders, fifos, models)
    fitting: list[Explored] = []
    over = 0
    least_dsps = 0
    for cap in explorer.caps():
        found = explorer.explored(cap)
        least_dsps = least_dsps or found.dsps
        is_over = found.dsps > request.dsp_limit
        over = over + 1 if is_over else 0
        if not is_over:
            fitting.append(found)
        elif over == MOST_OVER:
            break
    if not fitting:
        message = f"{graph.name} needs {least_dsps} DSPs with one lane a nest"
        hint = f"give --dsp {least_dsps} or more"
        raise StrategyError(Diagnostic("E551", message, hint=hint))
    return min(fitting, key=lambda own: (own.cycles, own.dsps, own.cap))


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
    names = (subscript.as_iterator() for subscript in edge.write.subscripts)
    lanes = tuple(1 if name is None else factors[name] for name in names)
    return ChannelPlan(
        edge.channel, ChannelKind.FIFO, full_depth_elems(graph.array(edge.array), lanes)
    )
