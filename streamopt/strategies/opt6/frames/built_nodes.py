"""DSPs and LUTs of the nodes of a design, with the channels to them, beside what rows say."""

from collections.abc import Iterator, Mapping

from streamopt.ir.graph import Graph
from streamopt.ir.network import Network
from streamopt.ir.schedule import Schedule
from streamopt.perf.costs import CostModel
from streamopt.perf.resources.network import NetworkResources
from streamopt.space.assemble import node_costs
from streamopt.target.resources import Resources

SQUEEZE = 0.985
"""Of the limits of rows, where a design that should be within its limits isn't."""
HALF = 0.5
"""Least share of the limits that is left to rows where memories are short, a round."""

Amounts = Mapping[str, tuple[int, int]]


def built_amounts(graph: Graph, network: Network, used: NetworkResources) -> Amounts:
    """Return the DSPs and LUTs of nodes as built; movers and memories of weights are of none."""
    found: dict[str, Resources] = {}
    for node, part in _parts(graph, network, used):
        found[node] = found.get(node, Resources()) + part
    return {name: (own.dsps, own.luts) for name, own in found.items()}


def row_amounts(graph: Graph, schedule: Schedule, costs: CostModel) -> Amounts:
    """Return the DSPs and LUTs of nodes by a cost model, with FIFOs to them."""
    return {
        name: (int(cost.dsps), int(cost.luts + sum(cost.as_fifo.values())))
        for name, cost in node_costs(graph, schedule, costs).items()
    }


def next_limits(built: Amounts, used: Resources, limits: Resources) -> tuple[int, int]:
    """Return the limits of rows that leave to a design what isn't of its nodes.

    Where flip-flops are short, LUTs get less in proportion; where memories alone are, both get less
    than nodes have.
    """
    dsps, luts = sum(own for own, _ in built.values()), sum(own for _, own in built.values())
    over = used.over(limits)
    if over and not {"dsps", "luts", "ffs"} & set(over):
        least_share = min(getattr(limits, n) / max(1, getattr(used, n)) for n in over)
        share = SQUEEZE * max(HALF, least_share)
        return max(1, int(share * dsps)), max(1, int(share * luts))
    most_luts = limits.luts - max(0, used.luts - luts)
    if "ffs" in over:
        most_luts = min(most_luts, SQUEEZE * luts * limits.ffs / used.ffs)
    return max(1, limits.dsps - max(0, used.dsps - dsps)), max(1, int(most_luts))


def _parts(
    graph: Graph, network: Network, used: NetworkResources
) -> Iterator[tuple[str, Resources]]:
    """Yield the parts of a design that belong to a node."""
    names = {node.name for node in graph.nodes}
    for process in network.processes:
        own = names.intersection(p.name for p in process.pipelines) or names & {process.name}
        if len(own) == 1:
            yield min(own), used.processes[process.name]
    readers: Mapping[str, str] = {edge.channel: edge.consumer for edge in graph.edges}
    for channel, part in used.channels.items():
        if channel in readers:
            yield readers[channel], part
