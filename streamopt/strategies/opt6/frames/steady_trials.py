"""Schedules of variants as designs whose buffers let frames follow each other: (I7) to (I10)."""

from collections.abc import Mapping
from dataclasses import replace

from streamopt.evaluation.frames import FrameRun, frame_run, slowest_cycles
from streamopt.ir.schedule import Schedule
from streamopt.perf.resources.network import NetworkResources
from streamopt.space.assemble import evaluate, interval_cycles, least_luts
from streamopt.strategies.clocks import SearchClock
from streamopt.strategies.opt6.frames.buffered_channels import with_buffers
from streamopt.strategies.opt6.frames.built_nodes import built_amounts
from streamopt.strategies.opt6.frames.steady_design import SteadyDesign, lacks_memory
from streamopt.strategies.opt6.graph_variant import GraphVariant
from streamopt.strategies.opt6.simulated_design import SimulatedDesign, built_with, judged
from streamopt.strategies.refinement.frame_buffers import (
    CLOSE,
    deepened,
    shallow,
    unstretched,
    with_depths,
)
from streamopt.strategies.refinement.weight_places import placed_weights
from streamopt.strategies.resources.budgeted import Chosen

MOST_BUFFERED = 4
"""Times that FIFOs of a design become buffers as LUTs are still short."""


