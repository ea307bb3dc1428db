"""A schedule as loops that people can read."""

from collections.abc import Iterator, Mapping, Sequence

from streamopt.ir.schedule import ChannelKind, Prediction
from streamopt.ir.scheduled import Channel, ScheduledGraph, ScheduledNode, TiledLoop


def node_facts(found: Prediction, slrs: Mapping[str, int]) -> dict[str, str]:
    """Return by node its interval, lanes, DSPs and region, as they stand beside its name."""
    return {
        node.node: f"II {node.ii}, {node.lanes:,} lane{'s' if node.lanes != 1 else ''}, "
        f"{node.dsps:,} DSPs" + (f", SLR{slrs[node.node]}" if node.node in slrs else "")
        for node in found.nodes
    }


def loops_text(
    scheduled: ScheduledGraph, facts: Mapping[str, str], bodies: Mapping[str, Sequence[str]]
) -> str:
    """Return every node as tile loops around its statements, with what comes in and goes out.

    Parameters
    ----------
    facts
        Words beside a node's name, by node.
    bodies
        Statements in text, by node.
    """
    nodes = (node_loops(scheduled, node, facts, bodies) for node in scheduled.nodes)
    rewrites = scheduled.schedule.rewrites
    head = f"rewrites: {', '.join(rewrites)}\n\n" if rewrites else ""
    return head + "\n\n".join(nodes)


def node_loops(
    scheduled: ScheduledGraph,
    node: ScheduledNode,
    facts: Mapping[str, str],
    bodies: Mapping[str, Sequence[str]],
) -> str:
    """Return one node of `loops_text`."""
    return "\n".join(_node(scheduled, node, facts, bodies))


def _node(
    scheduled: ScheduledGraph,
    node: ScheduledNode,
    facts: Mapping[str, str],
    bodies: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    name = node.node.name
    yield f"{name}: {facts[name]}" if name in facts else name
    for channel in scheduled.channels:
        if channel.edge.consumer == name:
            yield f"  takes {_words(channel)} from {channel.edge.producer}"
    indent = "  "
    for loop in node.tile_loops:
        yield f"{indent}for {loop.name} in {_tiles(loop)}:"
        indent += "  "
    whole = [loop for loop in node.loops if loop not in node.tile_loops and loop.unroll > 1]
    lanes = ", ".join(f"{loop.unroll} {loop.name}" for loop in whole)
    yield f"{indent}at once: all {lanes}" if lanes else f"{indent}in a pipeline:"
    for text in bodies.get(name, ()):
        yield f"{indent}  {text}"
    for channel in scheduled.channels:
        if channel.edge.producer == name:
            yield f"  hands {_words(channel)} to {channel.edge.consumer}"


def _tiles(loop: TiledLoop) -> str:
    """Return the steps of a tile loop: tiles, and the iterations of the loop in each."""
    tiles = f"{loop.tiles:,} tile{'s' if loop.tiles > 1 else ''}"
    if loop.unroll == 1:
        return tiles
    last = f", {loop.last_lanes} in the last" if loop.is_partial else ""
    return f"{tiles} of {loop.unroll} at once{last}"


def _words(channel: Channel) -> str:
    name = channel.edge.channel
    lanes = " x ".join(map(str, channel.lanes)) or "1"
    if channel.kind is ChannelKind.FIFO:
        return f"{name} (FIFO, {lanes} streams, {channel.depth_elems:,} deep)"
    return f"{name} (ping-pong buffer, {lanes} banks)"
