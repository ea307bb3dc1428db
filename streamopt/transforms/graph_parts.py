"""The channels between nodes: one for each array, producer and consumer."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from streamopt.ir.expression import Access, Index, Read, reads, rewrite, rewrite_condition
from streamopt.ir.graph import Edge, SequentialNode

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Expression
    from streamopt.ir.graph import Node
    from streamopt.ir.program import Array

__all__ = ["accesses", "channels", "unused_name", "with_accesses", "with_subscripts"]


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


def unused_name(wanted: str, taken: Container[str]) -> str:
    """Return a name, with the first number from 2 that makes it new where it is taken.

    Examples
    --------
    >>> unused_name("load_A", {"gemm"}), unused_name("load_A", {"load_A", "load_A_2"})
    ('load_A', 'load_A_3')
    """
    candidates = (wanted if at == 1 else f"{wanted}_{at}" for at in count(1))
    return next(name for name in candidates if name not in taken)


def accesses(node: Node) -> tuple[Access, ...]:
    """Return the write access function and the distinct read access functions."""
    return (node.write, *node.reads)


def with_subscripts(node: Node, moved: Callable[[Affine], Affine]) -> Node:
    """Return a streaming node with all its subscripts and indices replaced."""
    return with_accesses(node, lambda a: Access(a.array, tuple(map(moved, a.subscripts))), moved)


def with_accesses(
    node: Node, access: Callable[[Access], Access], index: Callable[[Affine], Affine]
) -> Node:
    """Return a streaming node with all its accesses and indices replaced."""

    def leaf(part: Expression) -> Expression:
        match part:
            case Read(read):
                return Read(access(read))
            case Index(value):
                return Index(index(value))
            case _:
                return part

    return replace(
        node,
        write=access(node.write),
        value=rewrite(node.value, leaf),
        start=None if node.start is None else rewrite(node.start, leaf),
        guard=None if node.guard is None else rewrite_condition(node.guard, leaf),
    )
