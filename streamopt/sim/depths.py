"""FIFO depths that are as small as the latency allows, found by simulation.

With the most slots that were ever in use, everything happens in the same cycles as with endless
FIFOs. Smaller depths hold producers back, which need not be seen at the end: from there each
FIFO in turn, the one with the most bits first, takes the least depth that keeps the latency.
More slots never make a run later, so this depth is found by bisection, above a bound that the
latest possible writes give; and what was the least for one FIFO stays so when others shrink, so
at the end no depth can be lowered alone. A second pass in the opposite order keeps the fewer bits
of the two.

Whether a network comes to a standstill depends on the depths and on the tokens that pipelines hold,
not on cycles: all processes are deterministic and block. So depths are also tried with pipelines
that hold none, and made deeper where they have to be: then they are safe at any speed.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod

from streamopt.ir.network import LEAST_DEPTH_ELEMS, AccessMode, Fifo, Network, PipelineTiming
from streamopt.sim.deadlock import DeadlockError
from streamopt.sim.plan import make_plan
from streamopt.sim.simulate import simulate
from streamopt.sim.timetable import TokenTimetable

MOST_RUNS = 400
PASSES = 3
"""The depths to begin with, and one order after the other."""
WORK = 40_000_000
"""Accesses in all trials together: about half a minute, and the same on every machine."""


@dataclass(frozen=True, slots=True)
class DepthPlan:
    """Depths of all FIFOs and what they cost."""

    depths: Mapping[str, int]
    """Elements that each stream holds, by FIFO."""
    cycles: int
    """Latency with these depths."""
    full_cycles: int
    """Latency with the network's own depths."""
    # bits, full_bits: bits in all FIFOs, with these depths and with the network's own
    bits: int
    full_bits: int
    is_least: bool
    """Whether no depth can be lowered alone; False if the runs ended before."""
    runs: int
    """Trials made."""
    is_interrupted: bool = False
    """Whether Ctrl-C ended the trials."""


def least_depths(
    network: Network,
    timings: Mapping[str, PipelineTiming],
    *,
    slack: float = 0.0,
    max_runs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> DepthPlan:
    """Return small depths that keep the latency.

    Parameters
    ----------
    slack
        Share of the latency that may be given up for fewer bits; 0.05 for 5 %.
    max_runs
        Trials to make at most; by default 400, and fewer where they are long (`WORK`).
    on_progress
        Called with (trials made, trials at most).
    should_stop
        Asked before each trial; true ends them, as Ctrl-C does. Depths that were not lowered yet
        hold all that is ever in them.

    Raises
    ------
    DeadlockError
        If the network comes to a standstill with its own depths.
    SimulationError
        If it can't be run.
    """
    return _DepthSearch(network, timings, slack, max_runs, on_progress, should_stop).plan()


class _DepthSearch:
    """The trials of one network, counted."""

    def __init__(
        self,
        network: Network,
        timings: Mapping[str, PipelineTiming],
        slack: float,
        max_runs: int | None,
        on_progress: Callable[[int, int], None] | None,
        should_stop: Callable[[], bool],
    ) -> None:
        self.network = network
        self.timings = timings
        self.on_progress = on_progress
        self.should_stop = should_stop
        self.runs = 0
        self.full_cycles = simulate(network, timings).cycles
        self.table = TokenTimetable(make_plan(network, timings, {}, flushable=False))
        self.max_runs = _affordable(self.table.accesses) if max_runs is None else max_runs
        self.deadline = self.table.deadline(int(self.full_cycles * (1 + slack)))
        self.bounds = self.table.depth_bounds(self.deadline)
        peaks = self.table.peaks()
        self.start = {
            fifo.name: max(LEAST_DEPTH_ELEMS, min(peaks.get(fifo.name, 0), fifo.depth_elems))
            for fifo in network.fifos
        }

    def plan(self) -> DepthPlan:
        """Return the better of two passes."""
        fifos = sorted(self.network.fifos, key=lambda f: -_bits(f, self.start[f.name]))
        found = [self.start]
        is_interrupted = False
        try:
            found.append(self._pass(fifos))
            found.append(self._pass(fifos[::-1]))
        except KeyboardInterrupt:
            is_interrupted = True
        least = min(found, key=self._bits)
        depths = depths_without_flight(
            self.network, self.timings, least, should_stop=self.should_stop
        )
        cycles = simulate(self.network, self.timings, depths=depths).cycles
        return DepthPlan(
            depths=depths,
            cycles=cycles,
            full_cycles=self.full_cycles,
            bits=self._bits(depths),
            full_bits=sum(_bits(fifo, fifo.depth_elems) for fifo in self.network.fifos),
            is_least=len(found) == PASSES and self._goes_on(),
            runs=self.runs,
            is_interrupted=is_interrupted,
        )

    def _pass(self, fifos: Iterable[Fifo]) -> dict[str, int]:
        depths, times = dict(self.start), self.table.earliest
        for fifo in fifos:
            name = fifo.name
            low = min(depths[name], max(LEAST_DEPTH_ELEMS, self.bounds.get(name, 0)))
            probe = low  # often enough, and then one trial does
            while low < depths[name] and self._goes_on():
                self._count()
                found = self.table.under({**depths, name: probe}, self.deadline, times)
                if found is not None:
                    depths[name], times = probe, found
                else:
                    low = probe + 1
                probe = (low + depths[name]) // 2
        return depths

    def _goes_on(self) -> bool:
        return self.runs < self.max_runs and not self.should_stop()

    def _count(self) -> None:
        self.runs += 1
        if self.on_progress is not None:
            self.on_progress(self.runs, self.max_runs)

    def _bits(self, depths: Mapping[str, int]) -> int:
        return sum(_bits(fifo, depths[fifo.name]) for fifo in self.network.fifos)


def depths_without_flight(
    network: Network,
    timings: Mapping[str, PipelineTiming],
    depths: Mapping[str, int],
    max_runs: int | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Mapping[str, int]:
    """Return depths that suffice even where pipelines hold no tokens.

    The tokens on which a ring of processes hangs may all be inside of a pipeline: a C
    simulation has none, and another clock has shorter ones. Even the network's own depths may
    then be too small; streams that hold all that is ever written to them never are, unless
    the ring has no tokens at all.

    Parameters
    ----------
    depths
        That suffice with the timings, by FIFO: those returned are no smaller.
    max_runs, should_stop
        As for `least_depths`.
    """
    bare = {name: PipelineTiming(timing.ii, 1) for name, timing in timings.items()}
    if bare == timings:
        return depths
    try:
        simulate(network, bare, depths=depths)
    except DeadlockError:
        for tried in (network, with_all_tokens(network)):
            with suppress(DeadlockError):
                plan = least_depths(tried, bare, max_runs=max_runs, should_stop=should_stop)
                needed = plan.depths
                return {name: max(depth, needed[name]) for name, depth in depths.items()}
    return depths


def with_all_tokens(network: Network) -> Network:
    """Return a network whose streams hold as many elements as their producers have iterations."""
    written = {
        port.target: pipeline.iterations
        for pipeline in network.pipelines
        for port in pipeline.ports
        if port.mode is AccessMode.WRITE
    }
    fifos = (
        replace(fifo, depth_elems=max(fifo.depth_elems, written.get(fifo.name, 0)))
        for fifo in network.fifos
    )
    return replace(network, fifos=tuple(fifos))


def _affordable(accesses: int) -> int:
    return min(MOST_RUNS, WORK // max(1, accesses) + 1)


def _bits(fifo: Fifo, depth_elems: int) -> int:
    return fifo.element.bits * prod(fifo.lanes) * depth_elems
