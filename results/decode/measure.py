"""A design for a layer of GPT-2, and the bandwidth that it takes."""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from math import ceil
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import torch

import streamopt as so
from streamopt.evaluation.frames import simulated_frames
from streamopt.frontends.torch_module.reader import read_torch
from streamopt.ir.program import Role
from streamopt.sim.traffic import traffic
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program

__all__ = ["SHAPES", "Row", "Shape", "bound_cycles", "measured", "program_of"]

sys.path.insert(0, str(Path(__file__).parents[2] / "models"))

gpt2: Any = import_module("modules.gpt2_integers")

Row = dict[str, str]
DEVICE, CLOCK_NS = "u280", 4.5
"""A channel of HBM delivers 64.7 bytes in such a cycle, and a port takes a word of 64."""
SEED = 0
MOST_INPUT = 40
WEIGHT_CHANNELS = 24
"""Of 32: six activations, keys, values and offsets have ports, too."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A layer."""

    features: int
    heads: int
    before: int
    """Tokens before the one that is computed."""


SHAPES = (Shape(256, 4, 128), Shape(1024, 16, 128))


def program_of(shape: Shape) -> Program:
    """Return the program of a layer with random weights."""
    torch.manual_seed(SEED)
    context = (shape.heads, shape.before, shape.features // shape.heads)
    shapes = ((1, shape.features), context, context)
    limits = -MOST_INPUT, MOST_INPUT + 1
    given = tuple(torch.randint(*limits, each, dtype=torch.int8) for each in shapes)
    return read_torch(gpt2.Gpt2IntegerStep(shape.features, shape.heads), given, name="gpt2_step")


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


def weight_ports(graph: Graph) -> dict[str, str]:
    """Return ports for the matrices: channels in proportion to their elements."""
    weights = [
        array for array in graph.arrays if array.role is Role.WEIGHT and len(array.shape) > 1
    ]
    total = sum(array.size_elems for array in weights)
    parts = {a.name: max(1, WEIGHT_CHANNELS * a.size_elems // total) for a in weights}
    return {name: f"m_axi:{count}" for name, count in parts.items()}


def measured(shape: Shape, search_seconds: float, verify: bool) -> Row:
    """Return cycles, bandwidth, resources, seconds and the verdict.

    Raises
    ------
    StreamoptError
        If there is no design.
    """
    target = Target.named(DEVICE, CLOCK_NS)
    program = program_of(shape)
    graph = so.dataflow(program)
    ports = so.plan_ports(graph, "m_axi:1", ports=weight_ports(graph), device=target)
    started = process_time()
    solution = so.solve(
        graph,
        level="opt6",
        dsp=target.total.dsps,
        objective="interval",
        time_limit=search_seconds,
        space=so.Space(tiling_limit=1, ports=ports),
        budget=so.Budget(device=target, fit="raw-device"),
    )
    seconds = process_time() - started
    found = so.evaluate(graph, solution.schedule, target)
    frames = simulated_frames(graph, solution.schedule, target)
    used, rates = found.resources.total, _rates(target)
    moved = traffic(found.network, frames, rates)
    cycles, all_channels = moved.cycles, sum(rates.values())
    row = {
        "interval": cycles,
        "latency": found.trace.cycles,
        "moved_bytes": moved.moved_bytes,
        "ports": sum(len(port.memories) for port in solution.schedule.ports),
        "share": f"{moved.moved_bytes / (cycles * all_channels):.3f}",
        "share_of_ports": f"{moved.share:.3f}",
        "dsps": used.dsps,
        "lut": used.luts,
        "bram18": used.bram18,
        "uram": used.uram,
        "over": " ".join(used.over(target.total)),
        "seconds": f"{seconds:.1f}",
        "verified": "no",
    }
    if verify:
        row["verified"] = "pass" if solution.verify().passed else "fail"
    return {name: str(value) for name, value in row.items()}
