"""From a scheduled graph to plain C++17 that runs the same dataflow on a CPU.

Each process is a thread and each FIFO as deep as the design has it; a ping-pong buffer is handed
over when its producer has filled it. The functions of the processes are those of the design for
Vitis HLS without pragmas. Arrays off the chip are words in memory; those that cross the boundary as
streams are brought or taken by a thread more, as a kernel beside the design would.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from streamopt.codegen.backends.vitis import declarations
from streamopt.codegen.design import BackendName, Design, design_of
from streamopt.codegen.dialect import Dialect
from streamopt.codegen.hosts.testbench import testbench
from streamopt.codegen.hosts.xrt import mover_kernel
from streamopt.codegen.layout import CppPort, DesignLayout, extents_text, plan_layout
from streamopt.codegen.names import Names
from streamopt.codegen.processes.process import (
    STANDARD_HEADERS,
    parameters,
    process_functions,
    provenance,
    top_parameters,
)
from streamopt.codegen.processes.tables import included_tables, table_header
from streamopt.codegen.templates import design_headers, fill
from streamopt.codegen.tree import (
    CppFunction,
    CppStatement,
    Directive,
    For,
    If,
    Item,
    Pragma,
    render,
)
from streamopt.ir.ports import PortKind
from streamopt.ir.scheduled import ScheduledGraph

BOUNDARY_DEPTH_WORDS = 2
"""Of a stream over the boundary: as few as a design can count on."""


def emit(scheduled: ScheduledGraph) -> Design:
    """Return the design that runs a scheduled graph on a CPU.

    Raises
    ------
    CodegenError
        As `streamopt.codegen.backends.vitis.emit`.
    """
    layout = plan_layout(scheduled, Dialect.NATIVE)
    outside = _in_memory(layout)
    header = provenance(scheduled)
    declared = declarations(outside, scheduled, own_types=True)
    files = (
        (f"{layout.top}.h", render([*header, *declared])),
        (f"{layout.top}.cpp", render([*header, *_definitions(layout)])),
        *table_header(layout, scheduled.graph, header),
        ("testbench.cpp", render(header) + testbench(outside, headers="")),
        ("dataflow.h", fill("dataflow.h")),
        *((name, fill(f"types/{name}")) for name in design_headers(scheduled)),
        *([("packing.h", fill("packing.h"))] if layout.packed else []),
        ("Makefile", fill("Makefile.native", top=layout.top)),
    )
    return design_of(scheduled, layout, files, BackendName.NATIVE)


def _in_memory(layout: DesignLayout) -> DesignLayout:
    """Return the layout that the caller sees: words in memory, where processes have streams."""
    boundary = (
        replace(port, kind=PortKind.AXI) if port.kind is PortKind.STREAM else port
        for port in layout.boundary
    )
    return replace(layout, boundary=tuple(boundary))


def _definitions(layout: DesignLayout) -> Iterator[Item]:
    yield Directive(f'#include "{layout.top}.h"')
    yield Directive('#include "dataflow.h"')
    yield from (Directive(f"#include <{header}>") for header in STANDARD_HEADERS)
    yield from included_tables(layout)
    yield from _without_pragmas(process_functions(layout, _declared))
    yield CppStatement("")
    body: tuple[Item, ...] = tuple(_top_body(layout))
    if layout.passes is not None:
        body = (For("pass_number", layout.passes.count, body),)
    yield CppFunction(f"void {layout.top}", top_parameters(_in_memory(layout)), body)


def _declared(port: CppPort, read_only: bool) -> tuple[str, ...]:
    """Return the parameters for a port, or a channel of the top function."""
    if port.kind is PortKind.STREAM:
        return tuple(f"{_stream_of_words(port)} &{name}" for name in port.names)
    if port.depth_elems is None:
        return parameters(port, read_only)
    element = port.array.element
    lanes = extents_text(port.factors)
    return (f"streamopt::Stream<{element}, {port.depth_elems}> {port.name}{lanes}",)


def _stream_of_words(port: CppPort) -> str:
    return f"streamopt::Stream<{port.word_type}, {BOUNDARY_DEPTH_WORDS}>"


def _without_pragmas(items: Iterable[Item]) -> Iterator[Item]:
    for item in items:
        match item:
            case Pragma():
                pass
            case For(body=body) | If(body=body):
                yield replace(item, body=tuple(_without_pragmas(body)))
            case CppFunction(body=body) if body is not None:
                yield replace(item, body=tuple(_without_pragmas(body)))
            case _:
                yield item


def _top_body(layout: DesignLayout) -> Iterator[Item]:
    names = Names(
        [
            *(name for p in (*layout.boundary, *layout.channels) for name in (p.name, *p.parts)),
            *(name for mover in layout.word_movers for name in mover.stream.names),
            *(name for r in layout.residents for name in (r.memory.name, *r.functions)),
            *(name for r in layout.residents for name in r.words.stream.names),
            *(name for name, _ in layout.calls),
        ]
    )
    yield from _kept(layout, names)
    full: dict[str, str] = {}
    for port in layout.channels:
        static = "" if port.is_stream else "static "
        yield CppStatement(f"{static}{_declared(port, False)[0]};")
        if not port.is_stream:
            full[port.name] = names.unique(f"{port.name}_full")
            yield CppStatement(f"streamopt::Handover {full[port.name]};")
    region = names.unique("region")
    yield CppStatement(f"streamopt::Region {region};")
    writers = {port.name: p.name for p in layout.processes for port in p.writes}
    readers = {port.name: p.name for p in layout.processes for port in p.inputs}
    for port in layout.channels:
        channel = full.get(port.name, port.name)
        ends = f'"{writers[port.name]}", "{readers[port.name]}"'
        yield CppStatement(f'{region}.connect({channel}, "{port.name}", {ends});')
    outside = {port.name: names.unique(f"{port.name}_words") for port in layout.streamed}
    for port in layout.streamed:
        ends = (port.name, outside[port.name], mover_kernel(port))
        yield from _moved(port, ends, region, (writers, readers))
    for mover in layout.word_movers:
        for memory, stream in zip(mover.outside.names, mover.stream.names, strict=True):
            ends = (memory, stream, mover.name)
            yield from _moved(mover.stream, ends, region, (writers, readers))
    for process in layout.processes:
        ports = (*process.inputs, *process.writes)
        arguments = ", ".join(outside.get(name, name) for port in ports for name in port.names)
        taken = [full[port.name] for port in process.inputs if port.name in full]
        given = [port.name for port in process.writes if port.name in full]
        yield CppStatement(f'{region}.start("{process.name}", [&] {{')
        yield from (CppStatement(f"    {name}.take();") for name in taken)
        yield CppStatement(f"    {process.name}({arguments});")
        yield from (CppStatement(f"    {full[name]}.give({name});") for name in given)
        yield CppStatement("});")
    yield CppStatement(f"{region}.run();")


def _kept(layout: DesignLayout, names: Names) -> Iterator[Item]:
    """Yield the resident arrays, which the first call fills."""
    if not layout.residents:
        return
    fills: list[Item] = []
    for resident in layout.residents:
        yield CppStatement(f"static {resident.memory.declaration()};")
        (read, fill), words = resident.functions, resident.words
        region = names.unique(f"bring_{resident.outside.name}")
        stream = words.stream.name
        fills.append(CppStatement(f"streamopt::Region {region};"))
        ends = (resident.outside.name, stream, read)
        fills += _moved(words.stream, ends, region, ({}, {stream: fill}))
        call = f"{fill}({stream}, {resident.memory.name});"
        fills.append(CppStatement(f'{region}.start("{fill}", [&] {{ {call} }});'))
        fills.append(CppStatement(f"{region}.run();"))
    is_filled = names.unique("is_filled")
    yield CppStatement(f"static bool {is_filled} = false;")
    yield If(f"!{is_filled}", (*fills, CppStatement(f"{is_filled} = true;")))


def _moved(
    port: CppPort,
    moved_by: tuple[str, str, str],
    region: str,
    ends: tuple[Mapping[str, str], Mapping[str, str]],
) -> Iterator[Item]:
    """Yield a stream over the boundary, and the thread that fills or empties it."""
    writers, readers = ends
    name, stream, mover = moved_by
    pair = (mover, readers[port.name]) if port.array.is_given else (writers[port.name], mover)
    each = "const auto &word" if port.array.is_given else "auto &word"
    moved = f"{stream}.write(word)" if port.array.is_given else f"word = {stream}.read()"
    yield CppStatement(f"{_stream_of_words(port)} {stream};")
    yield CppStatement(f'{region}.connect({stream}, "{name}", "{pair[0]}", "{pair[1]}");')
    yield CppStatement(f'{region}.start("{mover}", [&] {{')
    count, times = port.packed.total_words, port.packed.times
    place = f"at % {count}" if times > 1 else "at"
    yield CppStatement(f"    for (int at = 0; at < {times * count}; at++) {{")
    yield CppStatement(f"        {each} = {name}[{place}];")
    yield CppStatement(f"        {moved};")
    yield CppStatement("    }")
    yield CppStatement("});")
