"""A design of ours for a kernel of Prometheus, measured."""

from __future__ import annotations

from time import process_time

from kernels import ports_of, program_path, source_options, target

import streamopt as so

__all__ = ["Row", "measured"]

Row = dict[str, str]
FIT = "raw-device"


def measured(kernel: str, dsps: int, channels: str, search_seconds: float, verify: bool) -> Row:
    """Return cycles, resources, seconds and the verdict.

    Raises
    ------
    StreamoptError
        If there is no design.
    """
    program = so.load(program_path(kernel), options=source_options())
    graph = so.dataflow(program)
    started = process_time()
    solution = so.solve(
        graph,
        level="opt6",
        dsp=dsps,
        time_limit=search_seconds,
        space=ports_of(graph, channels),
        budget=so.Budget(device=target(), fit=FIT),
    )
    seconds = process_time() - started
    found = so.evaluate(graph, solution.schedule, target())
    used = found.resources.total
    row = {
        "ours": found.trace.cycles,
        "proved_gap": so.record(solution)["gap"],
        "ports": sum(len(memory.channels) for memory in found.network.memories),
        "dsps": used.dsps,
        "lut": used.luts,
        "bram18": used.bram18,
        "uram": used.uram,
        "over": " ".join(used.over(target().total)),
        "seconds": f"{seconds:.1f}",
        "verified": "no",
    }
    if verify:
        row["verified"] = "pass" if solution.verify().passed else "fail"
    return {name: str(value) for name, value in row.items()}
