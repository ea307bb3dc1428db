"""A chosen schedule as a design: simulated, with FIFOs as deep as it needs."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from streamopt.evaluation.design import Evaluation, evaluated
from streamopt.evaluation.fifo_sizing import safe_depths
from streamopt.evaluation.region_usage import region_usage
from streamopt.ir.graph import Graph
from streamopt.ir.network import LEAST_DEPTH_ELEMS
from streamopt.ir.schedule import ChannelKind, Schedule
from streamopt.perf.resources.network import NetworkResources
from streamopt.solvers.result import Proof
from streamopt.strategies.opt6.memory_choice import with_other_blocks
from streamopt.strategies.refinement.frame_buffers import with_depths
from streamopt.strategies.refinement.weight_places import placed_weights
from streamopt.strategies.regions.placing import in_regions, region_share
from streamopt.strategies.resources.budgeted import Chosen
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution
from streamopt.target.device import Target
from streamopt.target.resources import Fit, Resources

NOT_BUILDABLE = 1e6
"""Excess of a design that our own Verilog can't be made of: more than any other has."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a device, with the resources that a design may take of it."""

    on: Target
    limits: Resources
    fit: Fit
    each: tuple[Resources, ...] = ()
    """The limits of every super logic region, of a part of several; empty where that isn't told."""

    @property
    def most_of_node(self) -> tuple[int, ...]:
        """Return the most DSPs and LUTs of one node, which stays in one region."""
        if not self.each:
            return ()
        return tuple(max(getattr(most, name) for most in self.each) for name in ("dsps", "luts"))


@dataclass(frozen=True, slots=True)
class SimulatedDesign:
    """A schedule that was simulated."""

    rewrites: tuple[str, ...]
    """That make the variant that the schedule is of."""
    chosen: Chosen
    """As the search has it: without places of weights."""
    evaluation: Evaluation
    used: Resources
    """With the fewest slots of FIFOs that never hold anything back, where FIFOs are sized."""
    excess: float
    """The largest share of a limit that it takes, of the part or of a region of it."""
    built: Schedule
    """The chosen schedule, with places of weights and streams of those off the chip; with its
    regions and the relays between them, if it has any."""
    counted: Resources
    """Its resources, but all of a limit and more where a region is over its own."""
    each: tuple[Resources, ...] = ()
    """Its resources by region; empty where that isn't told."""

    @property
    def cycles(self) -> int:
        """Return the simulated cycles."""
        return self.evaluation.trace.cycles

    @property
    def predicted_cycles(self) -> int:
        """Return the closed form of the design."""
        predicted = self.evaluation.predicted
        assert predicted is not None
        return predicted.latency_cycles

    @property
    def is_within(self) -> bool:
        """Return whether it keeps all limits."""
        return self.excess <= 1.0

    @property
    def rank(self) -> tuple[float, int]:
        """Return the key to minimize: the excess over limits, then cycles (O14)."""
        return max(1.0, self.excess), self.cycles

    def with_safe_fifos(
        self, limits: Resources, each: tuple[Resources, ...] = ()
    ) -> "SimulatedDesign":
        """Return it with FIFOs that also suffice where pipelines hold no tokens.

        As these are sized at the end: with the fewest runs first, with all where that is too much.

        Parameters
        ----------
        each
            Limits of every region, of a part of several.
        """
        on, found = self.evaluation, self
        least = slots_in_use(on)
        for most_runs in (0, None):
            safe = safe_depths(on, least, most_runs)
            if safe == least:
                return self
            built = built_with(on, safe)
            used, share = built.total, 0.0
            if each:
                usage = region_usage(on.network, built, dict(self.built.slrs), len(each))
                share = region_share(usage, each, on.target.floorplan)
            counted = replace(used, dsps=max(used.dsps, self.chosen.dsps))
            found = replace(self, used=used, excess=max(share, _excess(counted, limits)))
            if found.is_within:
                break
        return found

    def solution(self, run: Run) -> Solution:
        """Return it as a solution of which nothing is proved."""
        predicted = self.evaluation.predicted
        assert predicted is not None
        return Solution(
            problem=run.problem,
            schedule=replace(self.built, rewrites=self.rewrites),
            prediction=predicted,
            bound=0,
            proof=Proof.FEASIBLE,
            stop=run.stop,
            solver=self.chosen.solver,
            solver_version=self.chosen.solver_version,
            seed=run.options.seed,
            solve_seconds=run.clock.seconds(),
        )


