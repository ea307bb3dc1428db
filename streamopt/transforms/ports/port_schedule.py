"""A schedule that was made for arrays on the chip, with movers for those that are put outside.

Nothing that was decided changes. A mover walks its array like the process that it serves, so that
the two are joined by FIFOs where that process streams; else it fills or empties a buffer, as many
elements at once as a word has.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from streamopt.analysis.access_order import access_order, full_depth_elems
from streamopt.ir.expression import Access
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.ports import WORD_BITS, PortPlan
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.transforms.apply import fifo_problem, planned_graph, stream_lanes
from streamopt.transforms.buffer_banks import buffer_factors


def with_ports(graph: Graph, schedule: Schedule, ports: Sequence[PortPlan]) -> Schedule:
    """Return a schedule with ports and plans for the movers that they need.

    New FIFOs hold all tokens of a lane.

    Parameters
    ----------
    graph
        As it is before the schedule's rewrites.

    Raises
    ------
    LegalityError
        E321, E331 or E334, as `streamopt.transforms.apply.planned_graph`.
    """
    before = planned_graph(graph, schedule)
    wanted = replace(schedule, ports=tuple(ports))
    after = planned_graph(graph, wanted)
    plans = {plan.node: plan for plan in schedule.nodes}
    movers = [node for node in after.nodes if node.name not in plans]
    for mover in movers:
        ends = {*mover.inputs, mover.write.array}
        most = max(len(port.memories) for port in ports if port.array in ends)
        plans[mover.name] = _mover_plan(after, mover, plans, max(1, most))
    nodes = tuple(plans[node.name] for node in after.nodes)
    wanted = replace(wanted, nodes=nodes)
    renamed = _renamed(after, {mover.name for mover in movers})
    known = {
        (edge.array, edge.producer, edge.consumer): schedule.channel(edge.channel)
        for edge in before.edges
    }
    channels: list[ChannelPlan] = []
    for edge in after.edges:
        array = renamed.get(edge.array, edge.array)
        old = known.get((array, edge.producer, edge.consumer))
        channels.append(
            full_channel(after, edge, wanted) if old is None else replace(old, channel=edge.channel)
        )
    return replace(wanted, channels=tuple(channels))


def _renamed(graph: Graph, movers: set[str]) -> dict[str, str]:
    """Return the boundary array by the one inside that took its place in the other nodes."""
    return {
        node.inputs[0]: node.write.array
        for node in graph.nodes
        if node.name in movers and not graph.array(node.inputs[0]).is_given
    }


def _mover_plan(
    graph: Graph, mover: Node, plans: Mapping[str, NodePlan], memories: int
) -> NodePlan:
    inside = _inside(graph, mover)
    for access, node in _partners(graph, mover, inside):
        plan = plans.get(node.name)
        if plan is None or isinstance(node, SequentialNode):
            continue
        order = access_order(access, plan.order, node.trip_counts, graph.array(inside).shape)
        if order is not None:
            return walked_alike(mover, access, order, plan)
    names = tuple(loop.name for loop in mover.loops)
    factors = dict.fromkeys(names, 1)
    if names:
        factors[names[-1]] = _width(graph, mover, plans, memories)
    return NodePlan(mover.name, names, tuple(factors.items()))


def _inside(graph: Graph, mover: Node) -> str:
    """Return the array on the chip that a mover fills or empties."""
    is_load = graph.array(mover.inputs[0]).is_given
    return mover.write.array if is_load else mover.inputs[0]


def _partners(graph: Graph, mover: Node, inside: str) -> Iterator[tuple[Access, Node]]:
    """Yield the nodes at the other end of a mover's channels, with their only access."""
    for edge in graph.edges:
        if edge.array != inside:
            continue
        if edge.producer == mover.name and len(edge.reads) == 1:
            yield edge.reads[0], graph.node(edge.consumer)
        if edge.consumer == mover.name and len(graph.writers(inside)) == 1:
            yield edge.write, graph.node(edge.producer)


def walked_alike(mover: Node, access: Access, order: Sequence[int], plan: NodePlan) -> NodePlan:
    """Return the plan of a mover that walks the dimensions in an order, in the same lanes."""
    names = [loop.name for loop in mover.loops]
    walked = [names[dimension] for dimension in order]
    factors = dict.fromkeys(names, 1)
    for dimension in order:
        iterator = access.subscripts[dimension].as_iterator()
        assert iterator is not None, "a walked dimension has a plain iterator"
        factors[names[dimension]] = plan.factors[iterator]
    rest = [name for name in names if name not in walked]
    return NodePlan(mover.name, (*rest, *walked), tuple(factors.items()))


def _width(graph: Graph, mover: Node, plans: Mapping[str, NodePlan], memories: int) -> int:
    """Return how many elements of the last dimension a mover takes at once.

    As many as a word of each memory has and the banks of the buffer take: a divisor or multiple
    of the factor by which its other end splits the dimension.
    """
    inside = _inside(graph, mover)
    array = graph.array(inside)
    factors = {name: plan.factors for name, plan in plans.items()}
    factors[mover.name] = dict.fromkeys(mover.trip_counts, 1)
    known = [
        buffer_factors(graph, edge, factors)[-1]
        for edge in graph.edges
        if edge.array == inside and {edge.producer, edge.consumer} <= factors.keys()
    ]
    extent, most = array.shape[-1], memories * WORD_BITS // array.element.outside_bits
    fitting = [
        width
        for width in range(1, min(extent, most) + 1)
        if extent % width == 0 and all(width % f == 0 or f % width == 0 for f in known)
    ]
    return max(fitting)


def full_channel(graph: Graph, edge: Edge, schedule: Schedule) -> ChannelPlan:
    """Return a channel of planned nodes: a FIFO of all tokens of a lane, where it can be one."""
    if fifo_problem(graph, edge, schedule) is not None:
        return ChannelPlan(edge.channel, ChannelKind.PING_PONG)
    lanes = stream_lanes(edge.write, schedule.node(edge.producer).factors)
    depth = full_depth_elems(graph.array(edge.array), lanes)
    return ChannelPlan(edge.channel, ChannelKind.FIFO, depth)
