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
) -> tuple[Network, dict[str, TimedPipeline], bool]:
    """Return the network, timing and reasons of each pipeline by name, and if it can be built.

    With our own operators it is the schedule that the Verilog has, with visits of phases that last
    as long as it needs. A design that Verilog can't be made of has the least that this takes, and
    can't be built.

    Parameters
    ----------
    network
        The scheduled graph's own.
    """
    timed = timed_pipelines(network, target)
    if not target.is_open:
        return network, timed, True
    from streamopt.rtl.kernel.making import timed_network

    try:
        built, made = timed_network(scheduled)
    except CodegenError:
        return network, timed, False
    found = {name: _made(one, made[name]) for name, one in timed.items() if name in made}
    processes = tuple(
        replace(own, turns=other.turns)
        for own, other in zip(network.processes, built.processes, strict=True)
    )
    return replace(network, processes=processes), found, True


def _made(expected: TimedPipeline, timing: PipelineTiming) -> TimedPipeline:
    """Return how a pipeline runs, with the reasons that hold for its interval."""
    return replace(
        expected,
        timing=timing,
        bounds=tuple(bound for bound in expected.bounds if bound.ii <= timing.ii),
    )
