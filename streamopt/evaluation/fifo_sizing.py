"""FIFO depths of a schedule: the least that keep its simulated latency."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from streamopt.errors import Diagnostic, SimulationError
from streamopt.evaluation.design import Evaluation, timed_network
from streamopt.evaluation.visit_lengths import with_visit_lengths
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import Schedule
from streamopt.sim.depths import DepthPlan, depths_without_flight, least_depths
from streamopt.target.device import Target, or_usual


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


def sized(
    graph: Graph, schedule: Schedule, sizing: FifoSizing = LEAST_FIFOS
) -> tuple[Schedule, DepthPlan]:
    """Return the schedule with small FIFOs and lengths of visits, and what the FIFOs save.

    Raises
    ------
    SimulationError
        E812 if the slack is no share.
    DeadlockError
        If the design comes to a standstill at the schedule's own depths.
    """
    if not 0.0 <= sizing.slack < float("inf"):
        message = f"a latency slack of {sizing.slack} is not a share of the latency"
        raise SimulationError(Diagnostic("E812", message, hint="0.05 gives up 5 % of it"))
    on = or_usual(sizing.on)
    schedule = with_visit_lengths(graph, schedule, on)
    network, timings = timed_network(graph, schedule, on)
    plan = least_depths(
        replace(network, passes=1),
        timings,
        slack=sizing.slack,
        on_progress=sizing.on_progress,
        should_stop=sizing.should_stop or (lambda: False),
    )
    channels = tuple(
        replace(channel, depth_elems=plan.depths.get(channel.channel, channel.depth_elems))
        for channel in schedule.channels
    )
    return replace(schedule, channels=channels), plan


def safe_depths(
    of: Evaluation, depths: Mapping[str, int], max_runs: int | None
) -> Mapping[str, int]:
    """Return depths of a design's FIFOs that suffice where pipelines hold no tokens: no smaller.

    Parameters
    ----------
    depths
        That suffice for the design as it is.
    max_runs
        Trials to make them small; None for all.
    """
    timings = {name: timed.timing for name, timed in of.timed.items()}
    return depths_without_flight(replace(of.network, passes=1), timings, depths, max_runs)
