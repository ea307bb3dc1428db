"""A dataflow graph as boxes and wires with their words, before anything is drawn."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod

from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Array, Role
from streamopt.ir.schedule import ChannelKind
from streamopt.ir.scheduled import Channel, ScheduledGraph
from streamopt.report.graph.layout import Layout, Size, Wire, layout

HEAD_PIXELS, WORDS_PIXELS = 13.0, 12.0
"""Sizes of the letters of names, and of what stands below them."""
LETTER = 0.61
"""Width of a letter of a fixed-width font, in its sizes."""
MOST_LETTERS = 24
"""Of a line; longer ones lose their middle. Readers find the whole in the element's title."""
NODE_LETTERS, CHANNEL_LETTERS = 18, 17
"""Least width of a line, in letters: that of ``II 1, 4,096 lanes`` and ``65,536 bit, 8 deep``."""
LINE_PIXELS, PADDING = 16.0, 9.0


class BoxKind(StrEnum):
    """Meaning of a box."""

    NODE = "node"
    SEQUENTIAL = "sequential"
    INPUT = "input"
    WEIGHT = "weight"
    OUTPUT = "output"

    @property
    def is_argument(self) -> bool:
        """Return whether it is an array that crosses the design's boundary."""
        return self not in (BoxKind.NODE, BoxKind.SEQUENTIAL)


class WireKind(StrEnum):
    """How something is handed over."""

    FIFO = "fifo"
    PING_PONG = "ping-pong"
    STREAM = "stream"
    """Undecided: there are schedules in which it is a FIFO."""
    WHOLE = "whole"
    """Undecided, but a FIFO in none."""
    ARGUMENT = "argument"


WIRE_WORDS = {
    WireKind.FIFO: "FIFO",
    WireKind.PING_PONG: "ping-pong buffer",
    WireKind.STREAM: "channel",
    WireKind.WHOLE: "needs a buffer",
}


@dataclass(frozen=True, slots=True)
class GraphBox:
    """A node, or an argument, with its lines and all that is known of it."""

    name: str
    """Of the node or of the array."""
    kind: BoxKind
    lines: tuple[str, ...]
    says: str

    @property
    def key(self) -> str:
        """Return its name in the layout, where no argument has a node's."""
        return f"argument {self.name}" if self.kind.is_argument else self.name

    @property
    def size(self) -> Size:
        """Return width and height in pixels."""
        least = 0 if self.kind.is_argument else NODE_LETTERS
        height = LINE_PIXELS * len(self.lines) + PADDING
        return _width(self.lines, least) + 2 * PADDING, height


@dataclass(frozen=True, slots=True)
class Line:
    """A channel, or the way of an argument to its reader or from its writer."""

    name: str
    """Of the channel, or of the array."""
    kind: WireKind
    # start, end: keys of boxes
    start: str
    end: str
    words: tuple[str, ...] = ()
    says: str = ""

    @property
    def key(self) -> str:
        """Return its name in the layout."""
        is_argument = self.kind is WireKind.ARGUMENT
        return f"{self.start} to {self.end}" if is_argument else self.name

    @property
    def wire(self) -> Wire:
        """Return it with the size of its words."""
        height = LINE_PIXELS * len(self.words)
        size = (_width(self.words, CHANNEL_LETTERS), height) if self.words else (0.0, 0.0)
        return Wire(self.key, self.start, self.end, size)


@dataclass(frozen=True, slots=True)
class GraphPicture:
    """Boxes and lines, with their places."""

    says: str
    boxes: tuple[GraphBox, ...]
    lines: tuple[Line, ...]
    layout: Layout

    @property
    def legend(self) -> tuple[tuple[WireKind, str], ...]:
        """Return the kinds of channels that occur, with words."""
        found = {line.kind for line in self.lines}
        return tuple((kind, words) for kind, words in WIRE_WORDS.items() if kind in found)


def graph_picture(graph: Graph) -> GraphPicture:
    """Return the picture of a graph for which nothing is decided."""
    words = {node.name: (_loops(node),) for node in graph.nodes}
    lines = [
        Line(
            edge.channel,
            WireKind.WHOLE if edge.is_whole or len(edge.reads) > 1 else WireKind.STREAM,
            edge.producer,
            edge.consumer,
            (_fit(edge.array), _fit(_type(graph.array(edge.array)))),
            str(edge),
        )
        for edge in graph.edges
    ]
    counted = f"{len(graph.nodes)} nodes, {len(lines)} channels"
    return _picture(graph, words, lines, {}, f"Dataflow graph {graph.name}: {counted}")


def scheduled_picture(scheduled: ScheduledGraph, facts: Mapping[str, str]) -> GraphPicture:
    """Return the picture of a scheduled graph.

    Parameters
    ----------
    facts
        Words about a node, by node, with commas between.
    """
    graph = scheduled.graph
    words = {node.node.name: _halves(facts.get(node.node.name, "")) for node in scheduled.nodes}
    lines = [_channel_line(scheduled, channel) for channel in scheduled.channels]
    banks = {each.array: prod(each.factors) for each in scheduled.partitions}
    fifos = sum(line.kind is WireKind.FIFO for line in lines)
    says = f"Dataflow graph of {graph.name}: {len(graph.nodes)} nodes; {fifos} of {len(lines)} "
    says += "channels are FIFOs, the others ping-pong buffers"
    return _picture(graph, words, lines, banks, says)


