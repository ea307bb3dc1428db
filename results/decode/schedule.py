"""A schedule in which every port delivers a word a cycle: lanes as many as the words have weights.

The search of opt6 for an interval doesn't find it yet: of 41 and more nodes it keeps some matrices
whole on the chip. So it is written down here, by rules over the shapes of a layer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.analysis.access_order import full_depth_elems
from streamopt.evaluation.design import timed_network
from streamopt.ir.program import Role
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.sim import simulate
from streamopt.transforms.apply import fifo_problem, planned_graph, stream_lanes
from streamopt.transforms.ports.port_schedule import with_ports

if TYPE_CHECKING:
    from streamopt.ir.graph import Edge, Graph, Node
    from streamopt.ir.ports import PortPlan
    from streamopt.target.device import Target

__all__ = ["FRAMES", "streaming_schedule"]

WORD_WEIGHTS, WORD_ACTIVATIONS = 128, 64
"""Of a word of 512 bits."""
FRAMES = 6
"""As many as it takes until they follow each other evenly: a token passes the layer in four."""
DEEP = 4
"""Frames that skip paths may hold while depths are told."""
SHALLOW = 16
MATRIX, CONTEXT = "_to_folded", ("keys", "values")
ORDERS = {"fc2_matmul_gemm": ("j", "i"), "to_matmul_gemm_3": ("i", "k", "j")}
"""Of the loops of nodes that take each element of their input once, as slowly as they come."""
NORMS = ("norm1_", "norm2_")
OF_TOKEN = ("q_matmul_gemm", "k_matmul_gemm", "v_matmul_gemm")
OF_HIDDEN = ("fc1_matmul_add_to_to", "abs_clamp_rsub", "mul_rshift_rsub", "lt_to_fc2_to")
OF_SUMS = ("k_matmul_add_clamp_to", "v_matmul_add_clamp_to", "matmul_add_clamp_out_to")
OF_FEATURES = ("out_matmul_add_clamp_norm2_to", "fc2_matmul_add_add_clamp")


def streaming_schedule(graph: Graph, ports: tuple[PortPlan, ...], target: Target) -> Schedule:
    """Return a schedule with the least FIFOs that keep up the pace of the ports."""
    nodes = tuple(_plan(graph, node, ports) for node in graph.nodes)
    on_chip = Schedule(graph.name, nodes, tuple(map(_buffer, graph.edges)))
    fifos = tuple(_channel(graph, edge, on_chip) for edge in graph.edges)
    moved = with_ports(graph, replace(on_chip, channels=fifos), ports)
    streamed = {
        edge.channel
        for edge in planned_graph(graph, moved).edges
        if any(name in edge.array for name in (MATRIX, *CONTEXT))
    }
    deep = (_deepened(channel, channel.channel in streamed) for channel in moved.channels)
    wide = replace(moved, channels=tuple(deep))
    trace = simulate(*timed_network(graph, wide, target), frames=FRAMES)
    peaks = {fifo.name: max(2, fifo.peak_elems) for fifo in trace.fifos}
    least = (replace(c, depth_elems=peaks.get(c.channel, c.depth_elems)) for c in wide.channels)
    return replace(wide, channels=tuple(least))


def _deepened(channel: ChannelPlan, is_streamed: bool) -> ChannelPlan:
    """Return a FIFO for some frames; but what a mover brings waits off the chip."""
    if channel.kind is not ChannelKind.FIFO:
        return channel
    return replace(channel, depth_elems=SHALLOW if is_streamed else DEEP * channel.depth_elems)


def _buffer(edge: Edge) -> ChannelPlan:
    return ChannelPlan(edge.channel, ChannelKind.PING_PONG)


def _channel(graph: Graph, edge: Edge, schedule: Schedule) -> ChannelPlan:
    """Return a FIFO where there can be one, for all tokens of a frame."""
    if fifo_problem(graph, edge, schedule) is not None:
        return _buffer(edge)
    lanes = stream_lanes(edge.write, schedule.node(edge.producer).factors)
    depth = full_depth_elems(graph.array(edge.array), lanes)
    return ChannelPlan(edge.channel, ChannelKind.FIFO, depth)


def _plan(graph: Graph, node: Node, ports: tuple[PortPlan, ...]) -> NodePlan:
    """Return order and lanes of a node."""
    counts = node.trip_counts
    wide = min(WORD_ACTIVATIONS, graph.array("keys").shape[-1])
    lanes = dict.fromkeys(counts, 1) | _lanes(ports, wide).get(node.name, {})
    if node.name.startswith(NORMS):
        lanes = {loop: wide if count > 1 else 1 for loop, count in counts.items()}
    return NodePlan(node.name, ORDERS.get(node.name, tuple(counts)), tuple(lanes.items()))


def _lanes(ports: tuple[PortPlan, ...], wide: int) -> dict[str, dict[str, int]]:
    """Return the lanes of nodes with several: those of matrices are a word of each channel."""
    memories = {port.array: len(port.memories) for port in ports}
    narrow = WORD_WEIGHTS * memories[f"q{MATRIX}"] // wide
    hidden = WORD_WEIGHTS * memories[f"fc1{MATRIX}"] // wide
    return {
        **{name: {"i": narrow, "j": wide} for name in OF_TOKEN},
        "out_matmul_gemm": {"i": wide, "j": narrow},
        "fc1_matmul_gemm": {"i": hidden, "j": wide},
        "fc2_matmul_gemm": {"i": wide, "j": hidden},
        "to_matmul_gemm": {"k": wide},
        "to_matmul_gemm_3": {"j": wide},
        "q_matmul_add_to_to": {"j": narrow},
        "to_matmul_gemm_2": {"j": narrow},
        **{name: {"i": hidden} for name in OF_HIDDEN},
        **{name: {"i": narrow} for name in OF_SUMS},
        **{name: {"i": wide} for name in OF_FEATURES},
    }


def matrices(graph: Graph) -> dict[str, int]:
    """Return the elements of each matrix of weights."""
    found = (array for array in graph.arrays if array.role is Role.WEIGHT)
    return {array.name: array.size_elems for array in found if len(array.shape) > 1}
