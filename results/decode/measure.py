"""A design for a layer of GPT-2, and the bandwidth that it takes."""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import torch
from schedule import FRAMES, matrices, streaming_schedule

import streamopt as so
from streamopt.evaluation.frames import simulated_frames
from streamopt.frontends.torch_module.reader import read_torch
from streamopt.sim.traffic import channel_bytes, traffic
from streamopt.target.device import Target
from streamopt.transforms.result_copies import without_result_copies

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.ports import PortPlan
    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule

__all__ = ["SHAPES", "Row", "Shape", "bound_cycles", "measured", "program_of"]

sys.path.insert(0, str(Path(__file__).parents[2] / "models"))

gpt2: Any = import_module("modules.gpt2_integers")

Row = dict[str, str]
DEVICE, CLOCK_NS = "u280", 4.5
"""A channel of HBM delivers 64.7 bytes in such a cycle, and a port takes a word of 64."""
SEED = 0
MOST_INPUT = 40
WEIGHT_CHANNELS = 24
"""Of 32: activations, keys and values have ports, too."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A layer."""

    features: int
    heads: int
    before: int
    """Tokens before the one that is computed."""


SHAPES = (Shape(1024, 16, 128),)


def program_of(shape: Shape) -> Program:
    """Return the program of a layer with random weights."""
    torch.manual_seed(SEED)
    context = (shape.heads, shape.before, shape.features // shape.heads)
    shapes = ((1, shape.features), context, context)
    limits = -MOST_INPUT, MOST_INPUT + 1
    given = tuple(torch.randint(*limits, each, dtype=torch.int8) for each in shapes)
    return without_result_copies(
        read_torch(gpt2.Gpt2IntegerStep(shape.features, shape.heads), given, name="gpt2_step")
    )


def bound_cycles(shape: Shape) -> int:
    """Return the cycles in which all channels deliver weights, keys and values."""
    target = Target.named(DEVICE, CLOCK_NS)
    moved_bytes = 12 * shape.features**2 // 2 + 2 * shape.before * shape.features
    return ceil(moved_bytes / sum(_rates(target).values()))


def _rates(target: Target) -> dict[str, float]:
    """Return the bytes a cycle of every channel of HBM."""
    return {
        channel.name: channel.bytes_per_cycle(target.clock_ns)
        for channel in target.channels
        if channel.name.startswith("HBM")
    }


def planned(graph: Graph, target: Target) -> tuple[PortPlan, ...]:
    """Return the ports: for matrices channels in proportion to their elements, one for others.

    Offsets, of which all tokens take the same, stay in memories of the design.
    """
    sizes = matrices(graph)
    parts = {n: max(1, WEIGHT_CHANNELS * size // sum(sizes.values())) for n, size in sizes.items()}
    asked = {name: f"m_axi:{count}" for name, count in parts.items()}
    return so.plan_ports(graph, "m_axi:1", ports=asked | {"offsets": "resident"}, device=target)


def measured(shape: Shape, verify: bool) -> Row:
    """Return cycles, bandwidth, resources, seconds and the verdict.

    Raises
    ------
    StreamoptError
        If there is no design.
    """
    target = Target.named(DEVICE, CLOCK_NS)
    program = program_of(shape)
    graph = so.dataflow(program)
    ports = planned(graph, target)
    schedule = streaming_schedule(graph, ports, target)
    found = so.evaluate(graph, schedule, target)
    used, rates = found.resources.total, _rates(target)
    moved = traffic(found.network, simulated_frames(graph, schedule, target, FRAMES), rates)
    row = {
        "interval": moved.cycles,
        "latency": found.trace.cycles,
        "moved_bytes": moved.moved_bytes,
        "channels": len(channel_bytes(found.network)),
        "share": f"{moved.moved_bytes / (moved.cycles * sum(rates.values())):.3f}",
        "share_of_used": f"{moved.share:.3f}",
        "dsps": used.dsps,
        "lut": used.luts,
        "bram18": used.bram18,
        "uram": used.uram,
        "over": " ".join(used.over(target.total)),
        "verified": _verdict(program, schedule, target) if verify else "no",
    }
    return {name: str(value) for name, value in row.items()}


def _verdict(program: Program, schedule: Schedule, target: Target) -> str:
    with TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        so.write(program, schedule, project, settings=so.VitisSettings(clock_ns=target.clock_ns))
        return "pass" if so.verify(project).passed else "fail"
