"""Reduction rewriting: loops that don't move in the result go inside, where a buffer adds up.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026, section IV-B,
figures 5 and 7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.stream_order import completes_rows
from streamopt.ir.graph import SequentialNode
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.graph import Node

__all__ = ["fills_windows", "reference_order", "rewritten_order"]

Order = tuple[str, ...]


def rewritten_order(node: Node) -> Order:
    """Return a nest's loops with its reduction innermost: a result is done at once (figure 5).

    Loops that move in an array that is read through a window come before those that don't, as in
    figures 6 and 7: ``n, h, w, co``. So rows are taken as they come.
    """
    reduced, moving = set(node.reduction_loops), _window_loops(node)
    index = [loop.name for loop in node.loops if loop.name not in reduced]
    if moving:
        index.sort(key=lambda name: name not in moving and node.trip_counts[name] > 1)
    return (*index, *node.reduction_loops)


def reference_order(node: Node) -> Order:
    """Return the order that a nest takes where no other asks for one.

    A sum takes its last index loop inside of its reduction, and so comes back to an element only
    after the adder has finished: ``temp[co]`` of figure 7, and what the code does with kernels.
    """
    if isinstance(node, SequentialNode):
        return tuple(node.trip_counts)
    order, reduced = rewritten_order(node), node.reduction_loops
    index = [n for n in order if n not in reduced and node.trip_counts[n] > 1]
    if node.reduction is not Reduction.ADD or not reduced or not index:
        return order
    swapped = (*(name for name in order if name != index[-1]), index[-1])
    return swapped if fills_windows(node, swapped) else order


def fills_windows(node: Node, order: Sequence[str]) -> bool:
    """Return whether an order takes the rows of every window of a nest one after another."""
    return all(completes_rows(node, window, order) for window in node.windows)


def _window_loops(node: Node) -> set[str]:
    """Return the loops of arrays of which a subscript has several loops."""
    return {
        name
        for access in node.reads
        if any(len(subscript.iterators()) > 1 for subscript in access.subscripts)
        for name in access.iterators()
    }
