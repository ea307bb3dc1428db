"""Files that are the same in every project, but for a few names; ``@{name}`` marks one."""

from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from string import Template

from streamopt.ir.element import ElementType
from streamopt.ir.expression import Cast, Expression, walk
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.network import Implementation
from streamopt.ir.scheduled import ScheduledGraph

__all__ = ["TYPE_HEADERS", "design_headers", "fill", "type_headers"]

TYPE_HEADERS = Path(__file__).parent / "types"
"""Directory of our headers of element types, which stand for the vendor's."""


class _Template(Template):
    delimiter = "@"


def fill(name: str, **values: str) -> str:
    """Return the text of a template; raises KeyError for a value that is missing."""
    return _Template((files(__name__) / name).read_text(encoding="utf-8")).substitute(values)


def type_headers(graph: Graph) -> tuple[str, ...]:
    """Return the names of the headers that a graph's element types need, sorted."""
    elements = {array.element for array in graph.arrays}
    for expression in (e for node in graph.nodes for e in _expressions(node)):
        elements.update(part.element for part in walk(expression) if isinstance(part, Cast))
    return tuple(sorted({*_headers(elements)}))


def design_headers(scheduled: ScheduledGraph) -> tuple[str, ...]:
    """Return the names of the headers of types that a design needs, sorted."""
    is_packed = any(
        built is Implementation.PACKED for node in scheduled.nodes for _, built in node.binding
    )
    return tuple(sorted({*type_headers(scheduled.graph), *(["ap_int.h"] if is_packed else [])}))


def _headers(elements: Iterable[ElementType]) -> Iterator[str]:
    for element in elements:
        if element.is_fixed:
            yield "ap_fixed.h"
        elif element.is_narrow:
            yield "ap_int.h"
        elif element is ElementType.HALF:
            yield "hls_half.h"


def _expressions(node: Node) -> Iterator[Expression]:
    if isinstance(node, SequentialNode):
        for statement in node.statements:
            yield from statement.expressions
        return
    yield node.value
    yield from (part for part in (node.start, node.guard) if part is not None)
