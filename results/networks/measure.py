"""A design of ours for a published row, measured."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

from cases import program_of

import streamopt as so
from streamopt.evaluation.frames import frame_interval_cycles
from streamopt.target.device import Target

if TYPE_CHECKING:
    from bounds import Wanted

__all__ = ["Row", "measured"]

Row = dict[str, str]
FITS = {"slr": "raw", "device": "raw-device"}


def measured(wanted: Wanted, level: str, search_seconds: float, verify: bool) -> Row:
    """Return cycles, resources, seconds and the verdict.

    Raises
    ------
    StreamoptError, LookupError
        If there is no design.
    """
    target = Target.named(wanted.device, wanted.clock_ns)
    program = program_of(wanted.network, wanted.element)
    graph = so.dataflow(program)
    is_built = level == "opt6"
    started = process_time()
    solution = so.solve(
        graph,
        level=level,
        dsp=wanted.dsps,
        objective="interval" if wanted.metric == "interval_cycles" else "latency",
        time_limit=search_seconds,
        space=so.Space(tiling_limit=1),
        budget=so.Budget(device=target, fit=FITS[wanted.part] if is_built else None),
    )
    seconds = process_time() - started
    found = so.evaluate(graph, solution.schedule, target)
    is_interval = wanted.metric == "interval_cycles"
    cycles = frame_interval_cycles(found) if is_interval else found.trace.cycles
    used = found.resources.total
    record = so.record(solution)
    row = {
        "level": level,
        "ours_cycles": cycles,
        "proved_gap": record["gap"],
        "dsps": used.dsps,
        "lut": used.luts,
        "bram18": used.bram18,
        "uram": used.uram,
        "over": " ".join(used.over(target.slr if wanted.part == "slr" else target.total)),
        "seconds": f"{seconds:.1f}",
        "verified": "no",
    }
    if verify:
        row["verified"] = "pass" if solution.verify().passed else "fail"
    return {name: str(value) for name, value in row.items()}
