"""From loop orders and unroll factors to a complete schedule, and its integers.

The kind of every channel follows from the orders: a FIFO wherever both sides agree, as a FIFO
never hands over later than a ping-pong buffer. `evaluate` is what is reported, whatever a solver
claims; `violations` recomputes every constraint in plain integers, as a certificate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from streamopt.analysis.access_order import full_depth_elems
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.schedule import (
    Binding,
    ChannelKind,
    ChannelPlan,
    NodePlan,
    NodePrediction,
    Prediction,
    Schedule,
)
from streamopt.perf.costs import PUBLISHED, CostModel, NodeCost, OpenPlans, Setting, plain_plan
from streamopt.perf.paper.algebra import INTEGERS
from streamopt.perf.paper.timing import graph_times
from streamopt.space.decisions import (
    DecisionSpace,
    LoopOrder,
    read_stream_order,
    write_stream_order,
)
from streamopt.space.row_values import NodeRows

NONE: Mapping[str, Binding] = MappingProxyType({})
"""Everything as the tool builds it."""
NO_PLANS: Mapping[str, NodePlan] = MappingProxyType({})
NO_INTERVALS: Mapping[str, int] = MappingProxyType({})
"""No node asks for an initiation interval."""


def assemble(
    graph: Graph,
    orders: Mapping[str, LoopOrder],
    factors: Mapping[str, Sequence[int]],
    bindings: Mapping[str, Binding] = NONE,
    plans: Mapping[str, NodePlan] = NO_PLANS,
    target_iis: Mapping[str, int] = NO_INTERVALS,
) -> Schedule:
    """Return the schedule with these loop orders and unroll factors (in program order of loops).

    FIFO depths are those of published practice: a lane holds all its elements.

    Parameters
    ----------
    plans
        By sequential node; one that has none stays as it is.
    target_iis
        Initiation intervals that nodes ask for.
    """

    def planned(node: Node) -> NodePlan:
        if isinstance(node, SequentialNode):
            return plans.get(node.name) or plain_plan(node)
        return NodePlan(
            node.name,
            tuple(orders[node.name]),
            tuple(zip(node.trip_counts, factors[node.name], strict=True)),
            bindings.get(node.name, ()),
            target_iis.get(node.name, 1),
        )

    nodes = tuple(map(planned, graph.nodes))
    every = {plan.node: plan for plan in nodes}
    return Schedule(
        graph.name, nodes, tuple(_channel_plan(graph, edge, every) for edge in graph.edges)
    )


def _channel_plan(graph: Graph, edge: Edge, plans: Mapping[str, NodePlan]) -> ChannelPlan:
    producer, consumer = plans[edge.producer], plans[edge.consumer]
    written = write_stream_order(graph, edge, producer.order)
    if written is None or written != read_stream_order(graph, edge, consumer.order):
        return ChannelPlan(edge.channel, ChannelKind.PING_PONG)
    return full_fifo(graph, edge, producer.factors)


def full_fifo(graph: Graph, edge: Edge, factors: Mapping[str, int]) -> ChannelPlan:
    """Return a FIFO for all tokens of an edge, from the unroll factors of its producer."""
    names = (subscript.as_iterator() for subscript in edge.write.subscripts)
    lanes = tuple(1 if name is None else factors[name] for name in names)
    depth = full_depth_elems(graph.array(edge.array), lanes)
    return ChannelPlan(edge.channel, ChannelKind.FIFO, depth)


def assemble_rows(
    graph: Graph, rows: Mapping[str, NodeRows], chosen: Mapping[str, int]
) -> Schedule:
    """Return the schedule that takes one row of every node, by its place among the node's rows."""
    return assemble(
        graph,
        {name: rows[name].orders[place] for name, place in chosen.items()},
        {name: rows[name].factors[place] for name, place in chosen.items()},
        {name: rows[name].bindings[place] for name, place in chosen.items()},
        {name: rows[name].plans[place] for name, place in chosen.items() if rows[name].plans},
        {n: rows[n].target_iis[place] for n, place in chosen.items() if rows[n].target_iis},
    )


def baseline(graph: Graph, plans: Mapping[str, NodePlan] = NO_PLANS) -> Schedule:
    """Return the schedule of level opt1: original loop orders, no unrolling.

    Parameters
    ----------
    plans
        By sequential node; one that has none stays as it is.
    """
    return assemble(
        graph,
        {node.name: tuple(node.trip_counts) for node in graph.nodes},
        {node.name: (1,) * len(node.loops) for node in graph.nodes},
        plans=plans,
    )


