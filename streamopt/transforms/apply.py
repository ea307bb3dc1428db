"""Graph and schedule to scheduled graph: checks the decisions, then carries them out.

Before::

    matmul  loops i, j, k    order k, i, j    unroll i: 4, j: 2
    relu    loops i, j       order i, j       unroll i: 4, j: 2      channel E: FIFO, depth 1024

After::

    matmul  k (200 tiles), i (45 tiles, 4 lanes), j (95 tiles, 2 lanes)
    relu    i (45 tiles, 4 lanes), j (95 tiles, 2 lanes)
    E       4 x 2 streams of depth 1024

A FIFO needs the two conditions of [1] section 3.1: the same number of writes and reads (Cond. 1),
in the same order (Cond. 2); and one stream per lane needs the same lanes on both sides.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from streamopt.analysis.access_order import access_order, completes_rows, taken_order
from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.expression import Access
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.ports import PortKind
from streamopt.ir.program import Array
from streamopt.ir.schedule import BINDABLE, ChannelKind, NodePlan, Schedule
from streamopt.ir.scheduled import (
    Channel,
    ScheduledGraph,
    ScheduledNode,
    TiledLoop,
)
from streamopt.ir.stepping.stepped import Transfer
from streamopt.transforms.argument_banks import boundary_partitions, in_words
from streamopt.transforms.buffer_banks import buffer_factors
from streamopt.transforms.line_buffers import line_buffers
from streamopt.transforms.planned_loops import factor_problems, has_all_factors, loop_problems
from streamopt.transforms.ports.movers import moved_arrays, with_movers
from streamopt.transforms.ports.passes import pass_problems
from streamopt.transforms.relays import Relays, place_problems
from streamopt.transforms.rewrites import AFTER_MOVERS, rewritten
from streamopt.transforms.stepped.nest import stepped_nest
from streamopt.transforms.stepped.plans import plan_problems, planned_steps
from streamopt.transforms.stepped.transfers import whole_arrays

_INSIDE = (PortKind.ROM, PortKind.RESIDENT)
"""Ports of arrays that are no arguments."""


def apply(graph: Graph, schedule: Schedule) -> ScheduledGraph:
    """Return the graph with tiled loops, channels with lanes and partitioned boundary arrays.

    Parameters
    ----------
    graph
        As it is before the schedule's rewrites; the result has the rewritten one.

    Raises
    ------
    LegalityError
        With all problems:

        - E301 the schedule is for another graph;
        - E302 a node or channel is not planned exactly once, or unknown;
        - E303 an order is not a permutation of the node's loops;
        - E304 an unroll factor is missing or not from 1 to its trip count;
        - E305 a depth that its channel's kind can't have;
        - E306 a FIFO for an array with several writers;
        - E307 a FIFO for an array that the consumer reads at several places;
        - E308 a FIFO whose write or read doesn't touch every element exactly once (Cond. 1);
        - E309 a FIFO whose write and read orders differ (Cond. 2);
        - E310 a FIFO whose loops have different unroll factors on both sides;
        - E311 an unknown order of a sequential node, or loops in order that are unrolled or moved;
        - E312 a FIFO to or from a sequential node;
        - E321 an unknown rewrite;
        - E322 a binding of an operator twice, or to what it can't be built from;
        - E323 a FIFO into a window whose rows the loop order doesn't complete, or several of which
          come at once;
        - E324 an initiation interval below 1, or one above 1 of a sequential node;
        - E331 a port of an array that doesn't cross the boundary;
        - E334 a table of an array that is written, or whose values are not known; a resident one
          that is written;
        - E335 arrays that passes update in place and that are not in one memory off the chip;
        - E336 nodes in no region, or in regions that can't be.
    """
    graph = planned_graph(graph, schedule)
    arrays = {array.name: array for array in graph.arrays}
    problems = [*_plan_problems(graph, schedule)]
    if not problems:
        problems += [p for node in graph.nodes for p in _node_problems(node, schedule, arrays)]
    if not problems:
        problems += [p for edge in graph.edges for p in _channel_problems(graph, edge, schedule)]
    if not problems:
        problems += [*pass_problems(graph, schedule), *place_problems(graph, schedule)]
    if problems:
        raise LegalityError(*problems)
    nodes = tuple(_scheduled(node, schedule.node(node.name), arrays) for node in graph.nodes)
    factors = {node.name: schedule.node(node.name).factors for node in graph.nodes}
    copied = whole_arrays(nodes)
    channels = tuple(_channel(graph, edge, schedule, factors, copied) for edge in graph.edges)
    inside = {port.array: port.kind for port in schedule.ports if port.kind in _INSIDE}
    partitions = tuple(
        replace(p, in_words=inside.get(p.array) is PortKind.RESIDENT and in_words(graph, p.array))
        for p in boundary_partitions(graph, factors, schedule.most_banks, inside, copied)
    )
    return ScheduledGraph(graph, schedule, nodes, channels, partitions)


def planned_graph(graph: Graph, schedule: Schedule) -> Graph:
    """Return the graph that a schedule plans: after its rewrites, with movers for its ports.

    Where its nodes are in regions, with relays between these.

    Raises
    ------
    LegalityError
        E321 for an unknown rewrite, E331 for a port of no such array, E334 for a table of
        one that is written or has no values.
    """
    graph = rewritten(graph, [name for name in schedule.rewrites if name not in AFTER_MOVERS])
    again = {port.array: port.again for port in schedule.ports if port.again}
    graph = with_movers(graph, moved_arrays(graph, schedule.ports), again)
    graph = rewritten(graph, [name for name in schedule.rewrites if name in AFTER_MOVERS])
    return Relays(graph, dict(schedule.slrs)).graph if schedule.slrs else graph


def _plan_problems(graph: Graph, schedule: Schedule) -> Iterator[Diagnostic]:
    if schedule.graph != graph.name:
        message = f"the schedule is for graph '{schedule.graph}', not for '{graph.name}'"
        yield Diagnostic("E301", message, hint="solve this graph, or take the graph it is for")
        return
    for what, needed, planned in (
        ("node", [node.name for node in graph.nodes], [plan.node for plan in schedule.nodes]),
        (
            "channel",
            [edge.channel for edge in graph.edges],
            [plan.channel for plan in schedule.channels],
        ),
    ):
        times = Counter(planned)
        for name in dict.fromkeys([*needed, *planned]):
            if name not in needed:
                message = f"the schedule plans {what} '{name}', which graph '{graph.name}' "
                yield Diagnostic("E302", f"{message}doesn't have")
            elif times[name] != 1:
                message = f"{what} '{name}' is planned {times[name]} times instead of once"
                yield Diagnostic("E302", message)


def _node_problems(
    node: Node, schedule: Schedule, arrays: Mapping[str, Array]
) -> Iterator[Diagnostic]:
    plan = schedule.node(node.name)
    yield from _binding_problems(node, plan)
    if plan.target_ii < 1 or (plan.target_ii > 1 and isinstance(node, SequentialNode)):
        message = f"node '{node.name}' can't have {plan.target_ii} as initiation interval"
        hint = "give 1 or more; 1 for a sequential node"
        yield Diagnostic("E324", message, node.loc, hint)
    if isinstance(node, SequentialNode):
        yield from plan_problems(node, plan)
        return
    names = [loop.name for loop in node.loops]
    yield from loop_problems(node, plan, names)
    if not has_all_factors(plan, names):
        return
    built = node.built_trip_counts
    counted = [window.taken_beside for window in node.windows]
    for loop in node.loops:
        yield from factor_problems(node, plan, loop.name, loop.trip_count)
        factor = plan.factors[loop.name]
        extents = {own.get(loop.name, built[loop.name]) for own in counted} | {built[loop.name]}
        extents |= {loop.trip_count}
        if len(extents) > 1 and any(extent % factor != 0 for extent in extents):
            message = f"unroll factor {factor} of loop {loop.name} in node '{node.name}' does not "
            needed = " and ".join(map(str, sorted(extents)))
            message += f"divide {needed}, as a window there needs"
            yield Diagnostic("E304", message, node.loc)


def _binding_problems(node: Node, plan: NodePlan) -> Iterator[Diagnostic]:
    times = Counter(operator for operator, _ in plan.binding)
    for operator, implementation in plan.binding:
        known = BINDABLE.get(operator, ())
        if times[operator] > 1 and not isinstance(node, SequentialNode):
            message = f"node '{node.name}' binds '{operator}' {times[operator]} times"
            yield Diagnostic("E322", message, node.loc, hint="bind each operator once")
        elif implementation not in known:
            message = f"node '{node.name}' binds '{operator}' to '{implementation}'"
            choices = (f"'{name}' to {', '.join(found)}" for name, found in BINDABLE.items())
            yield Diagnostic("E322", message, node.loc, hint=f"bind {'; '.join(choices)}")


def _channel_problems(graph: Graph, edge: Edge, schedule: Schedule) -> Iterator[Diagnostic]:
    plan = schedule.channel(edge.channel)
    if plan.kind is ChannelKind.PING_PONG:
        if plan.depth_elems != 0:
            message = f"ping-pong channel '{edge.channel}' has depth {plan.depth_elems}"
            yield Diagnostic("E305", message, hint="a ping-pong buffer has depth 0")
        return
    if plan.depth_elems < 1:
        message = f"FIFO channel '{edge.channel}' has depth {plan.depth_elems}"
        yield Diagnostic("E305", message, hint="a FIFO holds at least one element per lane")
    problem = fifo_problem(graph, edge, schedule)
    if problem is not None:
        code, message = problem
        hint = "make it a ping-pong buffer"
        yield Diagnostic(code, f"channel '{edge.channel}' can't be a FIFO: {message}", hint=hint)


def fifo_problem(graph: Graph, edge: Edge, schedule: Schedule) -> tuple[str, str] | None:
    """Return code and reason why a channel can't be a FIFO, if there is one."""
    if edge.is_whole:
        return "E312", f"'{edge.producer}' or '{edge.consumer}' is sequential"
    writers = graph.writers(edge.array)
    if len(writers) > 1:
        names = " and ".join(f"'{node.name}'" for node in writers)
        return "E306", f"{edge.array} is written by nodes {names}"
    if len(edge.reads) != 1:
        places = ", ".join(map(str, edge.reads)) or "nowhere"
        return "E307", f"node '{edge.consumer}' reads it at {places}"
    broken = _window_problem(graph, edge, schedule)
    if broken is not None:
        return broken
    orders: list[tuple[int, ...]] = []
    for name, access in ((edge.producer, edge.write), (edge.consumer, edge.reads[0])):
        node, shape = graph.node(name), graph.array(edge.array).shape
        loops = schedule.node(name).order
        order = (
            taken_order(node, access, loops, shape)
            if access is edge.reads[0]
            else access_order(access, loops, node.trip_counts, shape)
        )
        if order is None:
            message = f"node '{name}' does not touch every element of {edge.array} once through "
            return "E308", f"{message}{access}"
        orders.append(order)
    written, read = orders
    if written != read:
        message = f"node '{edge.producer}' writes dimensions in order {_dimensions(written)}, "
        return "E309", f"{message}node '{edge.consumer}' reads them in order {_dimensions(read)}"
    there, here = (schedule.node(name).factors for name in (edge.producer, edge.consumer))
    wide, narrow = stream_lanes(edge.write, there), stream_lanes(edge.reads[0], here)
    if wide != narrow:
        message = f"node '{edge.producer}' writes {_times(wide)} elements at once, "
        return "E310", f"{message}node '{edge.consumer}' reads {_times(narrow)}"
    return _part_problem(graph.node(edge.consumer), edge.array, here)


