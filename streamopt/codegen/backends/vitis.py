"""From a scheduled graph to a Vitis HLS project: streamed C++, testbench and Tcl script.

Needs nothing beyond C++11 and the vendor's ``hls_stream.h``. The text depends on the scheduled
graph, the settings and the version of streamopt alone.
"""

from collections.abc import Iterator

from streamopt.codegen.backends.vitis_project import IP, KERNEL, VitisFlow, VitisSettings, scripts
from streamopt.codegen.checks import built
from streamopt.codegen.design import BackendName, Design, design_of
from streamopt.codegen.dialect import Dialect
from streamopt.codegen.floorplan import floorplan_tcl
from streamopt.codegen.hosts.testbench import testbench
from streamopt.codegen.hosts.xrt import has_host, host_files
from streamopt.codegen.layout import DesignLayout, plan_layout
from streamopt.codegen.processes.loops import partition_pragmas, storage_pragma
from streamopt.codegen.processes.mover import bursts, word_mover
from streamopt.codegen.processes.process import (
    STANDARD_HEADERS,
    header_items,
    parameters,
    process_functions,
    provenance,
    top_parameters,
)
from streamopt.codegen.processes.residents import (
    bundle_of,
    filling,
    filling_names,
    kept_arrays,
    region_parameters,
)
from streamopt.codegen.processes.tables import included_tables, table_header
from streamopt.codegen.templates import design_headers, fill, type_headers
from streamopt.codegen.tree import (
    Comment,
    CppFunction,
    CppStatement,
    Directive,
    For,
    Item,
    Pragma,
    render,
)
from streamopt.ir.ports import PortKind
from streamopt.ir.scheduled import ScheduledGraph

DEFAULT = VitisSettings()


def emit(scheduled: ScheduledGraph, settings: VitisSettings = DEFAULT) -> Design:
    """Return the design that implements a scheduled graph.

    Raises
    ------
    CodegenError
        E601 for a literal that its type can't hold, E602 for an array that nobody brings or
        takes, E603 for a division of a negative subscript, E606 for a value of a table that is no
        number of its type, E611 to E619 for what the vendor's
        tool would refuse, E624 for a reduction that isn't a tree.
    """
    layout = plan_layout(scheduled)
    header = provenance(scheduled)
    flow = _flow(layout)
    items = [*header, *_definitions(layout)]
    kernel = render(items)
    files = (
        (f"{layout.top}.h", render([*header, *declarations(layout, scheduled)])),
        (f"{layout.top}.cpp", kernel),
        *table_header(layout, scheduled.graph, header),
        ("testbench.cpp", render(header) + testbench(layout, "#include <hls_stream.h>\n")),
        *([("packing.h", fill("packing.h"))] if layout.packed else []),
        *scripts(layout.top, settings, flow),
        *floorplan_tcl(layout, scheduled),
        *(
            host_files(layout, scheduled, settings, header, type_headers(scheduled.graph))
            if has_host(layout)
            else ()
        ),
    )
    findings = built(kernel, dict(files))
    return design_of(scheduled, layout, files, BackendName.VITIS, findings)


def declarations(
    layout: DesignLayout, scheduled: ScheduledGraph, *, own_types: bool = False
) -> Iterator[Item]:
    """Yield the header of the top function.

    Parameters
    ----------
    own_types
        Whether the headers of element types are those of the project.
    """
    has_integers = any(port.array.element.is_integer for port in layout.boundary)
    integers = (Directive("#include <cstdint>"), CppStatement("")) if has_integers else ()
    libraries = (
        ("array", "std::array<"),
        ("hls_vector.h", Dialect.HLS),
        ("hls_stream.h", "hls::stream"),
    )
    declared = " ".join(top_parameters(layout))
    wanted = [Directive(f"#include <{name}>") for name, used in libraries if used in declared]
    form = '#include "{}"' if own_types else "#include <{}>"
    wanted += [Directive(form.format(name)) for name in design_headers(scheduled)]
    names = {port.array.name: port.name for port in layout.boundary}
    copies = (
        Comment(f"The caller gives {names[copy]} the content of {names[original]}.")
        for copy, original in layout.copies
    )
    included = (*integers, *wanted, *([CppStatement("")] if wanted else []), *copies)
    pairs = () if layout.passes is None else layout.passes.in_place
    shared = (
        Comment(f"The caller gives {names[output]} the memory of {names[given]}, updated in place.")
        for output, given in pairs
    )
    function = CppFunction(_signature(layout), top_parameters(layout), None)
    yield from header_items(layout.top, (*included, *shared), function)


