"""The reason why a channel is a ping-pong buffer, reported beside the share of FIFOs."""

from enum import StrEnum

from streamopt.analysis.access_order import completes_rows
from streamopt.ir.affine import Iter
from streamopt.ir.expression import Access
from streamopt.ir.graph import Edge, Graph, Node
from streamopt.ir.schedule import ChannelKind, Schedule
from streamopt.space.decisions import read_stream_order, write_stream_order


class BufferReason(StrEnum):
    """Reasons against a FIFO; the values are words for people."""

    SEQUENTIAL = "a sequential node hands over whole arrays"
    WRITERS = "several writers"
    READS = "read in several ways"
    WINDOW = "read through a window, or in part"
    STRIDE = "read through a window that moves by several elements"
    PART = "written in parts"
    ROWS = "loops around the rows of a window"
    ORDER = "loop orders differ"
    LANES = "lanes differ"
    CHOSEN = "the schedule says so"


def buffer_reason(graph: Graph, edge: Edge, schedule: Schedule) -> BufferReason | None:
    """Return why a channel is a ping-pong buffer, None for a FIFO.

    Of several reasons it is the one that is hardest to remove: those of the graph come before those
    of the schedule.

    Parameters
    ----------
    graph
        As it is planned: after the schedule's rewrites.
    """
    if schedule.channel(edge.channel).kind is ChannelKind.FIFO:
        return None
    return _of_graph(graph, edge) or _of_schedule(graph, edge, schedule)


def _of_graph(graph: Graph, edge: Edge) -> BufferReason | None:
    if edge.is_whole:
        return BufferReason.SEQUENTIAL
    if len(graph.writers(edge.array)) != 1:
        return BufferReason.WRITERS
    if len(edge.reads) != 1:
        return BufferReason.READS
    producer, consumer = graph.node(edge.producer), graph.node(edge.consumer)
    if write_stream_order(graph, edge, tuple(producer.trip_counts)) is None:
        return BufferReason.PART
    if consumer.window(edge.array) is not None:
        return None
    if read_stream_order(graph, edge, tuple(consumer.trip_counts)) is None:
        strides = any(_strides(consumer, access) for access in edge.reads)
        return BufferReason.STRIDE if strides else BufferReason.WINDOW
    return None


def _strides(node: Node, access: Access) -> bool:
    """Return whether windows that lie next to each other are more than an element apart."""
    return any(
        isinstance(atom, Iter) and atom.name not in node.reduction_loops and by > 1
        for subscript in access.subscripts
        for atom, by in subscript.terms
        if len(subscript.terms) > 1
    )


def _of_schedule(graph: Graph, edge: Edge, schedule: Schedule) -> BufferReason:
    consumer = graph.node(edge.consumer)
    window = consumer.window(edge.array)
    if window and not completes_rows(consumer, window, schedule.node(consumer.name).order):
        return BufferReason.ROWS
    written = write_stream_order(graph, edge, schedule.node(edge.producer).order)
    if written != read_stream_order(graph, edge, schedule.node(edge.consumer).order):
        return BufferReason.ORDER
    ways = ((edge.write, graph.node(edge.producer)), (edge.reads[0], graph.node(edge.consumer)))
    banks = [_lanes(access, node, schedule) for access, node in ways]
    return BufferReason.LANES if banks[0] != banks[1] else BufferReason.CHOSEN


def _lanes(access: Access, node: Node, schedule: Schedule) -> list[int]:
    """Return the elements of each dimension that one iteration touches at once."""
    factors = schedule.node(node.name).factors
    return [
        1 if name is None else factors[name]
        for name in (subscript.as_iterator() for subscript in access.subscripts)
    ]
