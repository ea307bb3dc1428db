"""All accesses and indices of a streaming node, and the node with others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.expression import Access, Index, Read, rewrite, rewrite_condition

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Expression
    from streamopt.ir.graph import Node

__all__ = ["accesses", "with_accesses", "with_subscripts"]


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
