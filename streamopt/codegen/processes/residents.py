"""Resident arrays: memories of the top function that the first call fills.

They keep their elements from one call to the next, so that later calls read nothing of them off the
chip. Two processes fill each: one reads words off the chip, the other writes their elements.
"""

from collections.abc import Iterator

from streamopt.codegen.layout import CppPort, DesignLayout, Resident
from streamopt.codegen.names import Names
from streamopt.codegen.processes.loops import partition_pragmas, storage_pragma
from streamopt.codegen.processes.process import parameters
from streamopt.codegen.tree import CppFunction, CppStatement, Directive, If, Item, Pragma


def bundle_of(port: CppPort) -> str:
    """Return the port that a resident array is filled through: that of all with as wide words."""
    return f"resident_{port.packed.words.elems * port.array.element.outside_bits}"


def region_parameters(layout: DesignLayout) -> tuple[str, ...]:
    """Return the parameters of the dataflow region: resident memories, not their arguments."""
    ports = layout.region_ports
    return tuple(text for port in ports for text in parameters(port, port.array.is_given))


def kept_arrays(layout: DesignLayout) -> Iterator[Item]:
    """Yield the memories of resident arrays, and what fills them in the first call."""
    calls: list[Item] = []
    names = filling_names(layout)
    for resident in layout.residents:
        memory = resident.memory
        yield CppStatement(f"static {memory.declaration()};")
        in_words = range(len(memory.factors)) if resident.in_words else ()
        yield from partition_pragmas(memory.name, memory.factors, in_words)
        is_memory = any(f < n for f, n in zip(memory.factors, memory.array.shape, strict=True))
        if resident.block is not None and is_memory:
            yield storage_pragma(memory.name, resident.block)
        taken = (resident.outside.name, memory.name)
        calls.append(CppStatement(f"{names.unique(_region(resident))}({', '.join(taken)});"))
    is_filled = names.unique("is_filled")
    yield CppStatement(f"static bool {is_filled} = false;")
    yield If(f"!{is_filled}", (*calls, CppStatement(f"{is_filled} = true;")))


def filling(layout: DesignLayout) -> Iterator[Item]:
    """Yield a function for each resident array that fills it.

    They run one after another, as processes of one region may not share a port.
    """
    names = filling_names(layout)
    for resident in layout.residents:
        outside, memory, stream = resident.outside, resident.memory, resident.words.stream
        read, fill = resident.functions
        kind = f"hls::stream<{stream.word_type}, {stream.depth_words}>"
        body = (
            Pragma("dataflow"),
            CppStatement(f"{kind} {stream.name};"),
            Directive("#ifdef STREAMOPT_HLS_STREAM"),
            CppStatement(f'hls::set_name({stream.name}, "{stream.name}");'),
            Directive("#endif"),
            CppStatement(f"{read}({outside.name}, {stream.name});"),
            CppStatement(f"{fill}({stream.name}, {memory.name});"),
        )
        taken = (*parameters(outside, True), *parameters(memory, False))
        name = names.unique(_region(resident))
        yield CppFunction(f"static void {name}", taken, body)
        yield CppStatement("")


def filling_names(layout: DesignLayout) -> Names:
    """Return the names that a function around the region may not take."""
    ports = [name for p in (*layout.boundary, *layout.region_ports) for name in p.names]
    fills = [name for r in layout.residents for name in (*r.functions, *r.words.stream.names)]
    return Names([layout.top, *ports, *fills, *(name for name, _ in layout.calls)])


def _region(resident: Resident) -> str:
    return f"bring_{resident.outside.name}"
