"""What a schedule is worth in hardware: honest cycles, simulated cycles, resources, FIFO depths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from streamopt.frontends.published_design import PublishedDesign
    from streamopt.ir.graph import Graph
    from streamopt.ir.network import Network, PipelineTiming
    from streamopt.ir.prediction import Prediction
    from streamopt.ir.schedule import Schedule
    from streamopt.perf.clock import ClockRisk
    from streamopt.perf.pipeline import TimedPipeline
    from streamopt.perf.resources import NetworkResources
    from streamopt.sim import Trace
    from streamopt.sim.depths import DepthPlan
    from streamopt.target.device import Target

__all__ = ["Evaluation", "evaluate", "load_design", "simulate", "size_fifos", "target"]

DEVICE = "u280"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A schedule on a target, under the honest rules.

    Attributes
    ----------
    timed
        II and depth of every pipeline, with the reason of each II.
    predicted
        The closed form; its latency is in cycles, its DSPs are those of all operators.
    trace
        The simulation, which knows nothing of the closed form.
    """

    network: Network
    target: Target
    timed: Mapping[str, TimedPipeline]
    predicted: Prediction
    trace: Trace
    resources: NetworkResources
    clock_risks: tuple[ClockRisk, ...]

    @property
    def over(self) -> tuple[str, ...]:
        """Return the names of the resources of which it takes more than the device has."""
        return self.resources.total.over(self.target.total)


def target(name: str = DEVICE, clock_ns: float | None = None) -> Target:
    """Return a device by name, or by the path of a TOML file.

    Parameters
    ----------
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


def evaluate(
    graph: Graph,
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
    on
        The target; the U280 at its usual clock where not given.
    frames, flushable, samples
        See `streamopt.sim.simulate`.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph.
    DeadlockError
        If the design comes to a standstill at the schedule's FIFO depths.
    """
    from streamopt.perf.clock import clock_risks
    from streamopt.perf.closed_form import predict
    from streamopt.perf.pipeline import timed_pipelines
    from streamopt.perf.resources import resources
    from streamopt.sim import simulate as run
    from streamopt.transforms.apply import apply
    from streamopt.transforms.lower import lower

    device = target() if on is None else on
    scheduled = apply(graph, schedule)
    network = lower(scheduled)
    timed = timed_pipelines(network, device)
    timings = {name: found.timing for name, found in timed.items()}
    trace = run(network, timings, frames=frames, flushable=flushable, samples=samples)
    used = resources(network, timings, device)
    dsps = {name: amount.dsps for name, amount in used.pipelines.items()}
    return Evaluation(
        network=network,
        target=device,
        timed=timed,
        predicted=predict(scheduled, network, timings, dsps),
        trace=trace,
        resources=used,
        clock_risks=clock_risks(network, timings, device),
    )


def size_fifos(
    graph: Graph,
    schedule: Schedule,
    on: Target | None = None,
    *,
    slack: float = 0.0,
    on_progress: Callable[[int, int], None] | None = None,
) -> tuple[Schedule, DepthPlan]:
    """Return the schedule with the least FIFO depths that keep its simulated latency.

    Parameters
    ----------
    slack
        Share of the latency that may be given up for smaller FIFOs; 0.05 for 5 %.
    on_progress
        Called with (trials made, trials at most).

    Raises
    ------
    DeadlockError
        If the design comes to a standstill at the schedule's own depths.
    """
    from streamopt.sim.depths import least_depths
    from streamopt.transforms.apply import apply
    from streamopt.transforms.lower import lower

    network = lower(apply(graph, schedule))
    timings = _timings(network, target() if on is None else on)
    plan = least_depths(network, timings, slack=slack, on_progress=on_progress)
    channels = tuple(
        replace(channel, depth_elems=plan.depths.get(channel.channel, channel.depth_elems))
        for channel in schedule.channels
    )
    return replace(schedule, channels=channels), plan


def load_design(path: str | PathLike[str]) -> PublishedDesign:
    """Return a published design: what a tool built, and what was measured of it.

    Raises
    ------
    FrontendError
        If the file is not one.
    """
    from streamopt.frontends.published_design import load_published_design

    return load_published_design(Path(path))


def simulate(
    network: Network,
    on: Target | None = None,
    *,
    frames: int = 1,
    flushable: bool = False,
    samples: int = 0,
) -> Trace:
    """Return what a network does, with II and depth by the rules for a target.

    Raises
    ------
    DeadlockError
        If it comes to a standstill.
    """
    from streamopt.perf.single_trips import dissolved
    from streamopt.sim import simulate as run

    built = dissolved(network)
    timings = _timings(built, target() if on is None else on)
    return run(built, timings, frames=frames, flushable=flushable, samples=samples)


def _timings(network: Network, device: Target) -> dict[str, PipelineTiming]:
    from streamopt.perf.pipeline import pipeline_timings

    return pipeline_timings(network, device)
