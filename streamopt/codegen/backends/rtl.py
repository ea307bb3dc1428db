"""From a scheduled graph to Verilog of our own, with a testbench for Verilator.

Arrays that cross the boundary are memories around the design, whose banks lie side by side in wide
words; the testbench has them, and counts the cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from streamopt.codegen.design import BackendName, Design, design_of
from streamopt.codegen.dialect import Dialect
from streamopt.codegen.hosts.testbench import (
    FrameLoops,
    HostProgram,
    checked_program,
    flat_array,
    packed,
    probe,
    stored_type,
    unpacked,
)
from streamopt.codegen.layout import CppPort, DesignLayout, plan_layout
from streamopt.codegen.processes.process import provenance
from streamopt.codegen.templates import fill, type_headers
from streamopt.codegen.tree import CppStatement, render
from streamopt.extras import require
from streamopt.ir.ports import PortKind
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.rtl.boards.description import (
    DesignDescription,
    MemoryPort,
    OutsideMemory,
    description_text,
)
from streamopt.rtl.boards.packed_words import PackedWords
from streamopt.rtl.outside.word_streams import ANSWER_CYCLES

if TYPE_CHECKING:
    from streamopt.rtl.rtl_design import MasterPort, OutsidePort, RtlDesign

EXTRA = "rtl"
DESCRIPTION = "design.json"
"""File with the boundary of the design."""


def emit(scheduled: ScheduledGraph) -> Design:
    """Return the design in Verilog.

    Raises
    ------
    CodegenError
        E640 for what there is no structure for; E602 as in other back ends.
    MissingExtraError
        E890 without amaranth.
    """
    require("amaranth", EXTRA, "RTL")
    from streamopt.rtl.emission.design import make_design

    layout = plan_layout(scheduled, Dialect.NATIVE)
    design = make_design(scheduled, layout.top, [process.name for process in layout.processes])
    header = render(provenance(scheduled))
    types = type_headers(scheduled.graph)
    included = ("Vdesign.h", "simulation.h", *types)
    program = HostProgram(
        headers="".join(f'#include "{name}"\n' for name in included),
        arguments="",
        arrays=(),
        run=[*_run(design)],
        frames=_frames(layout, design),
    )
    sources = " ".join(path for path, _ in design.files)
    files = (
        *((path, f"{header}{text}") for path, text in design.files),
        ("testbench.cpp", header + checked_program(layout, program)),
        ("simulation.h", fill("simulation.h")),
        *((("packing.h", fill("packing.h")),) if layout.packed else ()),
        *((name, fill(f"types/{name}")) for name in types),
        ("Makefile", fill("Makefile.rtl", top=layout.top, sources=sources)),
        ("lint.vlt", fill("lint.vlt")),
        (DESCRIPTION, description_text(_description(layout, design))),
    )
    return design_of(scheduled, layout, files, BackendName.RTL)


def _description(layout: DesignLayout, design: RtlDesign) -> DesignDescription:
    """Return the design for the tools that come after."""
    memories = tuple(
        OutsideMemory(
            port.name,
            port.array.element,
            port.array.shape or (1,),
            port.factors or (1,) * len(port.array.shape or (1,)),
            port.array.is_given,
            tuple(
                MemoryPort(outside.name, outside.is_write, outside.banks)
                for outside in design.ports
                if _array(outside) == port.array.name
            ),
            tuple(master.name for master in design.masters if _array(master) == port.array.name),
            _packed(port),
        )
        for port in layout.boundary
    )
    sources = tuple(path for path, _ in design.files)
    return DesignDescription(design.top, sources, design.processes, design.cells, memories)


def _packed(port: CppPort) -> PackedWords | None:
    """Return where the elements of an array off the chip are in words."""
    own = port.packing
    if own is None:
        return None
    sizes = (own.words.stride_elems, own.words.lanes, own.words.elems, own.total_words, own.times)
    return PackedWords(own.extents, own.order, own.lanes, *sizes, port.kind is PortKind.STREAM)


def _array(port: OutsidePort | MasterPort) -> str:
    """Return the array behind a port."""
    return port.memory.removesuffix(".argument")


def _frames(layout: DesignLayout, design: RtlDesign) -> FrameLoops:
    """Return the statements of frames: memories and their ports, inputs, and outputs."""
    boundary = {port.array.name: port for port in layout.boundary}
    before = [
        "static Vdesign &design = *new Vdesign;",
        "const std::size_t frames = simulation::asked_frames();",
        "simulation::Directories directories(data_directory, output_directory, "
        f'"{probe(layout)}");',
        *(f"static simulation::Frames {name}({design.frame_bits});" for name in design.frames),
        *map(_memory, boundary.values()),
        *(_port(port, boundary) for port in design.ports),
        *(_master(port, boundary) for port in design.masters),
    ]
    given = (_given(port) for port in boundary.values() if port.array.is_given)
    outputs = (port for port in boundary.values() if not port.array.is_given)
    taken = map(_taken, outputs)
    return FrameLoops(*([*map(CppStatement, texts)] for texts in (before, given, taken)))


def _port(port: OutsidePort, boundary: Mapping[str, CppPort]) -> str:
    memory = f"memory_{boundary[_array(port)].name}"
    kind, *wires = ("Write", "write", "given") if port.is_write else ("Read", "enable", "data")
    members = ", ".join(_member(f"{port.name}_{wire}") for wire in ("address", *wires))
    banks = f", {port.banks}, {port.address_bits}" if port.banks else ""
    kind = f"Bank{kind}" if port.banks else kind
    return f"simulation::{kind}Port {port.name}({memory}, {port.frame}, {members}{banks});"


def _run(design: RtlDesign) -> Iterator[CppStatement]:
    """Yield what runs the design once more, and counts cycles."""
    yield CppStatement("const auto ended = [] {")
    for name in design.frames:
        yield CppStatement(f"    {name}.now({_member(name)});")
    ends = ", ".join(f"{name}.ended()" for name in design.frames)
    yield CppStatement(f"    return std::min<std::size_t>({{{ends}}});")
    yield CppStatement("};")
    given = [len(design.processes), design.most_cycles, "testbench_number", "frames", "ended"]
    given += (port.name for port in (*design.ports, *design.masters))
    yield CppStatement(f"simulation::run(design, {', '.join(map(str, given))});")


def _member(port: str) -> str:
    """Return a port of the design as Verilator's C++ has it, which escapes double underscores."""
    return f"design.{port.replace('__', '___05F')}"