def channel_bits(scheduled: ScheduledGraph, channel: Channel) -> int:
    """Return the bits that a channel hands over at once: those of an element in every lane."""
    return scheduled.graph.array(channel.edge.array).element.bits * prod(channel.lanes)


def channel_words(scheduled: ScheduledGraph, channel: Channel) -> str:
    """Return width and, of a FIFO, depth in a line."""
    bits = f"{channel_bits(scheduled, channel):,} bit"
    is_fifo = channel.kind is ChannelKind.FIFO
    return f"{bits}, {channel.depth_elems:,} deep" if is_fifo else bits


def _channel_line(scheduled: ScheduledGraph, channel: Channel) -> Line:
    edge = channel.edge
    kind = WireKind.FIFO if channel.kind is ChannelKind.FIFO else WireKind.PING_PONG
    words = channel_words(scheduled, channel)
    says = f"{edge.channel}: {WIRE_WORDS[kind]} from {edge.producer} to {edge.consumer}, {words}"
    return Line(
        edge.channel, kind, edge.producer, edge.consumer, (_fit(edge.array), _fit(words)), says
    )


def _picture(
    graph: Graph,
    words: Mapping[str, Sequence[str]],
    channels: Sequence[Line],
    banks: Mapping[str, int],
    says: str,
) -> GraphPicture:
    boxes = [
        GraphBox(
            node.name,
            BoxKind.SEQUENTIAL if isinstance(node, SequentialNode) else BoxKind.NODE,
            (_fit(node.name), *(_fit(line) for line in words[node.name] if line)),
            "\n".join([f"{node.name}: {', '.join(words[node.name])}", *node.texts]),
        )
        for node in graph.nodes
    ]
    crossing = [*_arguments(graph)]
    arrays = dict.fromkeys((array, kind) for array, kind, _ in crossing)
    originals = dict(graph.copies)
    boxes += [
        _argument(graph.array(array), kind, banks.get(array, 1), originals.get(array, ""))
        for array, kind in arrays
    ]
    lines = [*channels]
    for array, kind, node in crossing:
        ends = (f"argument {array}", node)
        start, end = ends[::-1] if kind is BoxKind.OUTPUT else ends
        lines.append(Line(array, WireKind.ARGUMENT, start, end))
    place = layout({box.key: box.size for box in boxes}, [line.wire for line in lines])
    return GraphPicture(says, tuple(boxes), tuple(lines), place)


def _arguments(graph: Graph) -> Iterator[tuple[str, BoxKind, str]]:
    """Yield the arrays that cross the boundary, with the nodes that read or write them."""
    for node in graph.nodes:
        for name in node.inputs:
            if not graph.writers(name):
                is_weight = graph.array(name).role is Role.WEIGHT
                yield name, BoxKind.WEIGHT if is_weight else BoxKind.INPUT, node.name
        for name in node.outputs:
            if graph.array(name).role is Role.OUTPUT:
                yield name, BoxKind.OUTPUT, node.name


def _argument(array: Array, kind: BoxKind, banks: int, original: str) -> GraphBox:
    says = f"{kind} {array.name}: {_type(array)}"
    says += f" in {banks:,} banks" if banks > 1 else ""
    says += f", a copy of {original}" if original else ""
    return GraphBox(array.name, kind, (_fit(array.name), _fit(_type(array))), says)


def _type(array: Array) -> str:
    """Return shape and element type: ``64×32 float``."""
    return f"{'×'.join(map(str, array.shape)) or 'scalar'} {array.element}"


def _loops(node: Node) -> str:
    return "×".join(str(loop.trip_count) for loop in node.loops) or "once"


def _halves(facts: str) -> tuple[str, ...]:
    """Return facts in two lines: the last one stands below the others."""
    parts = facts.split(", ")
    return (", ".join(parts[:-1]), parts[-1]) if len(parts) > 2 else (facts,)


def _fit(text: str) -> str:
    """Return a text without its middle where it is too long for a line.

    >>> _fit("conv1_pad_fill__conv1_pad_fill__conv1")
    'conv1_pad_fill…ll__conv1'
    """
    if len(text) <= MOST_LETTERS:
        return text
    tail = MOST_LETTERS * 2 // 5
    return f"{text[: MOST_LETTERS - tail - 1]}…{text[-tail:]}"


def _width(lines: Sequence[str], least: int) -> float:
    """Return the width in pixels of lines, the first of which has the larger letters."""
    pixels = [len(line) * (WORDS_PIXELS if at else HEAD_PIXELS) for at, line in enumerate(lines)]
    return LETTER * max([*pixels, least * WORDS_PIXELS])
