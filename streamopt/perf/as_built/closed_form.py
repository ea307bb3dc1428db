"""The closed form of designs as built: table 3 of [1] with the II and depth of every pipeline.

Where [1] counts a node's run once for each of its stores, takes II from the innermost loop alone
and lets nodes that fill one array run side by side, this takes what a pipeline really does: II and
depth by the rules of `streamopt.perf`, nodes of one process one after another. It looks at first
and last tokens only, so stalls in between are left to `streamopt.sim`.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, section 3.5.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod
from typing import Any

from streamopt.ir.graph import Node, SequentialNode
from streamopt.ir.network import Network, Pipeline, PipelineTiming, Turns
from streamopt.ir.schedule import ChannelKind, NodePrediction, Prediction
from streamopt.ir.scheduled import ScheduledGraph, ScheduledNode
from streamopt.ir.window import Window, iterations_apart
from streamopt.perf.as_built.paced_runs import PacedRuns, waits_for_sums
from streamopt.perf.paper.algebra import INTEGERS
from streamopt.perf.paper.timing import NestTiming, graph_times, latency, nest_run
from streamopt.perf.turns.visits import iterations_in_turn

PROCESS_CYCLES = 2
"""Cycles around a loop: one before its first iteration, one after its last."""
PREFILL_CYCLES = PROCESS_CYCLES + 1
"""Cycles of a nest that takes the rows before the first window, beside its iterations."""


def predict(
    scheduled: ScheduledGraph,
    network: Network,
    timings: Mapping[str, PipelineTiming],
    dsps: Mapping[str, int],
) -> Prediction:
    """Return st, fw and lw of every node in cycles, with its II and DSPs.

    Parameters
    ----------
    network
        The scheduled graph's own, from `streamopt.transforms.lower`.
    timings
        II and depth by pipeline.
    dsps
        DSPs by pipeline.
    """
    pipelines = node_pipelines(scheduled, network)
    turns = {process.name: process.turns for process in network.processes}
    nests = {
        node.node.name: _nest(
            node, pipelines[node.node.name], turns.get(node.node.name, ()), timings
        )
        for node in scheduled.nodes
    }
    fifos = {c.edge.channel for c in scheduled.channels if c.kind is ChannelKind.FIFO}
    in_order = tuple(node.node for process in scheduled.processes for node in process)
    graph = replace(scheduled.graph, nodes=in_order)
    waits_for = _waits_for(scheduled, fifos)
    times = graph_times(graph, nests, fifos, INTEGERS, waits_for)
    if any(node.windows for node in graph.nodes) or waits_for_sums(graph):
        paced = graph_times(graph, _paced(scheduled, nests), fifos, INTEGERS, waits_for)
        times = max(times, paced, key=lambda found: latency(found, INTEGERS))
    return Prediction(
        tuple(
            NodePrediction(
                node=node.node.name,
                ii=nests[node.node.name].ii,
                start_cycles=times[node.node.name].start,
                first_write_cycles=times[node.node.name].first_write,
                last_write_cycles=times[node.node.name].last_write,
                lanes=node.lanes,
                dsps=sum(dsps[pipeline.name] for pipeline in pipelines[node.node.name]),
            )
            for node in scheduled.nodes
        ),
        scheduled.graph.pass_count,
    )


def _paced(
    scheduled: ScheduledGraph, nests: Mapping[str, NestTiming[int]]
) -> dict[str, NestTiming[int]]:
    runs = PacedRuns(scheduled.graph)
    return {
        node.node.name: runs.paced(
            node.node,
            [loop.name for loop in node.loops],
            {loop.name: loop.tiles for loop in node.loops},
            nests[node.node.name],
        )
        for node in scheduled.nodes
    }


def _waits_for(scheduled: ScheduledGraph, fifos: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return which nodes must have ended before a node starts, other than those it reads.

    Nodes of one process run one after another, and the first doesn't start before the ping-pong
    buffers of all of them are filled.
    """
    edges = scheduled.graph.in_edges()
    found: dict[str, tuple[str, ...]] = {}
    for process in scheduled.processes:
        names = [node.node.name for node in process]
        found.update((later, (earlier,)) for earlier, later in pairwise(names))
        found[names[0]] = tuple(
            edge.producer for name in names for edge in edges[name] if edge.channel not in fifos
        )
    return found


def node_pipelines(scheduled: ScheduledGraph, network: Network) -> dict[str, tuple[Pipeline, ...]]:
    """Return the pipelines of each node; a sequential node has a process of its own."""
    found: dict[str, tuple[Pipeline, ...]] = {}
    for nodes, process in zip(scheduled.processes, network.processes, strict=True):
        if len(nodes) == 1:
            found[nodes[0].node.name] = process.pipelines
        else:
            own: list[Pipeline] = []
            names = {node.node.name for node in nodes}
            for pipeline in process.pipelines:
                own.append(pipeline)
                if pipeline.name in names:
                    found[pipeline.name], own = tuple(own), []
    return found


