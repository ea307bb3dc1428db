"""Lanes of who fills a buffer that leave its reader the banks that it needs: (O34) of opt6.md.

No bank is chosen by an index that moves, so lanes of both sides split a buffer together: 32 that
write and 7 that read have one bank, where either side would have as many as lanes. A row of a
search has the interval of its own side, so a writer may get fewer lanes afterwards.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod

from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.schedule import Schedule
from streamopt.space.decisions import DecisionSpace
from streamopt.transforms.argument_banks import bank_load
from streamopt.transforms.buffer_banks import buffer_factors
from streamopt.transforms.partitions import PORTS, Factors


def with_fitting_lanes(space: DecisionSpace, schedule: Schedule) -> Schedule:
    """Return a schedule with fewer lanes of writers where readers of buffers gain more by it.

    Loops that share a tile class with another node keep their lanes.
    """
    graph, fifos = space.graph, schedule.fifos
    factors: dict[str, Factors] = {plan.node: plan.factors for plan in schedule.nodes}
    for edge in graph.edges:
        ends = graph.node(edge.producer), graph.node(edge.consumer)
        is_plain = not any(isinstance(node, SequentialNode) for node in ends)
        if edge.channel not in fifos and is_plain:
            _narrow(space, edge, factors)
    nodes = (
        replace(plan, unroll=tuple((name, factors[plan.node][name]) for name in plan.factors))
        for plan in schedule.nodes
    )
    return replace(schedule, nodes=tuple(nodes))


def _narrow(space: DecisionSpace, edge: Edge, factors: dict[str, Factors]) -> None:
    """Take fewer lanes of an edge's writer, loop by loop, if the reader gains more iterations."""
    writer, reader = space.graph.node(edge.producer), space.graph.node(edge.consumer)

    def cycles(own: Factors) -> int:
        every = {**factors, writer.name: own}
        interval = _interval(space.graph, edge, every)
        return _iterations(writer, own) + interval * _iterations(reader, every[reader.name])

    for name, fewer in _free_loops(space, edge, factors[writer.name]):
        own = factors[writer.name]
        choices = [own, *({**own, name: lanes} for lanes in fewer)]
        factors[writer.name] = min(choices, key=cycles)


def _free_loops(
    space: DecisionSpace, edge: Edge, own: Factors
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the loops of a writer that no other node follows, with the lanes below their own."""
    class_of = space.class_of()
    for name in edge.write.iterators():
        group = space.classes[class_of[edge.producer, name]]
        if own[name] > 1 and len(group.members) == 1:
            yield name, tuple(lanes for lanes in group.factors if lanes < own[name])


def _interval(graph: Graph, edge: Edge, factors: Mapping[str, Factors]) -> int:
    """Return the II that a buffer asks its reader for, as both sides split it."""
    reader = graph.node(edge.consumer)
    banks = buffer_factors(graph, edge, factors, all_known=True)
    uses = [(access, reader, factors[reader.name]) for access in edge.reads]
    return -(-bank_load(uses, banks) // PORTS)


def _iterations(node: Node, factors: Factors) -> int:
    return prod(-(-trips // factors[name]) for name, trips in node.built_trip_counts.items())
