"""CODO's decisions in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.strategies.codo.reuse import reuse_buffers
from streamopt.strategies.codo.violations import access_counts, coarse_patterns
from streamopt.strategies.rival import Step

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from streamopt.ir.graph import Graph, Node
    from streamopt.strategies.codo.aligning import Alignment
    from streamopt.strategies.codo.exploration import Explored
    from streamopt.strategies.codo.fallback import Scheduled

__all__ = ["told"]


def told(
    source: Graph,
    graph: Graph,
    alignment: Alignment,
    found: Scheduled,
) -> tuple[Step, ...]:
    """Return the steps from a graph to a design.

    Parameters
    ----------
    source, graph
        Before and after the rewrites.
    """
    return (
        *_coarse(source, graph),
        *_fine(graph, alignment),
        *_communication(graph, found.fifos),
        *_parallelism(graph, found.explored),
        *_conflicts(found),
    )


def _coarse(source: Graph, graph: Graph) -> Iterator[Step]:
    left = coarse_patterns(graph)
    for array, pattern in coarse_patterns(source).items():
        end = "one writer is left" if array not in left else "a channel for each pair"
        yield Step("coarse-grained violations", f"{array} has {pattern.value}: {end}")
    for array, original in graph.copies:
        yield Step("coarse-grained violations", f"{array} is a copy of {original} for one reader")


def _fine(graph: Graph, alignment: Alignment) -> Iterator[Step]:
    for name, channels in alignment.references.items():
        order = ", ".join(alignment.orders[name])
        after = f" after {', '.join(channels)}" if channels else " as a reference"
        yield Step("permutation maps", f"{name} has loops {order}{after}")
    for node in graph.nodes:
        counts = access_counts(node, node.write)
        if counts.rewritten < counts.nested:
            what = f"{node.name} writes {node.write.array} {counts.rewritten} times, not "
            what += f"{counts.nested}: after the last of {', '.join(node.reduction_loops)}"
            yield Step("reduction rewriting", what)


def _communication(graph: Graph, fifos: Collection[str]) -> Iterator[Step]:
    for edge in graph.edges:
        kind = "a FIFO" if edge.channel in fifos else "a ping-pong buffer"
        yield Step("communication buffers", f"{edge.channel} is {kind}")
    for node in graph.nodes:
        yield from _windows(graph, node)


def _windows(graph: Graph, node: Node) -> Iterator[Step]:
    for window in node.windows:
        shape = graph.array(window.array).shape
        found = reuse_buffers(node, node.reads_of(window.array)[0], shape)
        if found is not None:
            line, square = (
                "x".join(map(str, own)) for own in (found.line_shape, found.window_shape)
            )
            what = f"{node.name} keeps {line} of {window.array}, of which it sees {square} at once"
            yield Step("reuse buffers", what)


def _parallelism(graph: Graph, found: Explored) -> Iterator[Step]:
    yield Step("parallelism cap", str(found.cap))
    for stage, degrees in found.degrees:
        listed = ", ".join(f"{name} {degree}" for name, degree in degrees.items())
        yield Step(stage, listed)
    for node in graph.nodes:
        factors = zip(node.trip_counts, found.choices[node.name].factors, strict=True)
        unrolled = ", ".join(f"{name} by {factor}" for name, factor in factors if factor > 1)
        if unrolled:
            yield Step("inter-task optimization", f"{node.name} unrolls {unrolled}")


def _conflicts(found: Scheduled) -> Iterator[Step]:
    for name, channel in found.downgraded:
        what = f"{channel} is a ping-pong buffer: its lanes conflict with the strategy of {name}"
        yield Step("inter-task optimization", what)
