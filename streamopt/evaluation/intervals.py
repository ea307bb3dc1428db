"""The intervals that the vendor's tools are asked for, and the SLR that a kernel fits into.

A tool that misses an interval then says so, and one that is asked for no less doesn't search for
it. The linker spreads a kernel over SLRs unless it is told one (AMD UG1393, "Assigning Compute
Units to SLRs").
"""

from streamopt.errors import TargetError
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.target.device import Target, device_of_part, target_of_part
from streamopt.transforms.lower import lower


def expected_intervals(scheduled: ScheduledGraph, on: Target) -> tuple[tuple[str, int], ...]:
    """Return pairs (node, cycles between two iterations of its nest).

    Raises
    ------
    TargetError
        E857 for a memory channel that the target doesn't have.
    """
    timings = pipeline_timings(lower(scheduled), on)
    return tuple((n.node.name, timings[n.node.name].ii) for n in scheduled.nodes)


def slr_on_part(scheduled: ScheduledGraph, part: str, clock_ns: float) -> str:
    """Return the SLR that a kernel fits into, next to its memory channels.

    Empty for one that has to be spread, and for a part, clock or channel that isn't known.
    """
    if slrs := {slr for _, slr in scheduled.schedule.slrs}:
        return f"SLR{min(slrs)}" if len(slrs) == 1 and scheduled.schedule.ports else ""
    known = device_of_part(part)
    channels = [name for plan in scheduled.schedule.ports for name in plan.channels]
    if known is None or not scheduled.schedule.ports:
        return ""
    try:
        on, network = known.at(clock_ns), lower(scheduled)
        used = resources(network, pipeline_timings(network, on), on).total
    except TargetError:
        return ""
    return on.floorplan.place_of(used, channels)


def intervals_on_part(
    scheduled: ScheduledGraph, part: str, clock_ns: float
) -> tuple[tuple[str, int], ...]:
    """Return the intervals on the device with a part, or on the usual one.

    None for a clock or a memory channel that the device doesn't have.
    """
    try:
        return expected_intervals(scheduled, target_of_part(part, clock_ns))
    except TargetError:
        return ()
