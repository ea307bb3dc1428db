"""How the pipelines of a schedule run: as the vendor's tool makes them, or as our own Verilog."""

from __future__ import annotations

from dataclasses import replace

from streamopt.errors import CodegenError
from streamopt.ir.network import Network, PipelineTiming
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.perf.pipelines.timings import TimedPipeline, timed_pipelines
from streamopt.target.device import Target


def built_timings(
    scheduled: ScheduledGraph, network: Network, target: Target
) -> tuple[dict[str, TimedPipeline], bool]:
    """Return timing and reasons of each pipeline by name, and whether it can be built.

    With our own operators it is the schedule that the Verilog has. A design that Verilog can't be
    made of has the least that this takes, and can't be built.

    Parameters
    ----------
    network
        The scheduled graph's own.
    """
    timed = timed_pipelines(network, target)
    if not target.is_open:
        return timed, True
    made = verilog_timings(scheduled)
    if made is None:
        return timed, False
    return {name: _made(one, made[name]) for name, one in timed.items() if name in made}, True


def verilog_timings(scheduled: ScheduledGraph) -> dict[str, PipelineTiming] | None:
    """Return the timing of each pipeline in our own Verilog; None where it can't be built."""
    from streamopt.rtl.kernel.making import kernel_timings

    try:
        return kernel_timings(scheduled)
    except CodegenError:
        return None


def _made(expected: TimedPipeline, timing: PipelineTiming) -> TimedPipeline:
    """Return how a pipeline runs, with the reasons that hold for its interval."""
    return replace(
        expected,
        timing=timing,
        bounds=tuple(bound for bound in expected.bounds if bound.ii <= timing.ii),
    )
