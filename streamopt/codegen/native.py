"""From a scheduled graph to plain C++17 that runs the same dataflow on a CPU.

Each process is a thread and each FIFO as deep as the design has it; a ping-pong buffer is handed
over when its producer has filled it. The functions of the processes are those of the design for
Vitis HLS without pragmas.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.codegen.backend_name import BackendName
from streamopt.codegen.design import Design, schedule_sha256
from streamopt.codegen.layout import Layout, Port, extents_text, plan_layout
from streamopt.codegen.names import Names
from streamopt.codegen.processes import (
    STANDARD_HEADERS,
    parameter,
    process_functions,
    provenance,
    top_parameters,
)
from streamopt.codegen.templates import fill
from streamopt.codegen.testbench import testbench
from streamopt.codegen.tree import Directive, For, Function, If, Item, Pragma, Statement
from streamopt.codegen.vitis import declarations
from streamopt.codegen.writer import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamopt.ir.scheduled import ScheduledGraph

__all__ = ["emit"]


def emit(scheduled: ScheduledGraph) -> Design:
    """Return the design that runs a scheduled graph on a CPU.

    Raises
    ------
    CodegenError
        As `streamopt.codegen.vitis.emit`.
    """
    layout = plan_layout(scheduled)
    digest = schedule_sha256(scheduled.schedule)
    header = provenance(scheduled.graph.name, digest)
    files = (
        (f"{layout.top}.h", render([*header, *declarations(layout, scheduled.graph)])),
        (f"{layout.top}.cpp", render([*header, *_definitions(layout)])),
        ("testbench.cpp", render(header) + testbench(layout, headers="")),
        ("dataflow.h", fill("dataflow.h")),
        ("Makefile", fill("Makefile.native", top=layout.top)),
    )
    return Design(
        scheduled.graph.name,
        files,
        layout.top,
        tuple((port.array.name, port.name) for port in layout.boundary),
        digest,
        scheduled.graph.copies,
        BackendName.NATIVE,
    )


def _definitions(layout: Layout) -> Iterator[Item]:
    yield Directive(f'#include "{layout.top}.h"')
    yield Directive('#include "dataflow.h"')
    yield from (Directive(f"#include <{header}>") for header in STANDARD_HEADERS)
    yield from _without_pragmas(process_functions(layout, _declared))
    yield Statement("")
    yield Function(f"void {layout.top}", top_parameters(layout), tuple(_top_body(layout)))


def _declared(port: Port, read_only: bool) -> str:
    """Return a parameter, or a channel of the top function."""
    if port.depth_elems is None:
        return parameter(port, read_only)
    element = port.array.element
    lanes = extents_text(port.factors)
    return f"streamopt::Stream<{element}, {port.depth_elems}> {port.name}{lanes}"


def _without_pragmas(items: Iterable[Item]) -> Iterator[Item]:
    for item in items:
        match item:
            case Pragma():
                pass
            case For(body=body) | If(body=body):
                yield replace(item, body=tuple(_without_pragmas(body)))
            case Function(body=body) if body is not None:
                yield replace(item, body=tuple(_without_pragmas(body)))
            case _:
                yield item


def _top_body(layout: Layout) -> Iterator[Item]:
    names = Names(
        [
            *(port.name for port in (*layout.boundary, *layout.channels)),
            *(process.name for process in layout.processes),
        ]
    )
    full: dict[str, str] = {}
    for port in layout.channels:
        static = "" if port.is_stream else "static "
        yield Statement(f"{static}{_declared(port, False)};")
        if not port.is_stream:
            full[port.name] = names.unique(f"{port.name}_full")
            yield Statement(f"streamopt::Handover {full[port.name]};")
    region = names.unique("region")
    yield Statement(f"streamopt::Region {region};")
    writers = {port.name: p.name for p in layout.processes for port in p.writes}
    readers = {port.name: p.name for p in layout.processes for port in p.inputs}
    for port in layout.channels:
        channel = full.get(port.name, port.name)
        ends = f'"{writers[port.name]}", "{readers[port.name]}"'
        yield Statement(f'{region}.connect({channel}, "{port.name}", {ends});')
    for process in layout.processes:
        arguments = ", ".join(port.name for port in (*process.inputs, *process.writes))
        taken = [full[port.name] for port in process.inputs if port.name in full]
        given = [port.name for port in process.writes if port.name in full]
        yield Statement(f'{region}.start("{process.name}", [&] {{')
        yield from (Statement(f"    {name}.take();") for name in taken)
        yield Statement(f"    {process.name}({arguments});")
        yield from (Statement(f"    {full[name]}.give({name});") for name in given)
        yield Statement("});")
    yield Statement(f"{region}.run();")
