"""A schedule whose nodes are in regions, with plans for the relays between them."""

from collections.abc import Mapping
from dataclasses import replace

from streamopt.analysis.access_order import access_order
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import ChannelKind, ChannelPlan, Schedule
from streamopt.transforms.ports.port_schedule import full_channel, walked_alike
from streamopt.transforms.relays import Relays


def placed(graph: Graph, schedule: Schedule, slrs: Mapping[str, int]) -> Schedule:
    """Return a schedule with the regions of its nodes, and plans for the relays between them.

    FIFOs hold all tokens of a lane, as paths that meet again need room for what relays delay.

    Parameters
    ----------
    graph
        That the schedule plans, with its movers, without relays.
    schedule
        Without regions.
    slrs
        Region by node, of all nodes.
    """
    relays = Relays(graph, slrs)
    after = relays.graph
    plans = {plan.node: plan for plan in schedule.nodes}
    for node in after.nodes:
        if node.name not in plans:
            (access,) = node.reads
            producer = after.writers(access.array)[0]
            plan, shape = plans[producer.name], after.array(access.array).shape
            order = access_order(producer.write, plan.order, producer.trip_counts, shape)
            assert order is not None, "what crosses streams, as buffers stay in one region"
            plans[node.name] = walked_alike(node, producer.write, order, plan)
    nodes = tuple(plans[node.name] for node in after.nodes)
    found = replace(schedule, nodes=nodes, slrs=tuple(relays.slrs.items()))
    known = {
        (edge.array, edge.producer, edge.consumer): schedule.channel(edge.channel)
        for edge in graph.edges
    }
    kept = (known.get((edge.array, edge.producer, edge.consumer)) for edge in after.edges)
    channels: list[ChannelPlan] = []
    for edge, old in zip(after.edges, kept, strict=True):
        full = full_channel(after, edge, found)
        if old is not None and old.kind is ChannelKind.PING_PONG:
            full = replace(old, channel=edge.channel)
        channels.append(full if old is None else replace(full, block=old.block))
    return replace(found, channels=tuple(channels))
