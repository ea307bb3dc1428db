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
    probe,
)
from streamopt.codegen.layout import CppPort, DesignLayout, plan_layout
from streamopt.codegen.processes.process import provenance
from streamopt.codegen.templates import fill, type_headers
from streamopt.codegen.tree import CppStatement, render
from streamopt.extras import require
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.rtl.boards.description import (
    DesignDescription,
    MemoryPort,
    OutsideMemory,
    description_text,
)

if TYPE_CHECKING:
    from streamopt.rtl.rtl_design import OutsidePort, RtlDesign

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
                if outside.memory.removesuffix(".argument") == port.array.name
            ),
        )
        for port in layout.boundary
    )
    sources = tuple(path for path, _ in design.files)
    return DesignDescription(design.top, sources, design.processes, design.cells, memories)


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
    ]
    arrays = [(port.array.is_given, port.name, flat_array(port)) for port in boundary.values()]
    given = (f"memory_{name}.fill({flat}, frame);" for is_given, name, flat in arrays if is_given)
    taken = (
        f"memory_{name}.take({flat}, frame);" for is_given, name, flat in arrays if not is_given
    )
    return FrameLoops(*([*map(CppStatement, texts)] for texts in (before, given, taken)))


def _port(port: OutsidePort, boundary: Mapping[str, CppPort]) -> str:
    memory = f"memory_{boundary[port.memory.removesuffix('.argument')].name}"
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
    given += (port.name for port in design.ports)
    yield CppStatement(f"simulation::run(design, {', '.join(map(str, given))});")


def _member(port: str) -> str:
    """Return a port of the design as Verilator's C++ has it, which escapes double underscores."""
    return f"design.{port.replace('__', '___05F')}"


def _memory(port: CppPort) -> str:
    shape = port.array.shape or (1,)
    factors = port.factors or (1,) * len(shape)
    lists = ", ".join(f"{{{', '.join(map(str, one))}}}" for one in (shape, factors))
    element = port.array.element
    signed = "true" if element.is_signed else "false"
    size = f"sizeof({element}), {element.bits}, {signed}"
    return f"simulation::Memory memory_{port.name}(frames, {size}, {lists});"
