"""The costs of a graph's nodes as built: the graph is lowered once without unrolling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.network import Network, Pipeline, Place
from streamopt.ir.ports import PortPlan
from streamopt.ir.program import Array
from streamopt.ir.schedule import Binding, ChannelKind, ChannelPlan
from streamopt.strategies.sequential.plan_builder import PlanBuilder
from streamopt.target.device import Target
from streamopt.target.resources import Fit
from streamopt.transforms.argument_banks import argument_load, bank_load
from streamopt.transforms.buffer_banks import buffer_factors, buffer_load
from streamopt.transforms.partitions import PORTS
from streamopt.transforms.window_intervals import (
    loops_beside_rows,
    window_interval,
    window_writes,
)
from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from streamopt.perf.as_built.node_costs import AsBuiltCosts
    from streamopt.perf.as_built.port_rules import ArrayRule, PortRule, WindowRule
    from streamopt.perf.pipelines.bandwidth import TransferRule

Alike = dict[tuple[object, ...], dict[tuple[int, ...], int]]
"""Intervals by unroll factors, by what they follow from: many nodes have the same."""

NOTHING: Mapping[str, Binding] = MappingProxyType({})
MOST_READERS = 64
"""Choices of lanes of a buffer's reader, of which all are looked at for what its writer takes."""


def as_built_costs(
    graph: Graph,
    on: Target,
    counted: Mapping[str, Binding] = NOTHING,
    ports: tuple[PortPlan, ...] = (),
    most_banks: int | None = None,
    builder: PlanBuilder | None = None,
) -> AsBuiltCosts:
    """Return the cost of every configuration of a graph's nodes on a target.

    Parameters
    ----------
    counted
        By node, a binding by which DSPs are counted, whatever the tool does.
    ports
        How arrays cross the boundary, with movers in the graph: they keep to their channels.
    most_banks
        Of an argument; None for no limit.
    builder
        Of plans of sequential nodes, which other graphs may share.
    """
    from streamopt.perf.as_built.closed_form import node_pipelines
    from streamopt.perf.as_built.node_costs import AsBuiltCosts
    from streamopt.perf.pipelines.bandwidth import least_shared_rates
    from streamopt.perf.pipelines.ports import port_counts
    from streamopt.space.assemble import baseline
    from streamopt.transforms.apply import apply
    from streamopt.transforms.lower import lower

    schedule = baseline(graph)
    spend(WORK.designs.rewrite * len(graph.nodes))
    # buffers, as the accesses of streams don't name the loops that they move with
    channels = tuple(ChannelPlan(plan.channel, ChannelKind.PING_PONG) for plan in schedule.channels)
    scheduled = apply(graph, replace(schedule, channels=channels, ports=ports))
    network = lower(scheduled)
    places = {memory.name: memory.place for memory in network.memories}
    inside = (Place.LOCAL, Place.PING_PONG)
    counts = {name: n for name, n in port_counts(network).items() if places[name] not in inside}
    outside = {m.name: m.channels for m in network.memories if m.place is Place.OFF_CHIP}
    rates = least_shared_rates(outside, on, is_even=Place.RESIDENT not in places.values())
    pipelines = node_pipelines(scheduled, network)
    limits = {name: most_banks if places[name] is Place.ARGUMENT else None for name in counts}
    alike: Alike = {}
    readers = [] if most_banks is None else _walking_readers(graph)
    rules = {
        node.name: _port_rule(
            graph,
            node,
            _transfer_rule(pipelines[node.name], network, rates),
            counts,
            limits,
            alike,
            readers,
        )
        for node in graph.nodes
    }
    sequential = builder or PlanBuilder(on, on.budget(Fit.DEVICE), most_banks)
    return AsBuiltCosts(graph, pipelines, network, on, rules, counted, sequential)