def _definitions(layout: DesignLayout) -> Iterator[Item]:
    yield Directive(f'#include "{layout.top}.h"')
    yield from (Directive(f"#include <{header}>") for header in (*STANDARD_HEADERS, "hls_stream.h"))
    yield from included_tables(layout)
    filled = (resident.words for resident in layout.residents)
    movers = (*filled, *layout.word_movers)
    yield from (item for mover in movers for item in word_mover(mover, parameters))
    yield from process_functions(layout)
    yield CppStatement("")
    if layout.passes is None and not layout.residents:
        body = (*_interfaces(layout), *_region(layout))
    else:
        name, body = _one_pass(layout) if layout.passes is not None else _one_frame(layout)
        if layout.residents:
            yield from filling(layout)
            body = (*_interfaces(layout), *kept_arrays(layout), *body)
        taken = region_parameters(layout)
        yield CppFunction(f"static void {name}", taken, tuple(_region(layout)))
        yield CppStatement("")
    yield CppFunction(_signature(layout), top_parameters(layout), tuple(body))


def _one_frame(layout: DesignLayout) -> tuple[str, tuple[Item, ...]]:
    """Return the name of the region's function, and the call of it."""
    taken = [name for port in layout.region_ports for name in port.names]
    name = filling_names(layout).unique("one_frame")
    return name, (CppStatement(f"{name}({', '.join(taken)});"),)


def _one_pass(layout: DesignLayout) -> tuple[str, tuple[Item, ...]]:
    """Return the name of the region's function, and the body that calls it once for each pass."""
    assert layout.passes is not None
    taken = [name for port in layout.region_ports for name in port.names]
    names = filling_names(layout)
    name, count = names.unique("one_pass"), names.unique("pass_number")
    call = CppStatement(f"{name}({', '.join(taken)});")
    pairs = ", ".join(f"{given} is {output}" for output, given in layout.passes.in_place)
    says = Comment(f"Each pass ends before the next begins, on the same memory: {pairs}.")
    return name, (
        *(() if layout.residents else _interfaces(layout)),
        says,
        For(count, layout.passes.count, (Pragma("pipeline off"), call)),
    )


def _flow(layout: DesignLayout) -> VitisFlow:
    """Return the flow that can be taken: XRT loads kernels all of whose arrays are outside."""
    is_kernel = bool(layout.packed) and all(p.packing or p.by_value for p in layout.boundary)
    return KERNEL if is_kernel else IP


def _signature(layout: DesignLayout) -> str:
    """Return the head of the top function; the vendor's linker looks for a kernel's C name."""
    is_linked = _flow(layout) is KERNEL and layout.boundary[0].dialect is Dialect.HLS
    return f'extern "C" void {layout.top}' if is_linked else f"void {layout.top}"


def _interfaces(layout: DesignLayout) -> Iterator[Item]:
    if not layout.packed:
        return
    for port in layout.boundary:
        if port.kind in (PortKind.AXI, PortKind.RESIDENT) and port.packing is not None:
            depth = f"depth={port.packing.total_words}"
            for name in port.names:
                bundle = bundle_of(port) if port.kind is PortKind.RESIDENT else name
                where = f"port={name} offset=slave bundle=gmem_{bundle} {depth}"
                yield Pragma(f"interface mode=m_axi {where} {bursts(port)}")
        elif port.kind is PortKind.STREAM:
            yield Pragma(f"interface mode=axis port={port.name}")
        elif port.by_value:
            yield Pragma(f"interface mode=s_axilite port={port.name}")
    yield Pragma("interface mode=s_axilite port=return")


def _region(layout: DesignLayout) -> Iterator[Item]:
    kept = {resident.memory.name for resident in layout.residents}
    for port in layout.region_ports:
        if port.packing is None and not port.by_value and port.name not in kept:
            yield from partition_pragmas(port.name, port.factors)
    yield Pragma("dataflow")
    for port in layout.channels:
        yield CppStatement(f"{port.declaration()};")
        if not port.is_stream:
            yield from partition_pragmas(port.name, port.factors)
            yield Pragma(f"stream type=pipo variable={port.name}")
        block = dict(layout.blocks).get(port.name)
        if block is not None:
            yield storage_pragma(port.name, block, is_fifo=port.is_stream)
    for mover in layout.word_movers:
        for name in mover.stream.names:
            kind = f"hls::stream<{mover.stream.word_type}, {mover.stream.depth_words}>"
            yield CppStatement(f"{kind} {name};")
    streams = [port.name for port in layout.channels if port.is_stream]
    streams += [name for mover in layout.word_movers for name in mover.stream.names]
    if streams:
        yield Directive("#ifdef STREAMOPT_HLS_STREAM")
        yield from (CppStatement(f'hls::set_name({name}, "{name}");') for name in streams)
        yield Directive("#endif")
    for name, ports in layout.calls:
        given = ", ".join(text for port in ports for text in port.names)
        yield CppStatement(f"{name}({given});")