def _given(port: CppPort) -> str:
    """Return the statement that brings an input to where it is read from."""
    if port.packing is None:
        return f"memory_{port.name}.fill({flat_array(port)}, frame);"
    words = f"std::vector<unsigned char> words({_bytes(port) * port.packing.words.memories});"
    given = packed(port, f"reinterpret_cast<{stored_type(port)} *>(words.data())")
    return f"{{ {words} {given.text} memory_{port.name}.fill(words, frame); }}"


def _taken(port: CppPort) -> str:
    """Return the statement that brings an output back from where it was written."""
    if port.packing is None:
        return f"memory_{port.name}.take({flat_array(port)}, frame);"
    words = f"std::vector<unsigned char> words = memory_{port.name}.words(frame);"
    found = unpacked(port, f"reinterpret_cast<{stored_type(port)} *>(words.data())")
    return f"{{ {words} {found.text} }}"


def _bytes(port: CppPort) -> int:
    """Return the bytes of an array in one memory off the chip."""
    return port.packed.total_elems * port.array.element.outside_bits // 8


def _master(port: MasterPort, boundary: Mapping[str, CppPort]) -> str:
    array = boundary[_array(port)]
    memory = f"memory_{array.name}"
    if port.is_stream:
        members = (_member(f"{port.name}_t{wire}") for wire in ("data", "valid", "ready", "last"))
        size = f"testbench_number, {port.word_bits // 8}, {array.packed.times}"
        kind = "Write" if port.is_write else "Read"
        own = f"{memory}, {size}, {', '.join(members)}"
        return f"simulation::Stream{kind}Port {port.name}({own});"
    kind, a, rest = "Read", "ar", ("rvalid", "rready", "rdata")
    if port.is_write:
        kind, a = "Write", "aw"
        rest = ("wvalid", "wready", "wlast", "wdata", "bvalid", "bready")
    wires = ("base", *(f"{a}{wire}" for wire in ("addr", "len", "valid", "ready")), *rest)
    members = ", ".join(_member(f"{port.name}_{wire}") for wire in wires)
    numbers = f"testbench_number, {ANSWER_CYCLES}, {port.word_bits // 8}"
    own = f"{memory}, {port.part}, {port.frame}, {numbers}, {members}"
    return f"simulation::Master{kind}Port {port.name}({own});"


def _memory(port: CppPort) -> str:
    if port.packing is not None:
        memories = port.packing.words.memories
        return f"simulation::MasterMemory memory_{port.name}(frames, {memories}, {_bytes(port)});"
    shape = port.array.shape or (1,)
    factors = port.factors or (1,) * len(shape)
    lists = ", ".join(f"{{{', '.join(map(str, one))}}}" for one in (shape, factors))
    element = port.array.element
    signed = "true" if element.is_signed else "false"
    size = f"sizeof({element}), {element.bits}, {signed}"
    return f"simulation::Memory memory_{port.name}(frames, {size}, {lists});"