def _transfer_rule(
    pipelines: Sequence[Pipeline], network: Network, rates: Mapping[str, tuple[float, ...]]
) -> TransferRule | None:
    """Return the rule of the channel that a node moves an array through, if it does."""
    from streamopt.perf.pipelines.bandwidth import TransferRule

    touched = [port.target for p in pipelines for port in p.ports if port.target in rates]
    if not touched:
        return None
    bits = next(m.element.bits for m in network.memories if m.name == touched[0])
    return TransferRule(bits, rates[touched[0]])


def _port_rule(
    graph: Graph,
    node: Node,
    moved: TransferRule | None,
    counts: Mapping[str, int],
    limits: Mapping[str, int | None],
    alike: Alike,
    readers: Sequence[_WalkingReader],
) -> PortRule:
    """Return the rule for the arrays that a node walks by more than plain iterators, or widely.

    Parameters
    ----------
    moved
        The rule of the channel that it moves an array through, if it does.
    counts, limits
        Ports of a bank and most banks of each argument.
    alike
        Of all nodes.
    readers
        See `_walking_readers`; empty where buffers are left to the tool.
    """
    from streamopt.perf.as_built.port_rules import PortRule

    if isinstance(node, SequentialNode):
        return PortRule(())
    outside = [moved] if moved else _argument_rules(graph, node, counts, limits, alike)
    rules = [*outside, *_window_rules(node, alike)]
    if readers:
        rules += _buffer_rules(graph, node, readers)
    return PortRule(rules)


def _argument_rules(
    graph: Graph,
    node: Node,
    counts: Mapping[str, int],
    limits: Mapping[str, int | None],
    alike: Alike,
) -> Iterator[ArrayRule]:
    """Yield the rules of arguments: of more lanes than banks, several elements are in one bank."""
    from streamopt.perf.as_built.port_rules import ArrayRule

    accesses = dict.fromkeys((*node.reads, node.write))
    for name in dict.fromkeys(access.array for access in accesses):
        own = [access for access in accesses if access.array == name]
        is_plain = all(_is_plain(s) for access in own for s in access.subscripts)
        most_banks = limits.get(name)
        if not counts.get(name) or (is_plain and most_banks is None):
            continue
        walked = {loop for access in own for loop in access.iterators()}
        loops = [loop for loop in node.trip_counts if loop in walked]
        array = graph.array(name)
        judge = partial(_argument_ii, array, node, counts[name], most_banks)
        free = most_banks if is_plain and len(own) == 1 and most_banks else 0
        form = _form(node, own, loops)
        key = (form, array.shape, array.role, counts[name], most_banks)
        yield ArrayRule(loops, judge, free, None if form is None else alike.setdefault(key, {}))


def _window_rules(node: Node, alike: Alike) -> Iterator[WindowRule]:
    """Yield the rules of windows.

    Parameters
    ----------
    alike
        Of all nodes.
    """
    from streamopt.perf.as_built.port_rules import ArrayRule, WindowRule

    trips = list(node.trip_counts)
    for window in node.windows:
        reads = node.reads_of(window.array)
        loops = loops_beside_rows(node, window)
        judge = partial(window_writes, node, window)
        form = _form(node, [window.taken, *reads], trips)
        key = (form, window.shape, window.dimension, window.counted_rows, window.prefilled)
        known = None if form is None else alike.setdefault(key, {})
        writes = ArrayRule(loops, judge, 1, known)
        yield WindowRule(window, node.built_trip_counts, writes, window_interval)


@dataclass(frozen=True, slots=True)
class _WalkingReader:
    """A node that reads a buffer by more than plain iterators."""

    edge: Edge
    choices: Sequence[Mapping[str, int]]
    """Factors that its loops along the array may have, those beside it 1; none if too many."""


