"""Initiation intervals that pipelines are expected to have, which they ask the vendor's tool for.

A tool that misses one then says so, and one that is asked for no less doesn't search for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import TargetError
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.target.device import device_names, find_device
from streamopt.transforms.lower import lower

if TYPE_CHECKING:
    from streamopt.ir.scheduled import ScheduledGraph
    from streamopt.target.device import Target

__all__ = ["expected_intervals", "intervals_on_part"]


def expected_intervals(scheduled: ScheduledGraph, on: Target) -> tuple[tuple[str, int], ...]:
    """Return pairs (node, cycles between two iterations of its nest).

    Raises
    ------
    TargetError
        E857 for a memory channel that the target doesn't have.
    """
    timings = pipeline_timings(lower(scheduled), on)
    return tuple((n.node.name, timings[n.node.name].ii) for n in scheduled.nodes)


def intervals_on_part(
    scheduled: ScheduledGraph, part: str, clock_ns: float
) -> tuple[tuple[str, int], ...]:
    """Return the intervals on the device with a part, or on the usual one.

    None for a clock or a memory channel that the device doesn't have.
    """
    known = {device.part: device for device in map(find_device, device_names())}
    try:
        return expected_intervals(scheduled, known.get(part, find_device()).at(clock_ns))
    except TargetError:
        return ()
