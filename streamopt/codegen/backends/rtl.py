"""From a scheduled graph to Verilog of our own, with a testbench for Verilator.

Arrays that cross the boundary are memories around the design, whose banks lie side by side in wide
words; the testbench has them, and counts the cycles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from streamopt.codegen.design import BackendName, Design, design_of
from streamopt.codegen.dialect import Dialect
from streamopt.codegen.hosts.testbench import HostProgram, checked_program, flat_array
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
    from streamopt.rtl.rtl_design import RtlDesign

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
        run=[*_run(layout, design)],
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


def _run(layout: DesignLayout, design: RtlDesign) -> Iterator[CppStatement]:
    """Yield what runs the design once more: memories, the ports to them, and cycles."""
    boundary = {port.array.name: port for port in layout.boundary}
    yield CppStatement("static Vdesign &design = *new Vdesign;")
    for port in boundary.values():
        yield CppStatement(_memory(port))
    for port in design.ports:
        memory = f"memory_{boundary[port.memory.removesuffix('.argument')].name}"
        kind, *wires = ("Write", "write", "given") if port.is_write else ("Read", "enable", "data")
        members = ", ".join(_member(f"{port.name}_{wire}") for wire in ("address", *wires))
        banks = f", {port.banks}, {port.address_bits}" if port.banks else ""
        kind = f"Bank{kind}" if port.banks else kind
        yield CppStatement(f"simulation::{kind}Port {port.name}({memory}, {members}{banks});")
    for port in boundary.values():
        if port.array.is_given:
            yield CppStatement(f"memory_{port.name}.fill({flat_array(port)});")
    given = [len(design.processes), design.most_cycles, "testbench_number"]
    given += (port.name for port in design.ports)
    yield CppStatement(f"simulation::run(design, {', '.join(map(str, given))});")
    for port in boundary.values():
        if not port.array.is_given:
            yield CppStatement(f"memory_{port.name}.take({flat_array(port)});")


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
    return f"simulation::Memory memory_{port.name}({size}, {lists});"
