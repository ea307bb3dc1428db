"""The QoR estimator of [1] V-E1: latency and DSPs of a pipelined band, from its unrolled body.

With B cycles in an iteration, N iterations and an initiation interval of II, a band takes
``B + II (N - 1) + 2`` cycles, and ``ceil(n / II)`` units for n operations of a kind. The interval
is at least

- ``ceil(accesses / ports)`` of the bank that has most accesses;
- ``ceil((end of a store - begin of a load) / distance)`` of each dependence between iterations.

The steps of a body run as late as possible, with the ports of memory banks.

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.element import ElementType
from streamopt.ir.operators import Operator
from streamopt.strategies.scalehls.band import Band
from streamopt.strategies.scalehls.body import unrolled_body
from streamopt.strategies.scalehls.partition import DimensionPartition, array_partition, bank_of
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.strategies.scalehls.body import BodyStep, UnrolledBody

LOOP_CYCLES = 2
"""To enter and to leave a loop."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Cycles and DSPs of a band with its tiles unrolled, for any initiation interval."""

    iterations: int
    """Of the flattened tile loops."""
    iteration_cycles: int
    """From the begin of an iteration to its end."""
    least_ii: int
    units: tuple[tuple[int, int], ...]
    """Pairs (operations in an iteration, DSPs of one unit), one for each kind of operation."""

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
    """Return the estimate of a band with some tile sizes."""
    body = unrolled_body(band, tiles)
    times = timetable(body, latency)
    iterations = prod(loop.trip_count // tiles[loop.name] for loop in band.loops)
    intervals = (1, -(-times.most_accesses // PORTS), _dependence_ii(body, times))
    return Quality(iterations, times.cycles, max(intervals), _units(body.steps, target))


def _dependence_ii(body: UnrolledBody, times: BodyTimetable) -> int:
    spans = (
        (times.begins[c.store] + STORE_CYCLES - times.begins[c.load], c.distance)
        for c in body.carried
    )
    return max((-(-cycles // distance) for cycles, distance in spans), default=1)


def _units(steps: Iterable[BodyStep], target: Target) -> tuple[tuple[int, int], ...]:
    kinds = Counter(step.does for step in steps)
    costs = {does: target.operator(*does).dsps for does in kinds if does is not None}
    return tuple(sorted((kinds[does], dsps) for does, dsps in costs.items() if dsps))


LOAD_CYCLES = 2
STORE_CYCLES = 1
PORTS = 2
"""Reads or writes of one bank in a cycle: a true dual-port memory."""


class Latencies:
    """Cycles of operators on a target: those of its table and one for the result, as theirs."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._known: dict[tuple[Operator, ElementType], int] = {}

    def __call__(self, step: BodyStep) -> int:
        """Return how long a step takes."""
        if step.touch is not None:
            return STORE_CYCLES if step.touch.is_store else LOAD_CYCLES
        if step.does is None:
            return 0
        if step.does not in self._known:
            registers = self._target.operator(*step.does).latency_cycles
            self._known[step.does] = registers + 1 if registers else 0
        return self._known[step.does]


@dataclass(frozen=True, slots=True)
class BodyTimetable:
    """A schedule of one iteration of a body."""

    begins: tuple[int, ...]
    """Cycle in which each step begins."""
    cycles: int
    """Of the iteration."""
    most_accesses: int
    """Of one bank in an iteration."""


def timetable(body: UnrolledBody, latency: Latencies) -> BodyTimetable:
    """Return when each step runs: as late as its users and the ports of its bank let it.

    Where it isn't known which bank an access goes to, the array has the ports of one bank.
    """
    banks = _Banks(body)
    before_end = [0] * len(body.steps)
    for number in range(len(body.steps) - 1, -1, -1):
        step = body.steps[number]
        begin = banks.latest(number, before_end[number] + latency(step))
        for operand in step.operands:
            before_end[operand] = max(before_end[operand], begin)
        before_end[number] = begin
    cycles = max(before_end, default=0)
    begins = tuple(cycles - begin for begin in before_end)
    return BodyTimetable(begins, cycles, banks.most_accesses())


class _Banks:
    """Which ports of which banks are taken, in cycles before the end."""

    def __init__(self, body: UnrolledBody) -> None:
        self._bank = _numbered_banks(body)
        self._taken: Counter[tuple[str, int, int]] = Counter()

    def latest(self, step: int, begin: int) -> int:
        """Return when a step begins, in cycles before the end, and take its port."""
        if step not in self._bank:
            return begin
        array, bank = self._bank[step]
        while self._taken[array, bank, begin] >= PORTS:
            begin += 1
        self._taken[array, bank, begin] += 1
        return begin

    def most_accesses(self) -> int:
        """Return the accesses of the bank that has most of them."""
        return max(Counter(self._bank.values()).values(), default=0)


def _numbered_banks(body: UnrolledBody) -> dict[int, tuple[str, int]]:
    found: dict[int, tuple[str, int]] = {}
    partitions: Mapping[str, Sequence[DimensionPartition]] = {
        array: array_partition(addresses) for array, addresses in body.touches().items()
    }
    unknown: set[str] = set()
    for number, step in enumerate(body.steps):
        if step.touch is not None:
            array = step.touch.array
            bank = bank_of(step.touch.address, partitions[array])
            if bank is None:
                unknown.add(array)
            found[number] = array, bank or 0
    return {n: (array, 0 if array in unknown else bank) for n, (array, bank) in found.items()}