def _part_problem(node: Node, array: str, factors: Mapping[str, int]) -> tuple[str, str] | None:
    """Return code and reason why lanes of a loop would take elements that others don't."""
    part = node.part(array)
    for loop, (first, end) in (part.spans if part else {}).items():
        if first % factors[loop] or end % factors[loop]:
            message = f"node '{node.name}' takes {array} in iterations {first} to {end - 1} of loop"
            return "E310", f"{message} {loop}, which has {factors[loop]} lanes"
    return None


def _window_problem(graph: Graph, edge: Edge, schedule: Schedule) -> tuple[str, str] | None:
    """Return code and reason why rows of a window aren't complete in time, if they aren't."""
    node, plan = graph.node(edge.consumer), schedule.node(edge.consumer)
    window = node.window(edge.array)
    if window is None:
        return None
    rows = window.row_loop
    if not completes_rows(node, window, plan.order):
        message = f"node '{node.name}' takes rows of {edge.array} in loop {rows}, "
        if window.prefilled:
            return "E323", f"{message}which has to be the outermost, as some come before"
        return "E323", f"{message}which is inside of loops that do not move on in it"
    if plan.factors[rows] > 1:
        message = f"node '{node.name}' takes {plan.factors[rows]} rows of {edge.array} at once"
        return "E323", f"{message}; the unroll factor of loop {rows} has to be 1"
    return None


