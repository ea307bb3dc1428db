"""Windows whose rows all come in one nest: memories of a kernel are filled by that kernel alone."""

from dataclasses import replace

from streamopt.ir.scheduled import ScheduledGraph, ScheduledNode
from streamopt.transforms.line_buffers import line_buffers
from streamopt.transforms.rewrites.prefill_windows import without_prefill


def with_plain_rows(scheduled: ScheduledGraph) -> ScheduledGraph:
    """Return a scheduled graph without nests that take rows before a node computes."""
    nodes = tuple(_plain(scheduled, node) for node in scheduled.nodes)
    if nodes == scheduled.nodes:
        return scheduled
    graph = replace(scheduled.graph, nodes=tuple(node.node for node in nodes))
    return replace(scheduled, graph=graph, nodes=nodes)


def _plain(scheduled: ScheduledGraph, own: ScheduledNode) -> ScheduledNode:
    node = without_prefill(own.node)
    if node == own.node:
        return own
    trips, arrays = node.built_trip_counts, {a.name: a for a in scheduled.graph.arrays}
    loops = tuple(replace(loop, trip_count=trips[loop.name]) for loop in own.loops)
    return replace(own, node=node, loops=loops, line_buffers=line_buffers(node, loops, arrays))
