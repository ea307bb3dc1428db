"""A design of ours for a published row: searched, simulated, and verified from its schedule."""

from __future__ import annotations

from dataclasses import dataclass
from json import loads
from math import prod
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING

from cases import program_of

import streamopt as so
from streamopt.evaluation.frames import simulated_frames, steady_interval_cycles
from streamopt.formats.schedule_json import read_schedule_json, write_schedule_json
from streamopt.ir.network import Place
from streamopt.ir.ports import PortKind
from streamopt.ir.program import Role
from streamopt.space.level import BindingChoice
from streamopt.target.device import Target

if TYPE_CHECKING:
    from bounds import Wanted

    from streamopt.evaluation.design import Evaluation
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Schedule

__all__ = ["NOT_COUNTED", "Row", "Search", "measured", "rebuilt", "verdict"]

Row = dict[str, str]
FITS = {"slr": "raw", "device": "raw-device"}
NOT_COUNTED = "not counted"
"""Weights are arguments with as many ports as a design likes, and in no memory of it."""
BITS_A_BYTE = 8


@dataclass(frozen=True, slots=True)
class Search:
    """How a design is looked for."""

    level: str
    seconds: float
    weights: str
    """The kind of port that they have."""
    images: str
    """That of images and scores."""


def measured(wanted: Wanted, search: Search) -> Row:
    """Return cycles, resources, seconds and the schedule of a design.

    Raises
    ------
    StreamoptError, LookupError
        If there is no design.
    """
    target = Target.named(wanted.device, wanted.clock_ns)
    is_built = search.level == "opt6"
    is_plain = wanted.element == "int8" and not wanted.packed
    graph = so.dataflow(program_of(wanted.network, wanted.element))
    kinds = {"weights": search.weights}
    ports = so.plan_ports(graph, search.images, ports=kinds, device=target)
    started = process_time()
    solution = so.solve(
        graph,
        level=search.level,
        dsp=wanted.dsps,
        objective="interval" if wanted.metric == "interval_cycles" else "latency",
        time_limit=search.seconds,
        space=so.Space(
            tiling_limit=1,
            binding=BindingChoice.TOOL if is_plain else None,
            ports=() if search.weights == PortKind.MEMORY else ports,
        ),
        budget=so.Budget(
            device=target,
            lut=wanted.luts if is_built else None,
            fit=FITS[wanted.part] if is_built else None,
        ),
    )
    told = {
        "level": search.level,
        "own_bound_cycles": str(solution.bound),
        "seconds": f"{process_time() - started:.1f}",
        "megabytes": str(getrusage(RUSAGE_SELF).ru_maxrss // 1024),
    }
    schedule = write_schedule_json(solution.schedule, told)
    return {**_simulated(wanted, graph, solution.schedule), **told, "schedule": schedule}


def rebuilt(wanted: Wanted, text: str) -> Row:
    """Return the same of a schedule that was found before."""
    graph = so.dataflow(program_of(wanted.network, wanted.element))
    found = _simulated(wanted, graph, read_schedule_json(text, "schedule.json"))
    return {**found, **loads(text)["result"], "schedule": text}


def verdict(wanted: Wanted, text: str) -> Row:
    """Return whether the C++ of a schedule computes the bits of PyTorch."""
    program = program_of(wanted.network, wanted.element)
    with TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        so.write(program, read_schedule_json(text, "schedule.json"), project)
        return {"verified": "pass" if so.verify(project).passed else "fail"}


def _simulated(wanted: Wanted, graph: Graph, schedule: Schedule) -> Row:
    target = Target.named(wanted.device, wanted.clock_ns)
    is_interval = wanted.metric == "interval_cycles"
    found = so.evaluate(graph, schedule, target)
    frames = simulated_frames(graph, schedule, target) if is_interval else None
    cycles = found.trace.cycles if frames is None else steady_interval_cycles(frames)
    used = found.resources.total
    row = {
        "ours_cycles": cycles,
        "dsps": used.dsps,
        "lut": used.luts,
        "bram18": used.bram18,
        "uram": used.uram,
        "over": " ".join(used.over(target.slr if wanted.part == "slr" else target.total)),
        "weights": _weights(graph, schedule),
        "images": _images(graph, schedule),
        "buffer_bytes": _buffer_bytes(found),
        "line_buffer_bytes": _line_buffer_bytes(graph, schedule),
        "verified": "no",
    }
    return {name: str(value) for name, value in row.items()}


def _weights(graph: Graph, schedule: Schedule) -> str:
    """Return where arrays of weights are."""
    given = {array.name for array in graph.arrays if array.role is Role.WEIGHT}
    kinds = [port.kind for port in schedule.ports if port.array in given]
    streamed = kinds.count(PortKind.AXI)
    if not kinds or PortKind.MEMORY in kinds:
        return NOT_COUNTED
    return f"{streamed} of {len(kinds)} streamed" if streamed else "resident"


def _images(graph: Graph, schedule: Schedule) -> str:
    """Return whether images and scores are streams; as arguments they are in no memory."""
    given = {array.name for array in graph.arrays if array.role in (Role.INPUT, Role.OUTPUT)}
    streams = {port.array for port in schedule.ports if port.kind is PortKind.STREAM}
    return "streams" if given <= streams else NOT_COUNTED


def _line_buffer_bytes(graph: Graph, schedule: Schedule) -> int:
    """Return the bytes of the rows that windows keep."""
    scheduled = so.apply(graph, schedule)
    bits = sum(
        prod(lines.shape) * scheduled.graph.element_of(lines.array).bits
        for node in scheduled.nodes
        for lines in node.line_buffers
    )
    return bits // BITS_A_BYTE


def _buffer_bytes(found: Evaluation) -> int:
    """Return the bytes of line buffers, buffers between nodes and FIFOs: of all but weights."""
    network = found.network
    bits = sum(
        prod(memory.shape) * memory.element.bits * (2 if memory.place is Place.PING_PONG else 1)
        for memory in network.memories
        if memory.place in (Place.LOCAL, Place.PING_PONG)
    )
    bits += sum(f.depth_elems * prod(f.lanes) * f.element.bits for f in network.fifos)
    return bits // BITS_A_BYTE
