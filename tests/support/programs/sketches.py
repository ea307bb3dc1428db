"""Programs and schedules from one line each, for the tests of this folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from streamopt.analysis.access_order import full_depth_elems
from streamopt.errors import LegalityError
from streamopt.formats.graph_json import read_graph_json
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program
    from streamopt.ir.scheduled import ScheduledGraph


def program(arrays: Mapping[str, str], nodes: Mapping[str, str], name: str = "sketch") -> Program:
    """Arrays as "input 4 5" or "input 4 int8_t", nodes as "i 4, k 5: y[i] += A[i][k]"."""
    listed: dict[str, object] = {}
    for array, text in arrays.items():
        role, *shape = text.split()
        element = next((word for word in shape if not word.isdigit()), "float")
        extents = [int(extent) for extent in shape if extent.isdigit()]
        listed[array] = {"shape": extents, "role": role, "type": element}
    document = {
        "schema_version": 1,
        "name": name,
        "arrays": listed,
        "nodes": [
            {
                "name": node,
                "loops": {p.split()[0]: int(p.split()[1]) for p in loops.split(",") if p.strip()},
                "body": [body.strip()],
            }
            for node, (loops, body) in ((n, text.split(":", 1)) for n, text in nodes.items())
        ],
    }
    return read_graph_json(json.dumps(document), "sketch.json")


def plans(
    graph: Graph, orders: Mapping[str, str], unroll: Mapping[str, str]
) -> tuple[NodePlan, ...]:
    """Orders as "k i j" and unroll factors as "i 2, j 3"; program order and 1 if not given."""
    found: list[NodePlan] = []
    for node in graph.nodes:
        order = tuple(orders.get(node.name, "").split()) or tuple(node.trip_counts)
        given = dict(part.split() for part in unroll.get(node.name, "").split(",") if part)
        factors = tuple((name, int(given.get(name, 1))) for name in node.trip_counts)
        found.append(NodePlan(node.name, order, factors))
    return tuple(found)


def scheduled(
    source: Program,
    orders: Mapping[str, str] | None = None,
    unroll: Mapping[str, str] | None = None,
    ping_pong: Collection[str] = (),
) -> ScheduledGraph:
    """FIFOs of full depth, but for the channels named in ``ping_pong``."""
    graph = canonicalize(source)
    return with_channels(graph, plans(graph, orders or {}, unroll or {}), ping_pong)


def with_channels(
    graph: Graph, nodes: tuple[NodePlan, ...], ping_pong: Collection[str]
) -> ScheduledGraph:
    deep = tuple(
        _plan(edge.channel, 0 if edge.channel in ping_pong else 2**20) for edge in graph.edges
    )
    wide = apply(graph, Schedule(graph.name, nodes, deep))
    depths = {
        c.edge.channel: full_depth_elems(graph.array(c.edge.array), c.lanes) for c in wide.channels
    }
    exact = tuple(_plan(c, 0 if c in ping_pong else depth) for c, depth in depths.items())
    return apply(graph, Schedule(graph.name, nodes, exact))


def _plan(channel: str, depth_elems: int) -> ChannelPlan:
    kind = ChannelKind.FIFO if depth_elems else ChannelKind.PING_PONG
    return ChannelPlan(channel, kind, depth_elems)


def all_legal_fifos(graph: Graph, nodes: tuple[NodePlan, ...]) -> ScheduledGraph:
    """A FIFO wherever `apply` lets one be."""
    names = [edge.channel for edge in graph.edges]
    refused: set[str] = set()
    for channel in names:
        try:
            with_channels(graph, nodes, [name for name in names if name != channel])
        except LegalityError:
            refused.add(channel)
    return with_channels(graph, nodes, refused)
