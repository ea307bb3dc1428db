"""Dimensions that are walked in two digits, as two dimensions; and the loops over them as two.

Before::

    for i, j, k:    q[i][j] += x[i][k] * w[k][j]              # i 64, j 128, k 128
    for h, i, j, k: s[h][i][j] += q[i][16 * h + k] * ...      # h 8, i 64, j 64, k 16

After::

    for i, j_1, j_0, k: q[i][j_1][j_0] += x[i][k] * w[k][16 * j_1 + j_0]   # j_1 8, j_0 16
    for h, i, j, k:     s[h][i][j] += q[i][h][k] * ...

So both sides walk the array by plain iterators, which is what streams and what folds. The same
for ``j // 16`` and ``j % 16``, which are ``j_1`` and ``j_0``. A loop becomes two in its place,
so elements are combined in the order in which they were.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.affine import Iter
from streamopt.transforms.channels import channels
from streamopt.transforms.rewrites.digit_split import Split
from streamopt.transforms.rewrites.mixed_radix import digits
from streamopt.transforms.rewrites.node_accesses import accesses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.graph import Graph, Node

__all__ = ["split_loops"]


def split_loops(graph: Graph) -> Graph:
    """Return the graph with dimensions and loops split where an access has digits.

    A split is made with all that follows from it, or not at all: every internal array whose
    dimension a split loop walks gets the same digits, and so do all loops that walk it. None is
    made that a sequential node, a window or a boundary array read as a channel would have to
    follow, nor one that gives a node more than `MOST_LOOPS` loops. Inputs, weights and outputs
    keep their shapes.
    """
    now = Split.of(graph)
    changed = True
    while changed:
        changed = False
        for name in now.nodes:
            while (later := _step(now, name)) is not None:
                now, changed = later, True
    if now.nodes == {node.name: node for node in graph.nodes}:
        return graph
    arrays, nodes = tuple(now.arrays.values()), tuple(now.nodes.values())
    return replace(graph, arrays=arrays, nodes=nodes, edges=channels(arrays, nodes))


def _step(now: Split, name: str) -> Split | None:
    """Return the graph after the first split that an access of a node asks for and that works."""
    node = now.nodes[name]
    for array, at, radix in _digit_dimensions(now, node):
        trial = now.copy()
        if trial.dimension(array, at, radix) and trial.settled():
            return trial
    for loop, low in _digit_loops(node):
        trial = now.copy()
        made = trial.loop(name, loop, low) and _bends(trial.nodes[name]) < _bends(node)
        if made and trial.settled():
            return trial
    return None


def _digit_dimensions(now: Split, node: Node) -> Iterator[tuple[str, int, int]]:
    """Yield (array, dimension, radix) of linear subscripts with two digits that both vary."""
    trips = node.trip_counts
    for access in accesses(node):
        for at, subscript in enumerate(access.subscripts):
            if any(not isinstance(atom, Iter) for atom, _ in subscript.terms):
                continue
            for radix in sorted({abs(factor) for _, factor in subscript.terms}, reverse=True):
                found = None if radix == 1 else digits(subscript, radix, trips)
                if found is not None and all(digit.terms for digit in found):
                    yield access.array, at, radix


def _digit_loops(node: Node) -> Iterator[tuple[str, int]]:
    """Yield (loop, extent of its low digit) of iterators that are divided."""
    trips = node.trip_counts
    for access in accesses(node):
        for subscript in access.subscripts:
            for atom, _ in subscript.terms:
                if isinstance(atom, Iter):
                    continue
                for inner, factor in atom.value.terms:
                    if not isinstance(inner, Iter) or factor < 1 or atom.divisor % factor:
                        continue
                    low = atom.divisor // factor
                    if 1 < low < trips[inner.name]:
                        yield inner.name, low


def _bends(node: Node) -> int:
    """Return how many divisions and remainders the subscripts of a node have."""
    return sum(
        not isinstance(atom, Iter)
        for access in accesses(node)
        for subscript in access.subscripts
        for atom, _ in subscript.terms
    )
