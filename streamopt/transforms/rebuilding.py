"""Graphs made anew: the channels between nodes, and nodes with other accesses."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Access,
    Expression,
    moved_leaf,
    reads,
    rewrite,
    rewrite_condition,
)
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.program import Array


def channels(arrays: Sequence[Array], nodes: Sequence[Node]) -> tuple[Edge, ...]:
    """Return the edges of a graph, in the order of its arrays.

    Parameters
    ----------
    nodes
        In an order that has writers before readers; what nobody writes comes from outside.
    """
    writers: dict[str, list[Node]] = {}
    readers: dict[str, list[Node]] = {}
    for node in nodes:
        for array in node.outputs:
            writers.setdefault(array, []).append(node)
        for array in _read_arrays(node):
            readers.setdefault(array, []).append(node)
    return tuple(
        edge
        for array in arrays
        if not array.is_given and array.name in readers
        for edge in _between(array.name, writers[array.name], readers[array.name])
    )


def _read_arrays(node: Node) -> tuple[str, ...]:
    """Return all arrays that a node reads, those that it writes itself too."""
    found = [access.array for expression in node.expressions for access in reads(expression)]
    if isinstance(node, SequentialNode):
        found += [source for _, source in node.carries]
    return tuple(dict.fromkeys(found))


def _between(array: str, producers: Sequence[Node], consumers: Sequence[Node]) -> Iterator[Edge]:
    for producer in producers:
        for consumer in consumers:
            if consumer is producer:
                continue
            names = [array]
            if len(producers) > 1:
                names.append(producer.name)
            if len(producers) * len(consumers) > 1:
                names.append(consumer.name)
            yield Edge(
                channel="__".join(names),
                array=array,
                producer=producer.name,
                consumer=consumer.name,
                write=_write(producer, array),
                reads=consumer.taken_of(array),
                is_whole=isinstance(producer, SequentialNode)
                or isinstance(consumer, SequentialNode),
            )


def _write(producer: Node, array: str) -> Access:
    if isinstance(producer, SequentialNode):
        return next(s.target for s in producer.statements[::-1] if s.target.array == array)
    return producer.write


def with_parts(graph: Graph, arrays: Iterable[Array], nodes: Iterable[Node]) -> Graph:
    """Return a graph of other arrays and nodes, with the channels between them."""
    both = tuple(arrays), tuple(nodes)
    return replace(graph, arrays=both[0], nodes=both[1], edges=channels(*both))


def accesses(node: Node) -> tuple[Access, ...]:
    """Return the write access function and the distinct read access functions."""
    return (node.write, *node.reads)


def rewritten_node(
    node: Node,
    leaf: Callable[[Expression], Expression],
    target: Callable[[Access], Access] = lambda target: target,
) -> Node:
    """Return a node with its reads and indices replaced as by `rewrite`, and its targets."""
    if isinstance(node, SequentialNode):
        statements = tuple(s.rewritten(leaf, target(s.target)) for s in node.statements)
        node = replace(node, statements=statements)
    return replace(
        node,
        write=target(node.write),
        value=rewrite(node.value, leaf),
        start=None if node.start is None else rewrite(node.start, leaf),
        guard=None if node.guard is None else rewrite_condition(node.guard, leaf),
    )


def with_accesses(
    node: Node,
    access: Callable[[Access], Access],
    index: Callable[[Affine], Affine] = lambda index: index,
) -> Node:
    """Return a node with all its accesses and indices replaced."""
    return rewritten_node(node, moved_leaf(access, index), access)


def with_subscripts(node: Node, moved: Callable[[Affine], Affine]) -> Node:
    """Return a streaming node with all its subscripts and indices replaced."""
    return with_accesses(node, lambda a: Access(a.array, tuple(map(moved, a.subscripts))), moved)


def reading(node: Node, array: str, other: str) -> Node:
    """Return a node with another array in the place of one that it reads, or begins as."""

    def named(access: Access) -> Access:
        return Access(other, access.subscripts) if access.array == array else access

    changed = rewritten_node(node, moved_leaf(named))
    if isinstance(changed, SequentialNode):
        pairs = ((target, other if s == array else s) for target, s in changed.carries)
        return replace(changed, carries=tuple(pairs))
    takes = (replace(own, taken=named(own.taken)) for own in changed.takes)
    return replace(changed, takes=tuple(takes))


def writing(node: Node, array: str, other: str) -> Node:
    """Return a node with another array in the place of one that it writes."""

    def named(access: Access) -> Access:
        return Access(other, access.subscripts) if access.array == array else access

    changed = rewritten_node(node, lambda part: part, named)
    if isinstance(changed, SequentialNode):
        pairs = ((other if target == array else target, s) for target, s in changed.carries)
        return replace(changed, carries=tuple(pairs))
    return changed
