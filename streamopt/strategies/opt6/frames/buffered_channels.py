"""FIFOs that become ping-pong buffers where LUTs are short and blocks of memory are left: (I10).

A FIFO of several lanes takes LUTs for each of them, and so do its ends; the banks of a buffer take
few. Frames wait one more for each buffer on their way, so what passes it by holds a frame more.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from streamopt.evaluation.design import Evaluation, timed_network
from streamopt.evaluation.frames import skips
from streamopt.ir.graph import Edge, Graph
from streamopt.ir.network import PipelineTiming
from streamopt.ir.schedule import Schedule
from streamopt.perf.resources.fabric import STREAM_LUTS
from streamopt.perf.resources.network import NetworkResources, resources
from streamopt.strategies.refinement.frame_buffers import buffered
from streamopt.target.device import Target
from streamopt.target.resources import Resources

BRAM18_BITS = 18 * 1024
BRAM18_OF_URAM = 4
"""Block RAMs that an UltraRAM of a buffer is worth, whose words are narrow: an estimate."""
SPARE = 1.1
"""Times the LUTs that are short: what is saved is known but for addresses."""


@dataclass(frozen=True, slots=True)
class _Saving:
    """A channel that may be a buffer."""

    channel: str
    luts: int
    """That this saves."""
    bram18: int
    """That it takes, with the frames that wait beside it."""


def with_buffers(
    graph: Graph,
    schedule: Schedule,
    design: tuple[Evaluation, NetworkResources],
    limits: Resources,
) -> Schedule:
    """Return a schedule with buffers in place of the FIFOs that save the most LUTs for a block RAM.

    As many as it takes until the LUTs should suffice, or no blocks are left.

    Parameters
    ----------
    design
        Of the schedule, with its resources.
    """
    evaluation, used = design
    short = SPARE * (used.total.luts - limits.luts)
    room = limits.bram18 - used.total.bram18
    room += BRAM18_OF_URAM * (limits.uram - used.total.uram)
    found = _savings(graph, schedule, (evaluation, used), evaluation.target)
    chosen: list[str] = []
    for each in sorted(found, key=lambda one: (-one.luts / max(1, one.bram18), one.channel)):
        if short <= 0:
            break
        if each.bram18 <= room:
            chosen.append(each.channel)
            short, room = short - each.luts, room - each.bram18
    return buffered(schedule, chosen) if chosen else schedule


def _savings(
    graph: Graph, schedule: Schedule, design: tuple[Evaluation, NetworkResources], on: Target
) -> Iterator[_Saving]:
    """Yield the channels whose nodes run as fast with a buffer, and which save LUTs."""
    evaluation, used = design
    edges = {edge.channel: edge for edge in graph.edges if _can_wait(graph, edge, schedule)}
    network, timings = timed_network(graph, buffered(schedule, edges), on)
    after = resources(network, timings, on)
    lanes = {fifo.name: prod(fifo.lanes) for fifo in evaluation.network.fifos}
    waiting = _waiting_bram18(graph, schedule)
    before = {name: timed.timing for name, timed in evaluation.timed.items()}
    for name, edge in edges.items():
        if name not in after.channels or not _is_as_fast(edge, before, timings):
            continue
        fifo, buffer = used.channels[name], after.channels[name]
        luts = fifo.luts + 2 * STREAM_LUTS * lanes[name] - buffer.luts
        blocks = buffer.bram18 + BRAM18_OF_URAM * buffer.uram - fifo.bram18
        if luts > 0:
            yield _Saving(name, luts, max(0, blocks) + waiting.get(name, 0))


def _can_wait(graph: Graph, edge: Edge, schedule: Schedule) -> bool:
    """Return whether a channel is a FIFO to a node that reads it by no window."""
    reader = graph.node(edge.consumer)
    is_own = len(graph.writers(edge.array)) == 1 and not edge.is_whole
    return is_own and edge.channel in schedule.fifos and reader.window(edge.array) is None


def _is_as_fast(
    edge: Edge, before: Mapping[str, PipelineTiming], after: Mapping[str, PipelineTiming]
) -> bool:
    ends = (edge.producer, edge.consumer)
    return all(after[name].ii <= before[name].ii for name in ends if name in before)


def _waiting_bram18(graph: Graph, schedule: Schedule) -> dict[str, int]:
    """Return by channel the block RAMs of a frame in each channel that passes it by."""
    by_name = {edge.channel: edge for edge in graph.edges}
    after, before = _reached(graph, downstream=True), _reached(graph, downstream=False)
    found: dict[str, int] = {}
    for _, name in skips(graph, schedule):
        if (skip := by_name.get(name)) is None:
            continue
        array = graph.array(skip.array)
        frame = -(-array.size_elems * array.element.storage_bits // BRAM18_BITS)
        between = (after[skip.producer] | {skip.producer}) & (
            before[skip.consumer] | {skip.consumer}
        )
        for edge in graph.edges:
            if edge is not skip and {edge.producer, edge.consumer} <= between:
                found[edge.channel] = found.get(edge.channel, 0) + frame
    return found


def _reached(graph: Graph, *, downstream: bool) -> dict[str, set[str]]:
    """Return the nodes after each node, or before it."""
    edges = graph.out_edges() if downstream else graph.in_edges()
    found: dict[str, set[str]] = {}
    for node in reversed(graph.nodes) if downstream else graph.nodes:
        ends = {e.consumer if downstream else e.producer for e in edges[node.name]}
        found[node.name] = ends.union(*(found[end] for end in ends))
    return found