class SteadyTrials:
    """Designs that were simulated for several frames, and the best of them.

    Parameters
    ----------
    sizes_fifos
        Whether FIFOs get the slots that are in use.
    """

    def __init__(self, clock: SearchClock, *, sizes_fifos: bool) -> None:
        self._clock, self._sizes_fifos = clock, sizes_fifos
        self.best: SteadyDesign | None = None
        self.count = 0

    def is_best(self, tried: SteadyDesign) -> bool:
        """Keep a design if it is better than all before, and return whether it is."""
        is_better = self.best is None or tried.rank < self.best.rank
        self.best = tried if is_better else self.best
        return is_better

    def is_vain(self, cycles: int) -> bool:
        """Return whether no design whose frames are so far apart, or more, is better."""
        return self.best is not None and self.best.is_no_worse(cycles)

    def simulated(self, variant: GraphVariant, schedule: Schedule) -> SteadyDesign:
        """Return a schedule as a design whose buffers let frames follow each other."""
        self.count += 1
        graph, region, costs = variant.graph, variant.region, variant.problem.space.costs
        cycles = interval_cycles(graph, schedule, costs)
        chosen = Chosen(
            schedule,
            cycles,
            evaluate(graph, schedule, costs).dsps,
            least_luts(graph, schedule, costs),
        )
        schedule, on = variant.bounded(schedule), region.on
        frames = frame_run(graph, schedule, on)
        if frames.interval_cycles > (1 + CLOSE) * cycles:
            schedule = deepened(graph, unstretched(graph, schedule, cycles, on))
            frames = frame_run(graph, schedule, on)
        return self._with_buffers(self._built(variant, chosen, schedule, frames))

    def _with_buffers(self, found: SteadyDesign) -> SteadyDesign:
        """Return a design with buffers in place of FIFOs where LUTs alone are short (I10)."""
        variant, best = found.variant, found
        graph, region = variant.graph, variant.region
        for _ in range(MOST_BUFFERED):
            is_short = best.design.used.over(region.limits) == ("luts",)
            if not is_short or self.is_vain(best.frames.interval_cycles):
                break
            design = best.design.evaluation, self._resources(best.design, best.frames)
            schedule = with_buffers(graph, best.deep, design, region.limits)
            if schedule == best.deep:
                break
            schedule = deepened(graph, schedule)
            frames = frame_run(graph, schedule, region.on)
            tried = self._built(variant, best.design.chosen, schedule, frames)
            if tried.rank >= best.rank:
                break
            best = tried
        return best

    def _built(
        self, variant: GraphVariant, chosen: Chosen, schedule: Schedule, frames: FrameRun
    ) -> SteadyDesign:
        """Return the design of a schedule that was simulated; FIFOs are less deep if need be."""
        deep = {c.channel: c.depth_elems for c in schedule.channels if c.depth_elems}
        simulated, is_vain = (schedule, frames), self.is_vain(frames.interval_cycles)
        is_small, placed = is_vain or not self._sizes_fifos, self._placed(variant, simulated)
        if not is_small and any(port.again for port in placed.ports):
            simulated, is_small = self._with_few_slots(variant, simulated), True
            placed = self._placed(variant, simulated)
        design, frames = self._judged(variant, chosen, simulated, placed, deep)
        if not is_small and lacks_memory(design, variant.region.limits):
            simulated = self._with_few_slots(variant, simulated)
            placed = self._placed(variant, simulated)
            design, frames = self._judged(variant, chosen, simulated, placed, deep)
        used = self._resources(design, frames)
        built = built_amounts(variant.graph, design.evaluation.network, used)
        cycles = frames.interval_cycles
        return SteadyDesign(design, cycles, variant, built, schedule, frames)

    def _placed(self, variant: GraphVariant, simulated: tuple[Schedule, FrameRun]) -> Schedule:
        """Return a schedule with the slots in use, and places of weights beside these."""
        (schedule, frames), region = simulated, variant.region
        small = with_depths(schedule, frames.slots) if self._sizes_fifos else schedule
        return placed_weights(variant.graph, small, region.on, region.limits)

    def _with_few_slots(
        self, variant: GraphVariant, simulated: tuple[Schedule, FrameRun]
    ) -> tuple[Schedule, FrameRun]:
        """Return a schedule with few slots that leave frames as close, and these frames."""
        (schedule, frames), on = simulated, variant.region.on
        slots, graph, apart = with_depths(schedule, frames.slots), variant.graph, frames
        small = shallow(graph, slots, apart.interval_cycles, on, self._clock.is_over)
        self._go_on()
        return small, frame_run(graph, small, on)

    def _go_on(self) -> None:
        """Raise SearchStoppedError if the time is up and there is a design within the limits."""
        if self.best is not None and self.best.design.is_within:
            self._clock.check()

    def _resources(self, design: SimulatedDesign, frames: FrameRun) -> NetworkResources:
        """Return the resources of a design whose FIFOs have the slots in use."""
        depths: Mapping[str, int] = frames.slots if self._sizes_fifos else {}
        return built_with(design.evaluation, depths)

    def _judged(
        self,
        variant: GraphVariant,
        chosen: Chosen,
        simulated: tuple[Schedule, FrameRun],
        placed: Schedule,
        deep: Mapping[str, int],
    ) -> tuple[SimulatedDesign, FrameRun]:
        """Return a design with places of weights whose FIFOs have the slots in use, and its frames.

        Parameters
        ----------
        placed
            The schedule with places of weights.
        deep
            Depths of FIFOs that limit nothing, with which it is simulated unless it has fewer slots
            than are ever in use: others change no time. Where weights come late, frames are as far
            apart as the slowest process alone takes, as such a simulation takes long.
        """
        graph, (schedule, frames), region = variant.graph, simulated, variant.region
        roomy = with_depths(placed, deep)
        has_few = any((c.depth_elems or 0) < deep.get(c.channel, 0) for c in schedule.channels)
        own = placed if has_few else roomy
        if len(placed.channels) > len(schedule.channels):  # weights come as streams
            least = slowest_cycles(graph, own, region.on)
            is_late = least > (1 + CLOSE) * chosen.cycles
            own = roomy if is_late else own
            found = None if is_late else frame_run(graph, own, region.on)
            frames = found or replace(frames, interval_cycles=least)
        depths = frames.slots if self._sizes_fifos else None
        chosen = replace(chosen, schedule=own)
        design = judged(graph, variant.names, chosen, region, sizes_fifos=False, depths=depths)
        built = with_depths(design.built, depths or {})
        return replace(design, built=built, chosen=replace(chosen, schedule=built)), frames
