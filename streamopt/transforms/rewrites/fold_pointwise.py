"""Point-wise nodes folded into their reader: biases, activations and scalings without a process.

Before::

    for i, j:    t[i][j] = max(s[i][j] + b[j], 0)
    for i, j, k: y[i][j] += t[i][k] * w[k][j]

After::

    for i, j, k: y[i][j] += max(s[i][k] + b[k], 0) * w[k][j]

A stalling pipeline keeps the last tokens of a burst until the next one comes; the fewer processes
a row passes through, the sooner it is out. The operators are as many as before, as both
sides of a stream have the same lanes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.expression import Read
from streamopt.ir.expression_type import expression_type
from streamopt.transforms.rewrites.producers import without_producers

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.program import Array
    from streamopt.transforms.rewrites.draft import Draft

__all__ = ["fold_pointwise"]


def fold_pointwise(graph: Graph) -> Graph:
    """Return the graph without point-wise nodes that one other node reads, at one place.

    Only values of the type of the array they go through: nothing is rounded there.
    """
    return without_producers(graph, _is_wanted)


def _is_wanted(draft: Draft, array: Array, producer: Node) -> bool:
    readers = draft.streaming_readers(array.name)
    if len(readers) != 1 or len(readers[0].reads_of(array.name)) != 1:
        return False
    element = expression_type(producer.value, lambda name: draft.arrays[name].element)
    return not isinstance(producer.value, Read) and element is array.element
