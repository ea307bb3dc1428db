"""From an engine as built to a Vitis HLS project."""

from __future__ import annotations

from dataclasses import asdict
from hashlib import sha256

from streamopt.codegen.backends.vitis_project import KERNEL, VitisSettings, scripts
from streamopt.codegen.design import BackendName, Design
from streamopt.codegen.engines.host import testbench_text
from streamopt.codegen.engines.kernel import header_text, kernel_text
from streamopt.codegen.engines.ports import EnginePorts
from streamopt.codegen.names import identifier, suits_top
from streamopt.codegen.templates import fill
from streamopt.ir.engines.hardware import EngineHardware
from streamopt.ir.graph import Graph

DEFAULT = VitisSettings()
RUN_SECONDS = 7200.0
"""For a run of the C++, which does in turn what happens in each of millions of cycles."""
SETTING = "engine"
"""Entry of a project's settings that says it is an engine."""


def emit_engine(
    hardware: EngineHardware,
    graph: Graph,
    blocks: tuple[str, str],
    settings: VitisSettings = DEFAULT,
) -> Design:
    """Return the design of an engine.

    Parameters
    ----------
    blocks
        What the memories of maps, and the weights of a tile, are made of: ``bram``, ``uram`` or
        ``lutram``.
    """
    top = identifier(graph.name)
    top = top if suits_top(top) else f"{top}_engine"
    ports = EnginePorts(hardware, graph, top)
    files = (
        (f"{top}.h", header_text(ports)),
        (f"{top}.cpp", kernel_text(ports, blocks)),
        ("engine_packing.h", fill("engine_packing.h")),
        ("testbench.cpp", testbench_text(ports)),
        *scripts(top, settings, KERNEL),
    )
    names = {array.name for array in ports.arrays}
    return Design(
        graph.name,
        files,
        top,
        tuple((array.name, ports.names[array.name]) for array in ports.arrays),
        _digest(hardware),
        tuple(pair for pair in graph.copies if pair[0] in names),
        BackendName.VITIS,
    )


def _digest(hardware: EngineHardware) -> str:
    """Return the SHA-256 of what was decided."""
    cuts = [asdict(one.tiling) for one in hardware.table.passes]
    return sha256(repr((asdict(hardware.table.shape), cuts)).encode()).hexdigest()
