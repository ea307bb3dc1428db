"""From a scheduled graph to Verilog of our own, with a testbench for Verilator.

Arrays that cross the boundary are memories around the design, whose banks lie side by side in wide
words; the testbench has them, and counts the cycles.
"""

from streamopt.codegen.design import BackendName, Design, design_of
from streamopt.codegen.dialect import Dialect
from streamopt.codegen.hosts.testbench import HostProgram, checked_program, flat_array
from streamopt.codegen.layout import CppPort, plan_layout
from streamopt.codegen.processes.process import provenance
from streamopt.codegen.templates import design_headers, fill
from streamopt.codegen.tree import CppStatement, render
from streamopt.extras import require
from streamopt.ir.scheduled import ScheduledGraph

EXTRA = "rtl"


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
    boundary = {port.array.name: port for port in layout.boundary}
    used = {_array(port.memory) for port in design.ports}
    run = [*(CppStatement(_memory(boundary[name])) for name in boundary if name in used)]
    names: list[str] = []
    for port in design.ports:
        memory = f"memory_{boundary[_array(port.memory)].name}"
        kind, second, third = (
            ("Write", "write", "given") if port.is_write else ("Read", "enable", "data")
        )
        members = ", ".join(f"design.{port.name}_{wire}" for wire in ("address", second, third))
        run.append(CppStatement(f"simulation::{kind}Port {port.name}({memory}, {members});"))
        names.append(port.name)
    filled = [boundary[name] for name in boundary if name in used and boundary[name].array.is_given]
    written = [boundary[name] for name in boundary if not boundary[name].array.is_given]
    run = [CppStatement("Vdesign design;"), *run]
    run += [CppStatement(f"memory_{p.name}.fill({flat_array(p)});") for p in filled]
    ports = "".join(f", {name}" for name in names)
    run.append(CppStatement(f"simulation::run(design, {design.most_cycles}{ports});"))
    run += [CppStatement(f"memory_{p.name}.take({flat_array(p)});") for p in written]
    types = "".join(f'#include "{name}"\n' for name in design_headers(scheduled))
    program = HostProgram(
        headers=f'#include "Vdesign.h"\n#include "simulation.h"\n{types}',
        arguments="",
        arrays=(),
        run=run,
    )
    files = (
        *((path, f"{header}{text}") for path, text in design.files),
        ("testbench.cpp", header + checked_program(layout, program)),
        ("simulation.h", fill("simulation.h")),
        *((name, fill(f"types/{name}")) for name in design_headers(scheduled)),
        (
            "Makefile",
            fill(
                "Makefile.rtl", top=layout.top, sources=" ".join(path for path, _ in design.files)
            ),
        ),
    )
    return design_of(scheduled, layout, files, BackendName.RTL)


def _array(memory: str) -> str:
    return memory.removesuffix(".argument")


def _memory(port: CppPort) -> str:
    shape = port.array.shape or (1,)
    factors = port.factors or (1,) * len(shape)
    lists = ", ".join(f"{{{', '.join(map(str, one))}}}" for one in (shape, factors))
    return f"simulation::Memory memory_{port.name}(sizeof({port.array.element}), {lists});"