def _walking_readers(graph: Graph) -> list[_WalkingReader]:
    """Return the nodes that read an array by more than plain iterators, if by no window."""
    from streamopt.space.tiles import MOST_CHOICES, Coupling, tile_classes

    found: list[Edge] = []
    for edge in graph.edges:
        node = graph.node(edge.consumer)
        is_plain = all(_is_plain(s) for access in edge.reads for s in access.subscripts)
        if not isinstance(node, SequentialNode) and not is_plain and not node.window(edge.array):
            found.append(edge)
    if not found:
        return []
    plain = Coupling.PLAIN
    classes = tile_classes(graph, 1, tiles=True, coupling=plain, partial_tiles=MOST_CHOICES)
    factors = {loop: group.factors for group in classes for loop in group.members}
    return [
        _WalkingReader(edge, _choices_of(graph.node(edge.consumer), edge, factors))
        for edge in found
    ]


def _choices_of(
    node: Node, edge: Edge, factors: Mapping[tuple[str, str], Sequence[int]]
) -> Sequence[Mapping[str, int]]:
    walking = {loop for access in edge.reads for loop in access.iterators()}
    each = [factors[node.name, n] if n in walking else (1,) for n in node.trip_counts]
    if node.takes or prod(map(len, each)) > MOST_READERS:
        return ()
    return [dict(zip(node.trip_counts, own, strict=True)) for own in product(*each)]


def _buffer_rules(
    graph: Graph, node: Node, readers: Sequence[_WalkingReader]
) -> Iterator[ArrayRule]:
    """Yield the rules of ping-pong buffers that are read by more than plain iterators."""
    from streamopt.perf.as_built.port_rules import ArrayRule

    for name in node.inputs:
        if any((one.edge.consumer, one.edge.array) == (node.name, name) for one in readers):
            own = node.reads_of(name)
            loops = sorted({loop for access in own for loop in access.iterators()})
            yield ArrayRule(loops, partial(_buffer_ii, graph.array(name), node, own), 1)
    is_alone = len(graph.writers(node.write.array)) == 1
    for one in readers if is_alone else ():
        if one.edge.array == node.write.array and one.choices:
            yield ArrayRule(node.write.iterators(), partial(_filling_ii, graph, one), PORTS)


def _filling_ii(graph: Graph, reader: _WalkingReader, chosen: Mapping[str, int]) -> int:
    """Return the II that a ping-pong buffer asks its writer for, whatever its reader's lanes."""
    edge, writer = reader.edge, graph.node(reader.edge.producer)
    own = {name: chosen.get(name, 1) for name in writer.trip_counts}
    uses = [(edge.write, writer, own)]
    given = ({writer.name: own, edge.consumer: reading} for reading in reader.choices)
    loads = (bank_load(uses, buffer_factors(graph, edge, f, all_known=True)) for f in given)
    return -(-min(loads) // PORTS)


def _buffer_ii(
    array: Array, node: Node, accesses: Sequence[Access], chosen: Mapping[str, int]
) -> int:
    """Return the II that a ping-pong buffer asks for, by the factors of the loops that walk it."""
    factors = {name: chosen.get(name, 1) for name in node.trip_counts}
    return -(-buffer_load(array, node, accesses, factors) // PORTS)


def _argument_ii(
    array: Array, node: Node, ports: int, most_banks: int | None, chosen: Mapping[str, int]
) -> int:
    """Return the II that an argument asks for, by the factors of the loops that walk it."""
    factors = {name: chosen.get(name, 1) for name in node.trip_counts}
    return -(-argument_load(array, node, factors, most_banks) // ports)


def _form(
    node: Node, accesses: Sequence[Access], loops: Sequence[str]
) -> tuple[object, ...] | None:
    """Return accesses without names, as banks follow from them; None where they aren't linear.

    Parameters
    ----------
    loops
        That they walk.
    """
    subscripts = [[*access.subscripts] for access in accesses]
    if not all(subscript.is_linear for own in subscripts for subscript in own):
        return None
    place = {name: at for at, name in enumerate(loops)}
    trips = node.built_trip_counts
    return (
        tuple(trips[name] for name in loops),
        accesses[-1] == node.write,
        *(
            tuple((s.constant, *((place[name], by) for name, by in s.factors.items())) for s in own)
            for own in subscripts
        ),
    )


def _is_plain(subscript: Affine) -> bool:
    return not subscript.terms or subscript.as_iterator() is not None
