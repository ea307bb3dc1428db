"""From a scheduled graph to a TAPA project: tasks that only streams and memory ports join.

TAPA has no arrays between tasks, so a ping-pong buffer becomes a buffer in each of the two tasks
and a stream that carries it over when it is full. Arrays that cross the boundary are in memory off
the chip. AMD's tool does the rest, with the same pragmas.

[1] Guo et al., TAPA: A Scalable Task-Parallel Dataflow Programming Framework, TRETS 2023.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from streamopt.codegen.design import BackendName, Design, design_of
from streamopt.codegen.dialect import Dialect
from streamopt.codegen.expressions import FUNCTION_NAMES
from streamopt.codegen.floorplan import is_spread, tapa_floorplan
from streamopt.codegen.hosts.testbench import testbench
from streamopt.codegen.layout import CppPort, CppProcess, DesignLayout, extents_text, plan_layout
from streamopt.codegen.names import Names
from streamopt.codegen.processes.loops import partition_pragmas
from streamopt.codegen.processes.mover import word_mover
from streamopt.codegen.processes.process import (
    STANDARD_HEADERS,
    header_items,
    process_functions,
    provenance,
)
from streamopt.codegen.processes.tables import included_tables, table_header
from streamopt.codegen.templates import design_headers, fill
from streamopt.codegen.tree import CppFunction, CppStatement, Directive, Item, element_loops, render
from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir.ports import PortKind
from streamopt.ir.scheduled import ScheduledGraph

TOKEN_DEPTH = 32
"""Of a stream that carries a buffer over: one shift register for each bit."""


def emit(scheduled: ScheduledGraph) -> Design:
    """Return the TAPA design that implements a scheduled graph.

    Raises
    ------
    CodegenError
        E607 for an array that is not in memory off the chip, for passes, and as
        `streamopt.codegen.backends.vitis.emit`.
    """
    layout = plan_layout(scheduled, Dialect.TAPA)
    _check(layout)
    header = provenance(scheduled)
    files = (
        (f"{layout.top}.h", render([*header, *_declarations(layout, scheduled)])),
        (f"{layout.top}.cpp", render([*header, *_definitions(layout)])),
        *table_header(layout, scheduled.graph, header),
        ("testbench.cpp", render(header) + testbench(layout, headers="")),
        ("packing.h", fill("packing.h")),
        ("Makefile", fill("tapa.mk", top=layout.top, floorplan=_options(scheduled))),
        *([("floorplan.json", tapa_floorplan(layout, scheduled))] if is_spread(scheduled) else []),
    )
    return design_of(scheduled, layout, files, BackendName.TAPA)


def _options(scheduled: ScheduledGraph) -> str:
    """Return the compiler's options for a floorplan; none for a design that has none."""
    is_placed = is_spread(scheduled)
    return " --flatten-hierarchy --floorplan-path floorplan.json" if is_placed else ""


def _check(layout: DesignLayout) -> None:
    if layout.passes is not None:
        message = f"'{layout.top}' runs in {layout.passes.count} passes over its arrays, and tasks "
        message += "of TAPA run once"
        hint = "emit with --backend vitis"
        raise CodegenError(Diagnostic("E607", message, hint=hint))
    for port in layout.boundary:
        if not port.by_value and (port.packing is None or port.kind is not PortKind.AXI):
            message = f"TAPA takes arrays in memory off the chip, and {port.array.name} is not"
            hint = "emit with --port m_axi, and --port weights=rom for tables of weights"
            raise CodegenError(Diagnostic("E607", message, hint=hint))


def _declarations(layout: DesignLayout, scheduled: ScheduledGraph) -> Iterator[Item]:
    headers = ("cstdint", *design_headers(scheduled), "tapa.h")
    included = (*(Directive(f"#include <{name}>") for name in headers), CppStatement(""))
    function = CppFunction(f"void {layout.top}", _top_parameters(layout), None)
    return header_items(layout.top, included, function)


def _definitions(layout: DesignLayout) -> Iterator[Item]:
    yield Directive(f'#include "{layout.top}.h"')
    yield from (Directive(f"#include <{header}>") for header in STANDARD_HEADERS)
    yield from included_tables(layout)
    tasks = {process.name: process for process in layout.processes}
    for mover in layout.word_movers:
        for item in word_mover(mover, _declared):
            is_task = isinstance(item, CppFunction)
            yield replace(item, signature=f"void {mover.name}") if is_task else item
    for item in process_functions(layout, _declared):
        if isinstance(item, CppFunction) and (name := item.signature.split()[-1]) in tasks:
            yield _task(item, tasks[name], layout)
        else:
            yield item
    yield CppStatement("")
    yield CppFunction(f"void {layout.top}", _top_parameters(layout), tuple(_top_body(layout)))


