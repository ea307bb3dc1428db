"""Arrays that one point-wise node writes, folded away: their readers compute the elements.

A stalling pipeline keeps the last tokens of a burst until the next one comes; the fewer processes
a row passes through, the sooner it is out. The operators are as many as before, as both sides of a
stream have the same lanes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from streamopt.ir.arithmetic import expression_type
from streamopt.ir.expression import Access, Expression, Read, walk
from streamopt.ir.graph import Graph, Node
from streamopt.ir.program import Array, Role
from streamopt.transforms.rewrites.elements import box, is_linear, value_at
from streamopt.transforms.rewrites.graph_rewrite import (
    GraphDraft,
    GraphRewrite,
    folded_everywhere,
    redirected,
)
from streamopt.transforms.rewrites.mixed_radix import is_in_digits

Choice = Callable[[GraphDraft, Array, Node], bool]


@dataclass(frozen=True, slots=True)
class FoldProducers(GraphRewrite):
    """No copies, or no point-wise nodes, whose elements their readers can take themselves.

    Before: ``t[i][j] = max(s[i][j] + b[j], 0); y[i][j] += t[i][k] * w[k][j]``
    After:  ``y[i][j] += max(s[i][k] + b[k], 0) * w[k][j]``

    Nodes stay where a reader doesn't stream, would get a quotient or remainder in a subscript,
    would read an array that a channel brings at two places (such a channel can't stream, E307),
    would walk an argument in windows, or would keep wider elements than now, to use them again.
    """

    computes: bool
    """False for nodes whose value is an element of an array of the same type: transpositions,
    slices and joined dimensions. True for the others that one node reads, at one place, and whose
    value has the type of the array it goes through, so that nothing is rounded there."""

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph without these nodes and the internal arrays that they write."""
        wanted = _is_pointwise if self.computes else _is_copy
        return folded_everywhere(graph, partial(_fold, is_wanted=wanted))


def _fold(draft: GraphDraft, array: Array, *, is_wanted: Choice) -> bool:
    writers = draft.writers(array.name) if array.role is Role.INTERNAL else ()
    if len(writers) != 1 or box(writers[0]) is None or writers[0].guard is not None:
        return False
    (producer,) = writers
    readers = draft.streaming_readers(array.name)
    if not readers or not is_wanted(draft, array, producer):
        return False
    if any(_bends(node, array.name, producer) for node in readers):
        return False
    through = [_reading_through(node, array.name, producer) for node in readers]
    keeps = any(_keeps(node, array) for node in readers)
    sources = {part.access.array for part in walk(producer.value) if isinstance(part, Read)}
    for name in sources:
        worse = _has_window if draft.arrays[name].is_given else _has_two_places
        if any(worse(node, name) for node in through):
            return False
        if keeps and draft.arrays[name].element.bits > array.element.bits:
            return False
    for old, new in zip(readers, through, strict=True):
        draft.change_node(old, new)
    draft.remove_node(producer)
    draft.remove_array(array)
    return True


def _keeps(node: Node, array: Array) -> bool:
    """Return whether a node needs elements again, or keeps rows of them for its windows."""
    subscripts = [s for access in node.reads_of(array.name) for s in access.subscripts]
    return node.iterations > array.size_elems or any(len(s.terms) > 1 for s in subscripts)


def _has_window(node: Node, array: str) -> bool:
    trips = node.trip_counts
    return any(not is_in_digits(s, trips) for a in node.reads_of(array) for s in a.subscripts)


def _has_two_places(node: Node, array: str) -> bool:
    return len(node.reads_of(array)) > 1


def _bends(node: Node, array: str, producer: Node) -> bool:
    """Return whether a linear access would become one with a division or remainder."""
    return any(
        is_linear(Read(access)) and not is_linear(_element(node, producer, access))
        for access in node.reads_of(array)
    )


def _element(node: Node, producer: Node, access: Access) -> Expression:
    return value_at(producer, producer.value, access.subscripts, tuple(node.trip_counts))


def _reading_through(node: Node, array: str, producer: Node) -> Node:
    return redirected(node, array, lambda access: _element(node, producer, access))


def _is_copy(draft: GraphDraft, array: Array, producer: Node) -> bool:
    match producer.value:
        case Read(access):
            return draft.arrays[access.array].element is array.element
        case _:
            return False


def _is_pointwise(draft: GraphDraft, array: Array, producer: Node) -> bool:
    readers = draft.streaming_readers(array.name)
    if len(readers) != 1 or len(readers[0].reads_of(array.name)) != 1:
        return False
    element = expression_type(producer.value, lambda name: draft.arrays[name].element)
    return not isinstance(producer.value, Read) and element is array.element
