"""A design of ours for a kernel of Prometheus, measured."""

from __future__ import annotations

from time import process_time

from kernels import ports_of, program_path, source_options, target

import streamopt as so

__all__ = ["Row", "limits_of", "measured"]

Row = dict[str, str]
FITS = {"board": "board"}
"""Of rows by channels; others have the whole device."""
LIMITED = {"dsp": "built_dsp", "lut": "lut", "bram18": "bram18"}
"""Columns of the published reports, and our limits."""


def limits_of(published: Row) -> dict[str, int]:
    """Return the resources of a published design, as our limits; none of one of a bitstream."""
    if published["framework"] == "prometheus_board":
        return {}
    return {ours: int(published[theirs]) for theirs, ours in LIMITED.items()}


def measured(
    kernel: str, limits: dict[str, int], channels: str, search_seconds: float, verify: bool
) -> Row:
    """Return cycles, resources, seconds and the verdict of a design within limits.

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
        dsp=limits.get("built_dsp", target().total.dsps),
        time_limit=search_seconds,
        space=ports_of(graph, channels),
        budget=so.Budget(**limits, device=target(), fit=FITS.get(channels, "raw-device")),
    )
    seconds = process_time() - started
    found = so.evaluate(graph, solution.schedule, target())
    used = found.resources.total
    row = {
        "ours": found.trace.cycles,
        "milliseconds": f"{found.claim.routed_milliseconds + 1e-6 * found.call_ns:.3f}",
        "proved_gap": so.record(solution)["gap"],
        "ports": sum(len(memory.channels) for memory in found.network.memories),
        "dsps": used.dsps,
        "lut": used.luts,
        "bram18": used.bram18,
        "uram": used.uram,
        "seconds": f"{seconds:.1f}",
        "verified": "no",
    }
    if verify:
        row["verified"] = "pass" if solution.verify().passed else "fail"
    return {name: str(value) for name, value in row.items()}