def _nest(
    scheduled: ScheduledNode,
    pipelines: Sequence[Pipeline],
    turns: Sequence[Turns],
    timings: Mapping[str, PipelineTiming],
) -> NestTiming[int]:
    node = scheduled.node
    if isinstance(node, SequentialNode):
        return sequential_run(node, pipelines, turns, timings)
    timing = timings[node.name]
    order = [loop.name for loop in scheduled.loops]
    tiles = {loop.name: loop.tiles for loop in scheduled.loops}

    run = built_run(node, order, tiles, node.inputs, timing.ii)
    return run.delayed(timing.depth_cycles)


def sequential_run(
    node: SequentialNode,
    pipelines: Sequence[Pipeline],
    turns: Sequence[Turns],
    timings: Mapping[str, PipelineTiming],
) -> NestTiming[int]:
    """Return the times of a sequential node: nothing is handed over before its end.

    Parameters
    ----------
    turns
        Those that its pipelines take.
    """
    in_turn = {name for own in turns for name in own.pipelines}
    runs = [
        (timings[pipeline.name], pipeline.iterations)
        for pipeline in pipelines
        if pipeline.name not in in_turn
    ]
    runs += [(timings[own.name], iterations_in_turn(own)) for own in turns]
    cycles = sum(t.ii * (count - 1) + t.depth_cycles + PROCESS_CYCLES for t, count in runs)
    return NestTiming(timings[node.name].ii, cycles, cycles, dict.fromkeys(node.inputs, 0))


def _tile(iteration: int, tiles: Any, trips: int) -> Any:
    """Return the tile of an iteration; factors divide where it is neither first nor last."""
    return tiles - 1 if iteration == trips - 1 else iteration // (trips // tiles)


def _last_counted(
    window: Window, order: Sequence[str], tiles: Mapping[str, Any], built: dict[str, int]
) -> dict[str, Any]:
    """Return where the last element is taken: in the innermost loop, as many iterations on."""
    rows = order.index(window.row_loop)
    extents = window.taken_beside
    counts = [-(-extents[n] * tiles[n] // built[n]) for n in order[rows + 1 :] if n in extents]
    within = [tiles[n] for n in order[rows + 1 :]]
    row, inside = prod(counts), prod(within)
    blocks, rest = window.last_taken
    elements = window.steps * row
    last = iterations_apart(elements, within) * ((rest + 1) * row - 1)
    ends = built | window.ends
    outside = {n: _tile(ends[n] - 1, tiles[n], built[n]) for n in order[:rows]}
    found = dict.fromkeys(order, 0) | outside
    found[order[-1]] = found[order[-1]] + blocks * inside + last // -(-elements // inside)
    return found


def _prefill_cycles(node: Node, tiles: Mapping[str, Any]) -> Any:
    """Return how long nests run that take rows before the node computes."""
    built, own = node.built_trip_counts, (w for w in node.windows if w.prefilled)
    return sum(prod(w.prefill(tiles, built).values()) + PREFILL_CYCLES for w in own)


def built_run(
    node: Node,
    order: Sequence[str],
    tiles: Mapping[str, Any],
    operands: Collection[str],
    ii: Any,
) -> NestTiming[Any]:
    """Return the relative times of one run at a given initiation interval, in cycles.

    As `nest_run`; what a window takes has been read when the last element of the array has.

    Parameters
    ----------
    tiles
        Trip count of every tile loop as built: integers, or integer arrays of one shape.
    """
    built, delays = node.built_trip_counts, node.delays
    before = _prefill_cycles(node, tiles)
    if not (node.stretches or node.parts or any(window.prefilled for window in node.windows)):
        algebra: Any = INTEGERS
        return nest_run(node, order, tiles, operands, algebra, ii)

    def tile(name: str, iteration: int) -> Any:
        return _tile(iteration, tiles[name], built[name])

    first = {name: tile(name, delays.get(name, 0)) for name in order}
    last = {
        name: tile(name, delays.get(name, 0) + trips - 1)
        for name, trips in node.trip_counts.items()
    }

    def read(array: str) -> dict[str, Any]:
        noted = node.noted(array)
        if isinstance(noted, Window) and noted.counted_rows:
            return _last_counted(noted, order, tiles, built)
        if noted is not None:
            ends = noted.ends.items()
            return dict.fromkeys(order, 0) | {n: tile(n, max(0, end - 1)) for n, end in ends}
        own = {name for access in node.reads_of(array) for name in access.iterators()}
        return first | {name: last[name] for name in own}

    def at(indices: Mapping[str, Any]) -> Any:
        total: Any = 0
        for name in order:
            total = total * tiles[name] + indices[name]
        return before + total * ii

    return NestTiming(
        ii=ii,
        first_write=at(first | {name: last[name] for name in node.reduction_loops}),
        last_write=at(last),
        last_read={array: at(read(array)) for array in operands},
    )
