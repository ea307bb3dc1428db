"""Weights off the chip that come in the order in which a node uses them, each frame anew.

A node that walks its weights inside of other loops, as a convolution does for each row of its
result, has them read again for each iteration of these. Loops that don't move in the weights go
inside as far as streams to and from the node allow: the fewer are left outside, the fewer times
the weights are read. Each time they are read as a whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from streamopt.analysis.access_order import access_order, as_digits
from streamopt.evaluation.open_channels import array_bytes, preferred_channels
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.schedule import ChannelKind, NodePlan, Schedule
from streamopt.target.channels import balanced
from streamopt.target.device import Target
from streamopt.transforms.apply import fifo_problem, planned_graph
from streamopt.transforms.ports.port_schedule import with_ports

DEPTH_ELEMS = 32
"""Of FIFOs of streamed weights: a LUT holds as many bits."""


@dataclass(frozen=True, slots=True)
class StreamedWeights:
    """A node's plan that takes an array in one order."""

    plan: NodePlan
    again: tuple[str, ...]
    """Loops for each of whose iterations it is read."""
    traffic_bytes: int
    """Of a frame."""

    def at_least(self, ii: int) -> "StreamedWeights":
        """Return it with an initiation interval: streams may ask for less than a memory did."""
        return replace(self, plan=replace(self.plan, target_ii=max(ii, self.plan.target_ii)))


def streamed(graph: Graph, schedule: Schedule, array: str) -> StreamedWeights | None:
    """Return the plan that reads an array the fewest times, if its only reader can stream it."""
    planned = planned_graph(graph, schedule)
    readers = [node for node in planned.nodes if array in node.inputs]
    if len(readers) != 1 or isinstance(readers[0], SequentialNode):
        return None
    (node,) = readers
    plan, own = schedule.node(node.name), planned.array(array)
    if len(node.reads_of(array)) != 1:
        return None
    access = node.reads_of(array)[0]
    digits, shape = as_digits(access, own.shape, node.trip_counts)
    if access_order(digits, plan.order, node.trip_counts, shape) is None:
        return None
    walked = {name for name in access.iterators() if _tiles(node, plan, name) > 1}
    free = [n for n in plan.order if n not in access.iterators() and _tiles(node, plan, n) > 1]
    for count in range(len(free) + 1):
        inner = free[count:]
        order = (*(name for name in plan.order if name not in inner), *inner)
        last = max((order.index(name) for name in walked), default=-1)
        again = tuple(name for name in free[:count] if order.index(name) < last)
        changed = replace(plan, order=order)
        first = min((order.index(name) for name in walked), default=0)
        is_whole = all(order.index(name) < first for name in again)
        if is_whole and _streams_alike(planned, schedule, changed):
            times = prod(_tiles(node, plan, name) for name in again)
            return StreamedWeights(changed, again, times * array_bytes(own))
    return None


def with_streams(
    graph: Graph, schedule: Schedule, ways: Mapping[str, StreamedWeights], on: Target
) -> Schedule:
    """Return a schedule whose weights come off the chip as plans of their nodes take them."""
    if not ways:
        return schedule
    changed = {way.plan.node: way.plan for way in ways.values()}
    nodes = tuple(changed.get(plan.node, plan) for plan in schedule.nodes)
    fixed = {port.array: port.channels for port in schedule.ports if port.channels}
    planned = planned_graph(graph, schedule)
    sizes = {name: array_bytes(planned.array(name)) for name in fixed}
    sizes |= {name: way.traffic_bytes for name, way in ways.items()}
    where = balanced(sizes, near_channels(on), fixed)
    ports = tuple(
        PortPlan(p.array, PortKind.AXI, where.get(p.array, ()), again=ways[p.array].again)
        if p.array in ways
        else p
        for p in schedule.ports
    )
    found = with_ports(graph, replace(schedule, nodes=nodes), ports)
    known = {channel.channel for channel in schedule.channels}
    channels = (
        replace(c, depth_elems=min(c.depth_elems, DEPTH_ELEMS))
        if c.kind is ChannelKind.FIFO and c.channel not in known
        else c
        for c in found.channels
    )
    return replace(found, channels=tuple(channels))


def near_channels(on: Target) -> list[str]:
    """Return the channels of one SLR: all of HBM, as its switch reaches each, else its own."""
    every = preferred_channels(on)
    return every if not every or every[0].startswith("HBM") else every[:1]


def _tiles(node: Node, plan: NodePlan, loop: str) -> int:
    return -(-node.trip_counts[loop] // plan.factors[loop])


def _streams_alike(planned: Graph, schedule: Schedule, changed: NodePlan) -> bool:
    """Return whether FIFOs to and from a node are legal with another plan of it."""
    nodes = tuple(changed if p.node == changed.node else p for p in schedule.nodes)
    wanted = replace(schedule, nodes=nodes)
    around = (e for e in planned.edges if changed.node in (e.producer, e.consumer))
    fifos = (edge for edge in around if edge.channel in schedule.fifos)
    return all(fifo_problem(planned, edge, wanted) is None for edge in fifos)
