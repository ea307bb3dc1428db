"""Copies folded into their readers: transpositions, slices and joined dimensions without a node.

Before::

    for i, j:    transposed[i][j] = weight[j][i]
    for i, j, k: y[i][j] += x[i][k] * transposed[k][j]

After::

    for i, j, k: y[i][j] += x[i][k] * weight[j][k]

Readers' subscripts that are linear must stay so: behind a division or remainder, unrolled lanes
can't know their banks. No reader may come to read an argument in windows such as ``x[h + k]``,
which share the ports of its banks, while a copy inside the design is split as they need it. And
none may come to read an array that a channel brings at two places, since such a channel can't
stream (`streamopt.transforms.apply`, E307).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.expression import Read
from streamopt.ir.program import Role
from streamopt.transforms.rewrites.draft import folded_everywhere, redirected
from streamopt.transforms.rewrites.elements import box, is_linear, value_at

if TYPE_CHECKING:
    from streamopt.ir.expression import Access, Expression
    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.program import Array
    from streamopt.transforms.rewrites.draft import Draft

__all__ = ["fold_copies"]


def fold_copies(graph: Graph) -> Graph:
    """Return the graph without internal arrays that only hold another array's elements.

    Folded is an array that one point-wise node writes, whose value is an element of an array of
    the same type, where all readers stream and can read that as well.
    """
    return folded_everywhere(graph, _fold)


def _fold(draft: Draft, array: Array) -> bool:
    writers = draft.writers(array.name) if array.role is Role.INTERNAL else ()
    if len(writers) != 1 or box(writers[0]) is None:
        return False
    (copy,) = writers
    match copy.value:
        case Read(access) if draft.arrays[access.array].element is array.element:
            source = draft.arrays[access.array]
        case _:
            return False
    readers = draft.streaming_readers(array.name)
    if not readers or any(_bends(node, array.name, copy) for node in readers):
        return False
    through = [_reading_through(node, array.name, copy) for node in readers]
    worse = _has_window if source.is_given else _has_two_places
    if any(worse(node, source.name) for node in through):
        return False
    for old, new in zip(readers, through, strict=True):
        draft.change_node(old, new)
    draft.remove_node(copy)
    draft.remove_array(array)
    return True


def _has_window(node: Node, array: str) -> bool:
    return any(len(s.iterators()) > 1 for a in node.reads_of(array) for s in a.subscripts)


def _has_two_places(node: Node, array: str) -> bool:
    return len(node.reads_of(array)) > 1


def _bends(node: Node, array: str, copy: Node) -> bool:
    """Return whether a linear access would become one with a division or remainder."""
    return any(
        is_linear(Read(access)) and not is_linear(_source(node, copy, access))
        for access in node.reads_of(array)
    )


def _source(node: Node, copy: Node, access: Access) -> Expression:
    return value_at(copy, copy.value, access.subscripts, tuple(node.trip_counts))


def _reading_through(node: Node, array: str, copy: Node) -> Node:
    return redirected(node, array, lambda access: _source(node, copy, access))
