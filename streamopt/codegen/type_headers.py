"""Headers of the element types that are no types of C: the vendor's, or ours of the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.element import ElementType
from streamopt.ir.expression import Cast, walk
from streamopt.ir.graph import SequentialNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamopt.ir.expression import Expression
    from streamopt.ir.graph import Graph, Node

__all__ = ["type_headers"]


def type_headers(graph: Graph) -> tuple[str, ...]:
    """Return the names of the headers that a graph's element types need, sorted."""
    elements = {array.element for array in graph.arrays}
    for expression in (e for node in graph.nodes for e in _expressions(node)):
        elements.update(part.element for part in walk(expression) if isinstance(part, Cast))
    return tuple(sorted({*_headers(elements)}))


def _headers(elements: Iterable[ElementType]) -> Iterator[str]:
    for element in elements:
        if element.is_fixed:
            yield "ap_fixed.h"
        elif element is ElementType.HALF:
            yield "hls_half.h"


def _expressions(node: Node) -> Iterator[Expression]:
    if isinstance(node, SequentialNode):
        for statement in node.statements:
            yield from statement.expressions
        return
    yield node.value
    yield from (part for part in (node.start, node.guard) if part is not None)
