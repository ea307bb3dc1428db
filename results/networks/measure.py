"""A design of ours for a published row, measured."""

from __future__ import annotations

from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import TYPE_CHECKING

from cases import program_of

import streamopt as so
from streamopt.evaluation.frames import steady_interval_cycles
from streamopt.ir.ports import PortKind
from streamopt.space.level import BindingChoice
from streamopt.target.device import Target

if TYPE_CHECKING:
    from bounds import Wanted

__all__ = ["Row", "measured"]

Row = dict[str, str]
FITS = {"slr": "raw", "device": "raw-device"}
FRAMES = 12
"""That are simulated for an interval."""
NOT_COUNTED = "not counted"
"""Weights are arguments with as many ports as a design likes, and in no memory of it."""


def measured(wanted: Wanted, level: str, search_seconds: float, verify: bool, weights: str) -> Row:
    """Return cycles, resources, seconds and the verdict.

    Parameters
    ----------
    weights
        The kind of port that they have.

    Raises
    ------
    StreamoptError, LookupError
        If there is no design.
    """
    target = Target.named(wanted.device, wanted.clock_ns)
    is_interval, is_built = wanted.metric == "interval_cycles", level == "opt6"
    is_plain = wanted.element == "int8" and not wanted.packed
    program = program_of(wanted.network, wanted.element)
    graph = so.dataflow(program)
    ports = so.plan_ports(graph, ports={"weights": weights}, device=target)
    started = process_time()
    solution = so.solve(
        graph,
        level=level,
        dsp=wanted.dsps,
        objective="interval" if is_interval else "latency",
        time_limit=search_seconds,
        space=so.Space(
            tiling_limit=1,
            binding=BindingChoice.TOOL if is_plain else None,
            ports=() if weights == PortKind.MEMORY else ports,
        ),
        budget=so.Budget(
            device=target,
            lut=wanted.luts if is_built else None,
            fit=FITS[wanted.part] if is_built else None,
        ),
    )
    seconds = process_time() - started
    found = so.evaluate(graph, solution.schedule, target, frames=FRAMES if is_interval else 1)
    cycles = steady_interval_cycles(found.trace) if is_interval else found.trace.cycles
    used = found.resources.total
    row = {
        "level": level,
        "ours_cycles": cycles,
        "own_bound_cycles": solution.bound,
        "dsps": used.dsps,
        "lut": used.luts,
        "bram18": used.bram18,
        "uram": used.uram,
        "over": " ".join(used.over(target.slr if wanted.part == "slr" else target.total)),
        "seconds": f"{seconds:.1f}",
        "megabytes": getrusage(RUSAGE_SELF).ru_maxrss // 1024,
        "verified": "no",
        "weights": NOT_COUNTED if weights == PortKind.MEMORY else weights,
    }
    if verify:
        row["verified"] = "pass" if solution.verify().passed else "fail"
    return {name: str(value) for name, value in row.items()}
