"""Tables: arrays whose values are in the design, so that the caller hands over nothing.

Each process that reads one defines it, as a local ``static const`` of which the vendor's tool makes
a ROM; pragmas that split an array stand where it is defined (AMD UG1399, array_partition). The
values are macros in a header of their own, which reads like the array.
"""

from collections.abc import Iterator, Sequence
from math import isinf
from typing import Any

from numpy.typing import NDArray

from streamopt.codegen.expressions import literal
from streamopt.codegen.layout import CppPort, DesignLayout, extents_text
from streamopt.codegen.processes.loops import partition_pragmas
from streamopt.codegen.tree import Comment, CppStatement, Directive, Item, render
from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir.element import ElementType
from streamopt.ir.graph import Graph

NUMBERS_OF_A_LINE = 8


def table_header(
    layout: DesignLayout, graph: Graph, header: Sequence[Item]
) -> tuple[tuple[str, str], ...]:
    """Return the header with the values of all tables as a pair (path, text); none without tables.

    Parameters
    ----------
    header
        Comments that the file begins with.

    Raises
    ------
    CodegenError
        E606 for a value that is no number of its array's type.
    """
    if not layout.tables:
        return ()
    guard = f"STREAMOPT_{layout.top.upper()}_TABLES_H"
    items = [*header, Directive(f"#ifndef {guard}"), Directive(f"#define {guard}")]
    for port in layout.tables:
        values = graph.values_of(port.array.name)
        assert values is not None, "a table has values (E334)"
        items += [CppStatement(""), Comment(f"{port.array.name}{extents_text(port.array.shape)}")]
        items.append(Directive(f"#define {_macro(layout.top, port)} \\"))
        items += [Directive(line) for line in _lines(port, values)]
    items += [CppStatement(""), Directive("#endif")]
    return ((_path(layout.top), render(items)),)


def included_tables(layout: DesignLayout) -> Iterator[Item]:
    """Yield what includes the header with the values, if there is one."""
    if layout.tables:
        yield Directive(f'#include "{_path(layout.top)}"')


def table_definition(top: str, port: CppPort) -> Iterator[Item]:
    """Yield the definition of a table in a process of a design, split as a memory would be."""
    kind = f"static const {port.array.element}"
    yield CppStatement(f"{kind} {port.name}{extents_text(port.array.shape)} = {_macro(top, port)};")
    yield from partition_pragmas(port.name, port.factors)


def _path(top: str) -> str:
    return f"{top}_tables.h"


def _macro(top: str, port: CppPort) -> str:
    return f"STREAMOPT_{top.upper()}_VALUES_{port.name}"


def _lines(port: CppPort, values: NDArray[Any]) -> Iterator[str]:
    """Yield the lines of a macro: an initialiser with the braces of its array."""
    array = port.array
    numbers = _converted(values, array.element).reshape(array.shape or (1,))
    lines = _braced(numbers, port)
    yield from (f"    {line} \\" for line in lines[:-1])
    yield f"    {lines[-1]}"


def _braced(numbers: NDArray[Any], port: CppPort) -> list[str]:
    """Return the lines of an array in braces, a few numbers on each."""
    if numbers.ndim == 1:
        texts = [_number(value, port) for value in numbers.tolist()]
        starts = range(0, len(texts), NUMBERS_OF_A_LINE)
        blocks = [[", ".join(texts[at : at + NUMBERS_OF_A_LINE])] for at in starts]
    else:
        blocks = [_braced(row, port) for row in numbers]
    for block in blocks[:-1]:
        block[-1] += ","
    lines = [line for block in blocks for line in block]
    return [f"{{{lines[0]}", *lines[1:-1], f"{lines[-1]}}}"] if lines[1:] else [f"{{{lines[0]}}}"]


def _converted(values: NDArray[Any], element: ElementType) -> NDArray[Any]:
    """Return values in the type that they are stored in; fixed-point numbers as they came."""
    if element.is_fixed:
        return values
    kind = "f" if element.is_float else "i" if element.is_signed else "u"
    return values.astype(f"{kind}{element.bits // 8}")


def _number(value: float, port: CppPort) -> str:
    element = port.array.element
    if element.is_float and isinf(value):
        return "-INFINITY" if value < 0 else "INFINITY"
    if value != value or isinf(value):
        message = f"{port.array.name} has the value {value}, which is no {element}"
        hint = "choose another port for it: memory, m_axi or axis"
        raise CodegenError(Diagnostic("E606", message, hint=hint))
    return literal(value, element)
