"""A schedule as hardware on a target: simulated and predicted cycles, resources, clock risks."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from streamopt.evaluation.headline import Headline, headline, region_facts
from streamopt.evaluation.region_usage import RegionUsage, region_usage
from streamopt.evaluation.time_claim import TimeClaim, time_claim
from streamopt.evaluation.verilog_facts import BuiltPipelines, built_pipelines
from streamopt.evaluation.visit_lengths import with_visit_lengths
from streamopt.ir.graph import Graph
from streamopt.ir.network import Network, PipelineTiming
from streamopt.ir.schedule import Prediction, Schedule
from streamopt.ir.text import html_table
from streamopt.perf.as_built.closed_form import predict
from streamopt.perf.pipelines.clock import ClockRisk, clock_risks
from streamopt.perf.pipelines.timings import TimedPipeline, timed_pipelines
from streamopt.perf.resources.network import NetworkResources, launch_cycles, resources
from streamopt.sim import Trace, simulate
from streamopt.sim.in_turn.hazards import check_hazards
from streamopt.target.device import Target
from streamopt.target.resources import Resources
from streamopt.transforms.apply import apply
from streamopt.work import TUNING as WORK
from streamopt.work import spend

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """A design on a target, as built.

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
    slrs: Mapping[str, int] = field(default_factory=dict[str, int])
    """Super logic region by node, by number; empty where that isn't said."""
    is_buildable: bool = True
    """False where operators are those of our own Verilog, which can't be made of it."""
    cells: Mapping[str, Resources] = field(default_factory=dict[str, Resources])
    """By process of our own Verilog; nothing for the vendor's tool."""

    @property
    def over(self) -> tuple[str, ...]:
        """Return the names of the resources of which it takes more than the device has."""
        return self.resources.total.over(self.target.total)

    @property
    def claim(self) -> TimeClaim:
        """Return the time that is claimed for it."""
        is_at_risk = bool(self.clock_risks)
        return time_claim(
            self.trace.cycles, self.resources.total, self.target, is_at_risk=is_at_risk
        )

    @property
    def headline(self) -> Headline:
        """Return cycles, milliseconds and shares of a region."""
        apart = self.resources.arguments
        launch = launch_cycles(self.network)
        told = headline(self.claim, self.resources.total, self.target, apart, launch, self.call_ns)
        if (usage := self.regions) is None:
            return told
        return replace(told, regions=region_facts(usage, self.target.floorplan))

    @property
    def regions(self) -> RegionUsage | None:
        """Return the resources of each region, and wires between them; None if that isn't said."""
        count = self.target.slrs
        if not self.slrs or max(self.slrs.values()) >= count:
            return None
        return region_usage(self.network, self.resources, self.slrs, count)

    @property
    def call_ns(self) -> float:
        """Return the time of a host's call beyond the cycles; 0 where no array is in its memory."""
        is_kernel = any(memory.channels for memory in self.network.memories)
        return self.target.call_ns if is_kernel else 0.0

    def __repr__(self) -> str:
        """Return the headline on one line; its parts print themselves."""
        return f"<Evaluation {self.network.name} on {self.target.name}: {self.headline}>"

    def _repr_html_(self) -> str:
        """Show the headline and the resources of every process in a notebook."""
        header = ("process", "DSPs", "BRAM18", "URAM", "LUTs", "FFs")
        parts = {**self.resources.processes, "in all": self.resources.total}
        rows = (
            (name, used.dsps, used.bram18, used.uram, used.luts, used.ffs)
            for name, used in parts.items()
        )
        return html_table(f"{self.network.name}: {self.headline}", header, rows)

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


@dataclass(frozen=True, slots=True)
class Simulated:
    """How a design is simulated: see `streamopt.sim.simulate`."""

    frames: int = 1
    flushable: bool = False
    samples: int = 0


ONE_FRAME = Simulated()


def evaluated(
    graph: Graph,
    schedule: Schedule,
    target: Target,
    simulated: Simulated = ONE_FRAME,
    *,
    checks_hazards: bool = True,
) -> Evaluation:
    """Return a schedule as built, with its prediction.

    Parameters
    ----------
    checks_hazards
        See `evaluated_network`.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph.
    DeadlockError
        If the design comes to a standstill at the schedule's FIFO depths.
    """
    scheduled = apply(graph, with_visit_lengths(graph, schedule, target))
    built = built_pipelines(scheduled, target)
    found = _judged(built, target, simulated, checks_hazards=checks_hazards)
    dsps = {name: amount.dsps for name, amount in found.resources.pipelines.items()}
    predicted = predict(scheduled, built.network, built.timings, dsps)
    return replace(found, predicted=predicted, slrs=dict(schedule.slrs))


def evaluated_network(
    network: Network,
    target: Target,
    simulated: Simulated = ONE_FRAME,
    *,
    shares_in_turn: bool = False,
    checks_hazards: bool = True,
) -> Evaluation:
    """Return a network as built.

    Parameters
    ----------
    shares_in_turn
        See `streamopt.perf.resources.network.resources`.
    checks_hazards
        Whether accesses of pipelines that take turns are looked at element by element, which takes
        a second where there are many.

    Raises
    ------
    DeadlockError
        If it comes to a standstill.
    SimulationError
        If iterations of a sequential node would disturb each other (E811, E813, E814).
    """
    return _judged(
        BuiltPipelines(network, timed_pipelines(network, target)),
        target,
        simulated,
        shares_in_turn=shares_in_turn,
        checks_hazards=checks_hazards,
    )


def _judged(
    built: BuiltPipelines,
    target: Target,
    simulated: Simulated,
    *,
    shares_in_turn: bool = False,
    checks_hazards: bool = True,
) -> Evaluation:
    network, timings = built.network, built.timings
    spend(WORK.designs.process * len(network.processes))
    logger.info("simulating %s: %d processes", network.name, len(network.processes))
    if checks_hazards and any(process.turns for process in network.processes):
        refuse_hazards(network, timings)
    return Evaluation(
        network=network,
        target=target,
        timed=built.timed,
        trace=simulate(
            network,
            timings,
            frames=simulated.frames,
            flushable=simulated.flushable,
            samples=simulated.samples,
        ),
        resources=resources(
            network, timings, target, cells=built.cells, shares_in_turn=shares_in_turn
        ),
        clock_risks=clock_risks(network, timings, target),
        is_buildable=built.is_buildable,
        cells=built.cells,
    )


def refuse_hazards(network: Network, timings: Mapping[str, PipelineTiming]) -> None:
    """Raise E811, E813 or E814 if iterations that take turns would disturb each other."""
    found = check_hazards(network, timings)
    logger.info(
        "no hazards in %s: %d of %d iterations in all lanes, %d in some",
        network.name,
        found.checked_iterations,
        found.iterations,
        found.sampled_iterations,
    )


def timed_network(
    graph: Graph, schedule: Schedule, target: Target
) -> tuple[Network, dict[str, PipelineTiming]]:
    """Return the hardware of a schedule, and how its pipelines run on a target."""
    built = _pipelines(graph, schedule, target)
    return built.network, built.timings


def _pipelines(graph: Graph, schedule: Schedule, target: Target) -> BuiltPipelines:
    return built_pipelines(apply(graph, with_visit_lengths(graph, schedule, target)), target)


def built_resources(graph: Graph, schedule: Schedule, target: Target) -> Resources:
    """Return the resources of a target that the hardware of a schedule takes, all operators."""
    built = _pipelines(graph, schedule, target)
    return resources(built.network, built.timings, target, cells=built.cells).total