def _top_parameters(layout: DesignLayout) -> tuple[str, ...]:
    return tuple(text for p in layout.boundary for text in _declared(p, p.array.is_given))


def _declared(port: CppPort, read_only: bool) -> tuple[str, ...]:
    """Return the parameters of a task for a port."""
    if port.packing is None:
        return (_channel(port, read_only),)
    if port.kind is PortKind.STREAM:
        end = "istream" if read_only else "ostream"
        return tuple(f"tapa::{end}<{port.word_type}>& {name}" for name in port.names)
    const = "const " if read_only else ""
    return tuple(f"tapa::mmap<{const}{port.word_type}> {name}" for name in port.names)


def _channel(port: CppPort, read_only: bool) -> str:
    """Return the parameter of a task for what comes from another one, or by value."""
    if port.by_value:
        return f"{port.array.element} {port.name}"
    end = "istream" if read_only else "ostream"
    if not port.is_group:
        return f"tapa::{end}<{port.array.element}>& {_tokens(port)}"
    count = prod(port.factors)
    if count == 1:
        return f"tapa::{end}<{port.array.element}>& {port.name}"
    return f"tapa::{end}s<{port.array.element}, {count}>& {port.name}"


def _tokens(port: CppPort) -> str:
    """Return the name of the stream that carries a buffer over."""
    return port.dialect.buffer_trace(port.name)


def _task(function: CppFunction, process: CppProcess, layout: DesignLayout) -> CppFunction:
    """Return the function of a process, with its buffers inside it.

    Buffers are received in the order of the tasks that fill them, and sent in that of those that
    take them, several between the same two tasks in the same order at both ends: the first task
    that waits then waits for one that doesn't.
    """
    filled = {port.name: at for at, p in enumerate(layout.processes) for port in p.writes}
    taken = {port.name: at for at, p in enumerate(layout.processes) for port in p.inputs}
    places = {port.name: at for at, port in enumerate(layout.channels)}

    def in_order(ports: Iterable[CppPort], tasks: Mapping[str, int]) -> list[CppPort]:
        keys = {p.name: (tasks.get(p.name, -1), places.get(p.name, -1)) for p in ports}
        return sorted(ports, key=lambda port: keys[port.name])

    inputs, writes = in_order(process.inputs, filled), in_order(process.writes, taken)
    ports = (*inputs, *writes)
    scope = Names(
        [*FUNCTION_NAMES, *(name for p in ports for name in (p.name, *p.parts, _tokens(p)))]
    )
    received = [item for port in inputs for item in _buffer(port, scope, "{} = {}.read();")]
    sent = [_buffer(port, scope, "{1}.write({0});") for port in writes]
    body = [
        *received,
        *(item for items in sent for item in items[:-1]),
        *(function.body or ()),
        *(items[-1] for items in sent if items),
    ]
    return replace(function, signature=f"void {process.name}", body=tuple(body))


def _buffer(port: CppPort, scope: Names, form: str) -> Sequence[Item]:
    """Return a local buffer, and last the loops that carry it through its stream."""
    if port.is_group or port.packing is not None or port.by_value:
        return ()
    names = scope.inner()
    nest = element_loops(
        port.array.shape,
        names.unique,
        lambda place: form.format(f"{port.name}{place}", _tokens(port)),
    )
    declared = f"{port.array.element} {port.name}{extents_text(port.array.shape)};"
    return (CppStatement(declared), *partition_pragmas(port.name, port.factors), nest)


def _top_body(layout: DesignLayout) -> Iterator[Item]:
    for port in layout.channels:
        count, element = prod(port.factors), port.array.element
        name = port.name if port.is_group else _tokens(port)
        kind = f"stream<{element}, {TOKEN_DEPTH}>"
        if port.is_group:
            kind = f"stream<{element}, {port.depth_elems}>"
            if count > 1:
                kind = f"streams<{element}, {count}, {port.depth_elems}>"
        yield CppStatement(f'tapa::{kind} {name}("{name}");')
    for stream in (mover.stream for mover in layout.word_movers):
        kind = f"stream<{stream.word_type}, {stream.depth_words}>"
        yield from (CppStatement(f'tapa::{kind} {name}("{name}");') for name in stream.names)
    yield CppStatement("tapa::task()")
    for at, (task, ports) in enumerate(layout.calls, start=1):
        arguments = ", ".join([task, *(text for port in ports for text in _arguments(port))])
        end = ";" if at == len(layout.calls) else ""
        yield CppStatement(f"    .invoke({arguments}){end}")


def _arguments(port: CppPort) -> tuple[str, ...]:
    is_whole = not (port.is_group or port.packing is not None or port.by_value)
    return (_tokens(port),) if is_whole else port.names