def _dimensions(order: Sequence[int]) -> str:
    return ", ".join(str(dimension + 1) for dimension in order)


def _times(lanes: Sequence[int]) -> str:
    return " x ".join(map(str, lanes))


def _scheduled(node: Node, plan: NodePlan, arrays: Mapping[str, Array]) -> ScheduledNode:
    if isinstance(node, SequentialNode):
        return _stepped(node, plan, arrays)
    trips, factors = node.built_trip_counts, plan.factors
    loops = tuple(TiledLoop(name, trips[name], factors[name]) for name in plan.order)
    lines = line_buffers(node, loops, arrays)
    return ScheduledNode(node, loops, plan.binding, lines, plan.target_ii, blocks=plan.blocks)


def _stepped(node: SequentialNode, plan: NodePlan, arrays: Mapping[str, Array]) -> ScheduledNode:
    steps, plan = planned_steps(node, plan)
    trips = {loop.name: max(1, loop.trip_count) for loop in steps.loops}
    loops = tuple(TiledLoop(name, trips[name], plan.factors[name]) for name in plan.order)
    nest = stepped_nest(node, steps, plan, arrays)
    return ScheduledNode(node, loops, plan.binding, (), plan.target_ii, nest)


def _channel(
    graph: Graph,
    edge: Edge,
    schedule: Schedule,
    factors: Mapping[str, Mapping[str, int]],
    copied: Mapping[str, Sequence[Transfer]],
) -> Channel:
    plan = schedule.channel(edge.channel)
    if plan.kind is ChannelKind.FIFO:
        lanes = stream_lanes(edge.write, factors[edge.producer])
    else:
        all_known = schedule.most_banks is not None
        lanes = buffer_factors(graph, edge, factors, copied, all_known=all_known)
    return Channel(edge, plan.kind, lanes, plan.depth_elems, plan.block)


def stream_lanes(access: Access, factors: Mapping[str, int]) -> tuple[int, ...]:
    """Return the streams along each dimension of what an access goes through: 1 for no loop."""
    names = (subscript.as_iterator() for subscript in access.subscripts)
    return tuple(1 if name is None else factors[name] for name in names)
