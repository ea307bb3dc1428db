"""The self-checking testbench: runs the top function on files and compares with golden files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.codegen.layout import extents_text
from streamopt.codegen.templates import fill
from streamopt.codegen.tree import Statement
from streamopt.codegen.writer import render

if TYPE_CHECKING:
    from streamopt.codegen.layout import Layout, Port

__all__ = ["testbench"]


def testbench(layout: Layout) -> str:
    """Return the C++ text of the testbench."""
    loads: list[Statement] = []
    checks: list[Statement] = []
    for port in layout.boundary:
        flat = f"reinterpret_cast<{port.array.element} *>({_variable(port)})"
        if port.array.is_given:
            loads.append(Statement(f'load("{port.name}", {flat}, {port.array.size_elems});'))
        else:
            extents = ", ".join(map(str, port.array.shape))
            checks.append(Statement(f'passed &= check("{port.name}", {flat}, {{{extents}}});'))
    arguments = ", ".join(_variable(port) for port in layout.boundary)
    arrays = [
        Statement(f"static {port.array.element} {_variable(port)}{extents_text(port.array.shape)};")
        for port in layout.boundary
    ]
    return fill(
        "testbench.cpp",
        top=layout.top,
        arrays=render(arrays),
        probe=_probe(layout),
        loads=_indented(loads),
        call=f"{layout.top}({arguments});",
        checks=_indented(checks),
    )


def _probe(layout: Layout) -> str:
    """Return a file that the data directory has."""
    return next(f"{p.name}.golden.bin" for p in layout.boundary if not p.array.is_given)


def _variable(port: Port) -> str:
    """Return a name that neither the C library nor the testbench has."""
    return f"port_{port.name}"


def _indented(statements: list[Statement]) -> str:
    return "".join(f"    {line}\n" for line in render(statements).splitlines())
