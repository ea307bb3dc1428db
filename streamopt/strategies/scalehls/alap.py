"""When the steps of a body run: as late as possible, with the ports of memory banks ([1] V-E1).

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.strategies.scalehls.partition import array_partition, bank_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.element import ElementType
    from streamopt.ir.network import Operator
    from streamopt.strategies.scalehls.body import Body, Step
    from streamopt.strategies.scalehls.partition import DimensionPartition
    from streamopt.target.device import Target

__all__ = ["LOAD_CYCLES", "PORTS", "STORE_CYCLES", "Latencies", "Timetable", "timetable"]

LOAD_CYCLES = 2
STORE_CYCLES = 1
PORTS = 2
"""Reads or writes of one bank in a cycle: a true dual-port memory."""


class Latencies:
    """Cycles of operators on a target: those of its table and one for the result, as theirs."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._known: dict[tuple[Operator, ElementType], int] = {}

    def __call__(self, step: Step) -> int:
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
class Timetable:
    """A schedule of one iteration of a body.

    Attributes
    ----------
    begins
        Cycle in which each step begins.
    cycles
        Of the iteration.
    most_accesses
        Of one bank in an iteration.
    """

    begins: tuple[int, ...]
    cycles: int
    most_accesses: int


def timetable(body: Body, latency: Latencies) -> Timetable:
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
    return Timetable(begins, cycles, banks.most_accesses())


class _Banks:
    """Which ports of which banks are taken, in cycles before the end."""

    def __init__(self, body: Body) -> None:
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


def _numbered_banks(body: Body) -> dict[int, tuple[str, int]]:
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