def judged(
    graph: Graph,
    rewrites: tuple[str, ...],
    chosen: Chosen,
    region: Region,
    *,
    sizes_fifos: bool,
    is_rough: bool = True,
    depths: Mapping[str, int] | None = None,
) -> SimulatedDesign:
    """Return a schedule of a variant as a design.

    Parameters
    ----------
    sizes_fifos
        Whether FIFOs count with the slots that are in use in one frame.
    depths
        Of FIFOs, with which these count.
    is_rough
        Whether a partition that was found quickly does, where the design is in several regions.
    """

    def depths_of(of: Evaluation) -> Mapping[str, int]:
        if depths is not None:
            return {**_own_depths(of), **depths}
        return slots_in_use(of) if sizes_fifos else _own_depths(of)

    def counts(of: Evaluation) -> NetworkResources:
        return built_with(of, depths_of(of))

    def evaluation_of(schedule: Schedule) -> Evaluation:
        return evaluated(graph, schedule, region.on, checks_hazards=False)

    fifos = [c.channel for c in chosen.schedule.channels if c.kind is ChannelKind.FIFO]
    least = dict.fromkeys(fifos, LEAST_DEPTH_ELEMS) if sizes_fifos else {}
    schedule = _placed_beside(graph, chosen.schedule, least | {**(depths or {})}, region)
    evaluation = evaluation_of(schedule)
    if sizes_fifos and counts(evaluation).total.bram18 > region.limits.bram18:
        again = _placed_beside(graph, chosen.schedule, depths_of(evaluation), region)
        if again != schedule:
            schedule, evaluation = again, evaluation_of(again)
    used, limits = counts(evaluation).total, region.limits
    if used.bram18 > limits.bram18:
        own = depths_of(evaluation)
        schedule, evaluation = with_other_blocks(schedule, evaluation, own, used, limits)
        used = counts(evaluation).total
    design = SimulatedDesign(rewrites, chosen, evaluation, used, 0.0, schedule, used)
    if region.each:
        found = in_regions(graph, schedule, evaluation, region.each, counts, is_rough=is_rough)
        used = counts(found.evaluation).total
        design = replace(
            design,
            evaluation=found.evaluation,
            used=used,
            excess=found.share,
            built=found.schedule,
            counted=found.as_parts(used, limits),
            each=found.usage.amounts,
        )
    most = replace(used, dsps=max(used.dsps, chosen.dsps))
    if not evaluation.is_buildable:
        return replace(design, excess=NOT_BUILDABLE)
    return replace(design, excess=max(design.excess, _excess(most, limits)))


def _placed_beside(
    graph: Graph, schedule: Schedule, fifos: Mapping[str, int], region: Region
) -> Schedule:
    """Return a schedule with places of weights beside FIFOs of some depths, and its own ones."""
    own = {c.channel: c.depth_elems for c in schedule.channels if c.kind is ChannelKind.FIFO}
    small = with_depths(schedule, {name: fifos.get(name, depth) for name, depth in own.items()})
    return with_depths(placed_weights(graph, small, region.on, region.limits), own)


def _excess(used: Resources, limits: Resources) -> float:
    names = (field.name for field in fields(limits))
    return max(getattr(used, name) / max(1, getattr(limits, name)) for name in names)


def _own_depths(evaluation: Evaluation) -> dict[str, int]:
    return {fifo.name: fifo.depth_elems for fifo in evaluation.network.fifos}


def slots_in_use(evaluation: Evaluation) -> dict[str, int]:
    """Return the slots of FIFOs that are ever in use together.

    Depths that are found later are no larger, but where pipelines must hold no tokens:
    `SimulatedDesign.with_safe_fifos`.
    """
    peaks = {fifo.name: fifo.peak_elems for fifo in evaluation.trace.fifos}
    return {
        fifo.name: min(fifo.depth_elems, max(LEAST_DEPTH_ELEMS, peaks[fifo.name]))
        for fifo in evaluation.network.fifos
    }


def built_with(evaluation: Evaluation, depths: Mapping[str, int]) -> NetworkResources:
    """Return the resources of a design with other depths of FIFOs; others keep theirs."""
    from streamopt.perf.resources.network import resources

    network = evaluation.network
    fifos = tuple(
        replace(fifo, depth_elems=depths.get(fifo.name, fifo.depth_elems)) for fifo in network.fifos
    )
    timings = {name: timed.timing for name, timed in evaluation.timed.items()}
    network = replace(network, fifos=fifos)
    return resources(network, timings, evaluation.target, cells=evaluation.cells)
