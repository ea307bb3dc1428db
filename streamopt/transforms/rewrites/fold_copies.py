"""Copies folded into their readers: transpositions, slices and joined dimensions without a node.

Before::

    for i, j:    transposed[i][j] = weight[j][i]
    for i, j, k: y[i][j] += x[i][k] * transposed[k][j]

After::

    for i, j, k: y[i][j] += x[i][k] * weight[j][k]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.expression import Read
from streamopt.transforms.rewrites.producers import without_producers

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.program import Array
    from streamopt.transforms.rewrites.draft import Draft

__all__ = ["fold_copies"]


def fold_copies(graph: Graph) -> Graph:
    """Return the graph without internal arrays that only hold another array's elements.

    Folded is an array that one point-wise node writes, whose value is an element of an array of
    the same type; see `streamopt.transforms.rewrites.producers`.
    """
    return without_producers(graph, _is_copy)


def _is_copy(draft: Draft, array: Array, producer: Node) -> bool:
    match producer.value:
        case Read(access):
            return draft.arrays[access.array].element is array.element
        case _:
            return False