def plainest(space: DecisionSpace) -> Schedule:
    """Return the schedule of each node's first loop order and each class's least factor."""
    factor_of = {key: group.factors[0] for group in space.classes for key in group.members}
    return assemble(
        space.graph,
        {name: orders[0] for name, orders in space.orders.items()},
        {
            node.name: [factor_of[node.name, loop.name] for loop in node.loops]
            for node in space.graph.nodes
            if not isinstance(node, SequentialNode)
        },
        plans=first_plans(space.graph, space.costs),
    )


def first_plans(graph: Graph, costs: CostModel) -> dict[str, NodePlan]:
    """Return the plans of sequential nodes without lanes."""
    sequential = (node for node in graph.nodes if isinstance(node, SequentialNode))
    return {node.name: costs.plans(graph, node, OpenPlans())[0] for node in sequential}


def evaluate(graph: Graph, schedule: Schedule, costs: CostModel = PUBLISHED) -> Prediction:
    """Return the model's times and DSPs of a schedule, in integers."""
    found = node_costs(graph, schedule, costs)
    timings = {name: cost.timing for name, cost in found.items()}
    lanes = {plan.node: plan.lanes for plan in schedule.nodes}
    times = graph_times(graph, timings, schedule.fifos, INTEGERS)
    return Prediction(
        tuple(
            NodePrediction(
                node=node.name,
                ii=timings[node.name].ii,
                start_cycles=times[node.name].start,
                first_write_cycles=times[node.name].first_write,
                last_write_cycles=times[node.name].last_write,
                lanes=lanes[node.name],
                dsps=found[node.name].dsps,
            )
            for node in graph.nodes
        )
    )


def least_luts(graph: Graph, schedule: Schedule, costs: CostModel) -> int:
    """Return the LUTs of a schedule's nodes as a cost model counts them."""
    return sum(cost.luts for cost in node_costs(graph, schedule, costs).values())


def interval_cycles(graph: Graph, schedule: Schedule, costs: CostModel = PUBLISHED) -> int:
    """Return the steady distance of frames in the model, in cycles: ``max over nodes of LW``.

    Every node works on a frame of its own, so that the slowest sets the pace.
    """
    found = node_costs(graph, schedule, costs).values()
    return max((cost.timing.last_write for cost in found), default=0)


def node_costs(graph: Graph, schedule: Schedule, costs: CostModel) -> dict[str, NodeCost]:
    """Return by node what a cost model says of a schedule."""
    ins, outs = graph.in_edges(), graph.out_edges()
    found: dict[str, NodeCost] = {}
    plans = {plan.node: plan for plan in schedule.nodes}
    for node in graph.nodes:
        plan = plans[node.name]
        setting = Setting.of(graph, node, ins[node.name], outs[node.name], plan.binding)
        setting = replace(setting, target_ii=plan.target_ii)
        if isinstance(node, SequentialNode):
            found[node.name] = costs.plan_cost(graph, node, plan)
        else:
            found[node.name] = costs.node_cost(node, plan.order, plan.factors, setting)
    return found


def violations(space: DecisionSpace, schedule: Schedule) -> list[str]:
    """Return the reasons why a schedule is not in a space, in words; empty for a certificate.

    Everything but the level's rule on untiled latency (opt4) is checked.
    """
    found: list[str] = []
    plans = {plan.node: plan for plan in schedule.nodes}
    factors = {plan.node: plan.factors for plan in schedule.nodes}
    for node in space.graph.nodes:
        plan = plans[node.name]
        if isinstance(node, SequentialNode):
            continue
        if plan.order not in space.orders[node.name]:
            found.append(f"{node.name}: loop order {', '.join(plan.order)} is not allowed")
    for group in space.classes:
        taken = {factors[node][loop] for node, loop in group.members}
        if len(taken) > 1 or not taken <= set(group.factors):
            loops = ", ".join(f"{node}.{loop}" for node, loop in group.members)
            found.append(f"unroll factors {sorted(taken)} of {loops} are not allowed")
    used = evaluate(space.graph, schedule, space.costs).dsps
    if used > space.dsp_limit:
        found.append(f"{used} DSPs exceed the limit of {space.dsp_limit}")
    orders = {plan.node: plan.order for plan in schedule.nodes}
    kinds = {plan.channel: plan.kind for plan in schedule.channels}
    for edge in space.graph.edges:
        if kinds[edge.channel] is not ChannelKind.FIFO:
            continue
        written = write_stream_order(space.graph, edge, orders[edge.producer])
        if written is None or written != read_stream_order(
            space.graph, edge, orders[edge.consumer]
        ):
            found.append(f"channel {edge.channel} is a FIFO but its two sides differ in order")
    return found
