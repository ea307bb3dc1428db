"""What keeps an array from being streamed: who uses it, how often, and in which order.

Coarse-grained ([1] section IV-A): an array with several producers or consumers. Fine-grained
([1] section IV-B): a producer and a consumer that differ in how often or in which order they
touch its elements.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Graph, Node

__all__ = ["AccessCounts", "CoarsePattern", "access_counts", "coarse_patterns"]


class CoarsePattern(StrEnum):
    """The patterns of figure 4 of [1]."""

    FORK = "one producer, several consumers"
    JOIN = "several producers, one consumer"
    BOTH = "several producers, several consumers"


@dataclass(frozen=True, slots=True)
class AccessCounts:
    """How often a node touches an array.

    Attributes
    ----------
    nested
        As the code stands: once an iteration of all loops.
    rewritten
        Outside of the loops that don't move in the array: once an element that it names.
    """

    nested: int
    rewritten: int


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
