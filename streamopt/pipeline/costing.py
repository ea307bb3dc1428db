"""The honest costs of a graph's nodes: the graph is lowered once without unrolling."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.schedule import ChannelKind, ChannelPlan

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.perf.honest import HonestCosts
    from streamopt.target.device import Target

__all__ = ["honest_costs"]


def honest_costs(graph: Graph, on: Target) -> HonestCosts:
    """Return what every choice of a graph's nodes costs on a target."""
    from streamopt.perf.closed_form import node_pipelines
    from streamopt.perf.honest import HonestCosts
    from streamopt.space.assemble import baseline
    from streamopt.transforms.apply import apply
    from streamopt.transforms.lower import lower

    schedule = baseline(graph)
    # buffers, as the accesses of streams don't name the loops that they move with
    channels = tuple(
        ChannelPlan(plan.channel, ChannelKind.PING_PONG) for plan in schedule.channels
    )
    scheduled = apply(graph, replace(schedule, channels=channels))
    network = lower(scheduled)
    return HonestCosts(node_pipelines(scheduled, network), network, on)
