"""What a schedule is worth in hardware: honest cycles, simulated cycles, resources, FIFO depths."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SimulationError
from streamopt.pipeline.options import checked
from streamopt.pipeline.reading import dataflow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from streamopt.frontends.published_design import PublishedDesign
    from streamopt.ir.graph import Graph
    from streamopt.ir.network import Network, PipelineTiming
    from streamopt.ir.prediction import Prediction
    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule
    from streamopt.perf.clock import ClockRisk
    from streamopt.perf.pipeline import TimedPipeline
    from streamopt.perf.resources import NetworkResources
    from streamopt.sim import Trace
    from streamopt.sim.depths import DepthPlan
    from streamopt.target.device import Target
    from streamopt.target.resources import Resources

__all__ = [
    "LEAST_FIFOS",
    "Evaluation",
    "FifoSizing",
    "built_resources",
    "evaluate",
    "evaluate_network",
    "frame_interval_cycles",
    "load_design",
    "simulate",
    "size_fifos",
    "target",
    "timed_network",
]

logger = logging.getLogger(__name__)

DEVICE = "u280"
FRAMES = 3
"""As many as it takes until a ping-pong buffer is written for the second time."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A design on a target, under the honest rules.

    Attributes
    ----------
    timed
        II and depth of every pipeline, with the reason of each II.
    trace
        The simulation, which knows nothing of the closed form.
    predicted
        The closed form; its latency is in cycles, its DSPs are those of all operators. None for a
        design that was not made from a schedule.
    """

    network: Network
    target: Target
    timed: Mapping[str, TimedPipeline]
    trace: Trace
    resources: NetworkResources
    clock_risks: tuple[ClockRisk, ...]
    predicted: Prediction | None = None

    @property
    def over(self) -> tuple[str, ...]:
        """Return the names of the resources of which it takes more than the device has."""
        return self.resources.total.over(self.target.total)

    def predicted_spans(self) -> dict[str, tuple[int, int, int]]:
        """Return start, first and last write of every process by the closed form, in cycles."""
        nodes = () if self.predicted is None else self.predicted.nodes
        times = {n.node: (n.start_cycles, n.first_write_cycles, n.last_write_cycles) for n in nodes}
        found: dict[str, tuple[int, int, int]] = {}
        for process in self.network.processes:
            spans = [times[p.name] for p in process.pipelines if p.name in times]
            if spans:
                starts, firsts, lasts = zip(*spans, strict=True)
                found[process.name] = (min(starts), min(firsts), max(lasts))
        return found


@checked()
def target(name: str = DEVICE, clock_ns: float | None = None) -> Target:
    """Return a device by name, or by the path of a TOML file.

    Parameters
    ----------
    name
        ``u280``, ``u250``, ``vu9p``, ``zu3eg``, ``xc7z020``, or the path of a TOML file.
    clock_ns
        Clock period; None for the device's usual one.

    Raises
    ------
    TargetError
        If there is no such device, or the file is not one.
    """
    from streamopt.target.device import Target

    if name.endswith(".toml"):
        return Target.load(Path(name), clock_ns)
    return Target.named(name, clock_ns)


@checked()
def evaluate(
    graph: Graph | Program | str | PathLike[str],
    schedule: Schedule,
    on: Target | None = None,
    *,
    frames: int = 1,
    flushable: bool = False,
    samples: int = 0,
) -> Evaluation:
    """Return what a schedule really takes: cycles by two independent ways, and resources.

    Parameters
    ----------
    graph
        A graph, a program, or the path of what `streamopt.load` reads.
    schedule
        From `solve`, `load_schedule` or by hand.
    on
        The target; the U280 at its usual clock where not given.
    frames
        Runs one after another.
    flushable
        Whether an empty input leaves pipelines running.
    samples
        Moments at which the trace says how full each FIFO is.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph.
    DeadlockError
        If the design comes to a standstill at the schedule's FIFO depths.
    """
    from streamopt.perf.closed_form import predict
    from streamopt.transforms.apply import apply
    from streamopt.transforms.lower import lower

    scheduled = apply(dataflow(graph), schedule)
    found = _evaluated(lower(scheduled), on, Run(frames, flushable, samples))
    timings = {name: timed.timing for name, timed in found.timed.items()}
    dsps = {name: amount.dsps for name, amount in found.resources.pipelines.items()}
    return replace(found, predicted=predict(scheduled, found.network, timings, dsps))


@checked()
def simulate(
    graph: Graph | Program | str | PathLike[str],
    schedule: Schedule,
    on: Target | None = None,
    *,
    frames: int = 1,
    flushable: bool = False,
    samples: int = 0,
) -> Trace:
    """Return a schedule's run, cycle by cycle: the trace of `evaluate`, and nothing else.

    Parameters
    ----------
    graph
        A graph, a program, or the path of what `streamopt.load` reads.
    schedule
        From `solve`, `load_schedule` or by hand.
    on
        The target; the U280 at its usual clock where not given.
    frames
        Runs one after another.
    flushable
        Whether an empty input leaves pipelines running.
    samples
        Moments at which the trace says how full each FIFO is.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph.
    DeadlockError
        If the design comes to a standstill at the schedule's FIFO depths.
    """
    from streamopt.sim import simulate as run_network

    network, timings = timed_network(dataflow(graph), schedule, on)
    return run_network(network, timings, frames=frames, flushable=flushable, samples=samples)


def timed_network(
    graph: Graph, schedule: Schedule, on: Target | None
) -> tuple[Network, dict[str, PipelineTiming]]:
    """Return the hardware of a schedule, and how its pipelines run on a target."""
    from streamopt.perf.pipeline import pipeline_timings
    from streamopt.transforms.apply import apply
    from streamopt.transforms.lower import lower

    network = lower(apply(graph, schedule))
    return network, pipeline_timings(network, target() if on is None else on)


def built_resources(graph: Graph, schedule: Schedule, on: Target | None) -> Resources:
    """Return what the hardware of a schedule takes of a target, all operators counted."""
    from streamopt.perf.resources import resources

    device = target() if on is None else on
    return resources(*timed_network(graph, schedule, device), device).total


@checked()
def evaluate_network(
    network: Network,
    on: Target | None = None,
    *,
    frames: int = 1,
    flushable: bool = False,
    samples: int = 0,
) -> Evaluation:
    """Return what a network takes, for instance that of a published design.

    Innermost loops of one iteration are dissolved first, as the vendor's tool does.

    Parameters
    ----------
    network
        Of `load_design`, for instance.
    on
        The target; the U280 at its usual clock where not given.
    frames
        Runs one after another.
    flushable
        Whether an empty input leaves pipelines running.
    samples
        Moments at which the trace says how full each FIFO is.

    Raises
    ------
    DeadlockError
        If it comes to a standstill.
    """
    from streamopt.perf.single_trips import dissolved

    return _evaluated(dissolved(network), on, Run(frames, flushable, samples))


def frame_interval_cycles(found: Evaluation) -> int:
    """Return the cycles between frames that follow each other as closely as they can, simulated.

    Raises
    ------
    DeadlockError
        If the second or third frame comes to a standstill.
    """
    from streamopt.sim import simulate as run_network

    timings = {name: timed.timing for name, timed in found.timed.items()}
    trace = run_network(found.network, timings, frames=FRAMES)
    assert trace.interval_cycles is not None  # there is more than one frame
    return trace.interval_cycles


@dataclass(frozen=True, slots=True)
class Run:
    """How to simulate; see `streamopt.sim.simulate`."""

    frames: int
    flushable: bool
    samples: int


def _evaluated(network: Network, on: Target | None, run: Run) -> Evaluation:
    from streamopt.perf.clock import clock_risks
    from streamopt.perf.pipeline import timed_pipelines
    from streamopt.perf.resources import resources
    from streamopt.sim import simulate as run_network

    device = target() if on is None else on
    timed = timed_pipelines(network, device)
    timings = {name: found.timing for name, found in timed.items()}
    logger.info("simulating %s: %d processes", network.name, len(network.processes))
    return Evaluation(
        network=network,
        target=device,
        timed=timed,
        trace=run_network(
            network, timings, frames=run.frames, flushable=run.flushable, samples=run.samples
        ),
        resources=resources(network, timings, device),
        clock_risks=clock_risks(network, timings, device),
    )


@dataclass(frozen=True, slots=True)
class FifoSizing:
    """How FIFO depths are found: the least that keep the simulated latency.

    Attributes
    ----------
    slack
        Share of the latency that may be given up for smaller FIFOs; 0.05 for 5 %.
    on
        The target that is simulated; the U280 where not given.
    on_progress
        Called with (trials made, trials at most).
    should_stop
        Asked before each trial; true keeps the depths so far. None for never.
    """

    slack: float = 0.0
    on: Target | None = None
    on_progress: Callable[[int, int], None] | None = None
    should_stop: Callable[[], bool] | None = None


LEAST_FIFOS = FifoSizing()


def never() -> bool:
    """Return False: who asks goes on."""
    return False


@checked()
def size_fifos(
    graph: Graph | Program | str | PathLike[str],
    schedule: Schedule,
    sizing: FifoSizing = LEAST_FIFOS,
) -> tuple[Schedule, DepthPlan]:
    """Return the schedule with small FIFOs, and what they save.

    Parameters
    ----------
    graph
        A graph, a program, or the path of what `streamopt.load` reads.
    schedule
        Whose depths are found anew.
    sizing
        The latency to give up, and the target.

    Raises
    ------
    SimulationError
        E812 if the slack is no share.
    DeadlockError
        If the design comes to a standstill at the schedule's own depths.
    """
    from streamopt.sim.depths import least_depths

    if not 0.0 <= sizing.slack < float("inf"):
        message = f"a latency slack of {sizing.slack} is not a share of the latency"
        raise SimulationError(Diagnostic("E812", message, hint="0.05 gives up 5 % of it"))
    network, timings = timed_network(dataflow(graph), schedule, sizing.on)
    plan = least_depths(
        network,
        timings,
        slack=sizing.slack,
        on_progress=sizing.on_progress,
        should_stop=sizing.should_stop or never,
    )
    channels = tuple(
        replace(channel, depth_elems=plan.depths.get(channel.channel, channel.depth_elems))
        for channel in schedule.channels
    )
    return replace(schedule, channels=channels), plan


@checked()
def load_design(path: str | PathLike[str]) -> PublishedDesign:
    """Return a published design: what a tool built, and what was measured of it.

    Parameters
    ----------
    path
        Of a design file, as in ``results/rtl_accuracy``.

    Raises
    ------
    FrontendError
        If the file is not one.
    """
    from streamopt.frontends.published_design import load_published_design

    return load_published_design(Path(path))
