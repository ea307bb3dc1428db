"""The channels of a graph: what keeps an array from being streamed, and what its windows keep.

Violations are coarse-grained ([1] section IV-A: several producers or consumers of one array) or
fine-grained ([1] section IV-B: a producer and a consumer that differ in how often or in which order
they touch its elements). Reuse buffers are those of [1] section V-B and figure 7.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import prod

from streamopt.ir.expression import Access
from streamopt.ir.graph import Graph, Node
from streamopt.strategies.codo.loop_orders import rewritten_order


class CoarsePattern(StrEnum):
    """The patterns of figure 4 of [1]."""

    FORK = "one producer, several consumers"
    JOIN = "several producers, one consumer"
    BOTH = "several producers, several consumers"


@dataclass(frozen=True, slots=True)
class AccessCounts:
    """How often a node touches an array."""

    nested: int
    """As the code stands: once an iteration of all loops."""
    rewritten: int
    """Outside of the loops that don't move in the array: once an element that it names."""


def coarse_patterns(graph: Graph) -> dict[str, CoarsePattern]:
    """Return the arrays inside the graph that violate single producer, single consumer."""
    found: dict[str, CoarsePattern] = {}
    for array in graph.arrays:
        consumers = {edge.consumer for edge in graph.edges if edge.array == array.name}
        match len(graph.writers(array.name)) > 1, len(consumers) > 1:
            case True, True:
                found[array.name] = CoarsePattern.BOTH
            case True, False:
                found[array.name] = CoarsePattern.JOIN
            case False, True:
                found[array.name] = CoarsePattern.FORK
            case _:
                pass
    return found


def access_counts(node: Node, access: Access) -> AccessCounts:
    """Return how often a node touches an array, before and after reduction rewriting.

    The product of the trip counts of the loops around the access. Rewriting moves it out of the
    loops that don't move in the array, the reduction dimensions (figure 5 of [1]).
    """
    used = access.iterators()
    kept = prod(trips for name, trips in node.trip_counts.items() if name in used)
    return AccessCounts(node.iterations, kept)


@dataclass(frozen=True, slots=True)
class ReuseBuffers:
    """The buffers of figure 7 for one array that a nest reads through a window."""

    fifo_loops: tuple[str, ...]
    """Loops that move in the array or the result alone: outermost first."""
    reduction_loops: tuple[str, ...]
    """Those that the buffers serve."""
    line_shape: tuple[int, ...]
    """Extents of ``lb``: as the array, but of rows as many as the window is high."""
    window_shape: tuple[int, ...]
    """Extents of ``wb``: as the array, but of rows and columns those of the window."""


def reuse_buffers(node: Node, access: Access, shape: tuple[int, ...]) -> ReuseBuffers | None:
    """Return the buffers of an access; None where it has no window.

    Parameters
    ----------
    shape
        Of the array, in elements.
    """
    reduced = set(node.reduction_loops)
    reach = [_reach(node, names, reduced) for names in (s.iterators() for s in access.subscripts)]
    high = [at for at, elems in enumerate(reach) if elems is not None]
    if not high:
        return None
    kept = [extent if own is None else own for own, extent in zip(reach, shape, strict=True)]
    rows = high[0]
    line = (*shape[:rows], kept[rows], *shape[rows + 1 :])
    order = rewritten_order(node)
    return ReuseBuffers(
        tuple(name for name in order if name not in reduced),
        tuple(name for name in order if name in reduced),
        line,
        tuple(kept),
    )


def _reach(node: Node, names: tuple[str, ...], reduced: set[str]) -> int | None:
    """Return the elements that a window covers along a dimension; None where there is none."""
    taps = [name for name in names if name in reduced]
    if not taps or len(taps) == len(names):
        return None
    return 1 + sum(node.trip_counts[name] - 1 for name in taps)
