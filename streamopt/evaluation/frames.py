"""How far apart frames follow each other, simulated for as many frames as it takes to see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, prod
from typing import TYPE_CHECKING

from streamopt.evaluation.design import Evaluation, timed_network
from streamopt.ir.graph import Graph
from streamopt.ir.network import LEAST_DEPTH_ELEMS, Network, PipelineTiming
from streamopt.ir.schedule import Schedule
from streamopt.target.device import Target
from streamopt.transforms.apply import planned_graph
from streamopt.transforms.rewrites.balance_paths import levels

if TYPE_CHECKING:
    from streamopt.sim import Trace

LEAST_FRAMES = 3
"""As many as it takes until a ping-pong buffer is written for the second time."""
MOST_FRAMES = 12
STEADY = 0.003
"""Share by which the last frames may be further apart than the slowest node takes for one; else
more are simulated."""
MOST_ACCESSES = 1 << 27
"""Of streams in all frames, beyond those that are simulated at first: a gigabyte of times."""
WORK = 1_000_000
"""Iterations of all nodes in all frames: about a second of simulation."""


@dataclass(frozen=True, slots=True)
class FrameRun:
    """Frames of a design, simulated until their distance is seen."""

    interval_cycles: int
    slots: Mapping[str, int]
    """By FIFO, those that are ever in use together."""


def skips(graph: Graph, schedule: Schedule) -> list[tuple[int, str]]:
    """Return the channels past longer paths, with the levels that they pass, the most first."""
    planned = planned_graph(graph, schedule)
    level = levels(planned)
    spans = ((level[e.producer] - level[e.consumer], e.channel) for e in planned.edges)
    return sorted((pair for pair in spans if pair[0] > 1), key=lambda pair: (-pair[0], pair[1]))


def frames_to_run(graph: Graph, schedule: Schedule) -> int:
    """Return after how many frames buffers on the shorter of two paths have filled.

    Three where no path is shorter, and where more would take long.
    """
    longest = max((span for span, _ in skips(graph, schedule)), default=0)
    plans = {plan.node: plan for plan in schedule.nodes}
    work = sum(
        node.iterations // prod(plans[node.name].factors.values())
        for node in planned_graph(graph, schedule).nodes
    )
    wanted = min(2 * longest + 2, MOST_FRAMES, WORK // max(1, work))
    return max(LEAST_FRAMES, wanted)


def simulated_frames(
    graph: Graph,
    schedule: Schedule,
    device: Target,
    frames: int | None = None,
    most_turns: float = inf,
) -> Trace:
    """Return the simulation of some frames; of as many as it takes to see their distance.

    Nodes that all run as long as a frame lag behind each other more and more at first.

    Parameters
    ----------
    most_turns
        See `streamopt.sim.simulate`.
    """
    from streamopt.sim import simulate

    network, timings = timed_network(graph, schedule, device)
    count = frames or frames_to_run(graph, schedule)
    trace = simulate(network, timings, frames=count, most_turns=most_turns)
    busy = (cycles + timing.depth_cycles for timing, cycles in _paces(network, timings))
    longest = (1 + STEADY) * max(busy, default=0)
    most = min(MOST_FRAMES, MOST_ACCESSES // max(1, trace.accesses))
    if not frames and count < most and _last_distance_cycles(trace) > longest:
        trace = simulate(network, timings, frames=most, most_turns=most_turns)
    return trace


def slowest_cycles(graph: Graph, schedule: Schedule, device: Target) -> int:
    """Return how long the slowest process takes for a frame: none are closer."""
    network, timings = timed_network(graph, schedule, device)
    return max((cycles for _, cycles in _paces(network, timings)), default=0)


def _paces(
    network: Network, timings: Mapping[str, PipelineTiming]
) -> Iterator[tuple[PipelineTiming, int]]:
    """Yield how pipelines run, and the cycles between a frame and the next where none waits."""
    for pipeline in network.pipelines:
        if (timing := timings.get(pipeline.name)) is not None:
            yield timing, timing.ii * pipeline.iterations


def frame_run(graph: Graph, schedule: Schedule, device: Target) -> FrameRun:
    """Return the distance of frames of a schedule, and the slots of FIFOs that these use."""
    trace = simulated_frames(graph, schedule, device)
    slots = {fifo.name: max(LEAST_DEPTH_ELEMS, fifo.peak_elems) for fifo in trace.fifos}
    return FrameRun(steady_interval_cycles(trace), slots)


def frame_interval_cycles(found: Evaluation) -> int:
    """Return the cycles between frames that follow each other as closely as they can, simulated.

    Raises
    ------
    DeadlockError
        If the second or third frame comes to a standstill.
    """
    from streamopt.sim import simulate

    timings = {name: timed.timing for name, timed in found.timed.items()}
    trace = simulate(found.network, timings, frames=LEAST_FRAMES)
    assert trace.interval_cycles is not None  # there is more than one frame
    return trace.interval_cycles


def steady_interval_cycles(trace: Trace) -> int:
    """Return the mean distance of the later half of the frames, of two at least, rounded up."""
    ends = frame_ends(trace)
    late = min(trace.frames - 1, max(2, trace.frames // 2))
    return -(-(ends[-1] - ends[-1 - late]) // late)


def frame_ends(trace: Trace) -> list[int]:
    """Return the cycles at which frames end."""
    return [max(each) for each in zip(*(p.ends for p in trace.processes), strict=True)]


def _last_distance_cycles(trace: Trace) -> int:
    *_, before, last = frame_ends(trace)
    return last - before
