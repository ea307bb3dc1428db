"""The QoR estimator of [1] V-E1: latency and DSPs of a pipelined band, from its unrolled body.

With B cycles in an iteration, N iterations and an initiation interval of II, a band takes
``B + II (N - 1) + 2`` cycles, and ``ceil(n / II)`` units for n operations of a kind. The interval
is at least

- ``ceil(accesses / ports)`` of the bank that has most accesses;
- ``ceil((end of a store - begin of a load) / distance)`` of each dependence between iterations.

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from streamopt.strategies.scalehls.alap import PORTS, STORE_CYCLES, timetable
from streamopt.strategies.scalehls.body import unrolled_body

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamopt.strategies.scalehls.alap import Latencies, Timetable
    from streamopt.strategies.scalehls.band import Band
    from streamopt.strategies.scalehls.body import Body, Step
    from streamopt.target.device import Target

__all__ = ["LOOP_CYCLES", "Quality", "quality"]

LOOP_CYCLES = 2
"""To enter and to leave a loop."""


@dataclass(frozen=True, slots=True)
class Quality:
    """What a band takes with its tiles unrolled, for any initiation interval.

    Attributes
    ----------
    iterations
        Of the flattened tile loops.
    iteration_cycles
        From the begin of an iteration to its end.
    units
        Pairs (operations in an iteration, DSPs of one unit), one for each kind of operation.
    """

    iterations: int
    iteration_cycles: int
    least_ii: int
    units: tuple[tuple[int, int], ...]

    def cycles(self, ii: int) -> int:
        """Return the latency at an initiation interval."""
        return self.iteration_cycles + ii * (self.iterations - 1) + LOOP_CYCLES

    def dsps(self, ii: int) -> int:
        """Return the DSPs at an initiation interval: units are shared by its cycles."""
        return sum(-(-count // ii) * dsps for count, dsps in self.units)

    @property
    def intervals(self) -> range:
        """Return the initiation intervals that make a difference, the least first."""
        last = max(self.iteration_cycles, self.least_ii)
        return range(self.least_ii, last + 1)


def quality(band: Band, tiles: Mapping[str, int], target: Target, latency: Latencies) -> Quality:
    """Return the estimate of a band with some tile sizes.

    A sequential nest is not pipelined across iterations that may depend on each other.
    """
    body = unrolled_body(band, tiles)
    times = timetable(body, latency)
    iterations = prod(loop.trip_count // tiles[loop.name] for loop in band.loops)
    intervals = (1, -(-times.most_accesses // PORTS), _dependence_ii(body, times))
    return Quality(iterations, times.cycles, max(intervals), _units(body.steps, target))


def _dependence_ii(body: Body, times: Timetable) -> int:
    spans = (
        (times.begins[c.store] + STORE_CYCLES - times.begins[c.load], c.distance)
        for c in body.carried
    )
    return max((-(-cycles // distance) for cycles, distance in spans), default=1)


def _units(steps: Iterable[Step], target: Target) -> tuple[tuple[int, int], ...]:
    kinds = Counter(step.does for step in steps)
    costs = {does: target.operator(*does).dsps for does in kinds if does is not None}
    return tuple(sorted((kinds[does], dsps) for does, dsps in costs.items() if dsps))
