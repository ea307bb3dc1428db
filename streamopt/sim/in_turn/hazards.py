"""Hazards: whether every read of a memory finds what the order of iterations means it to find.

Iterations of pipelines that take turns overlap. Memory inside their process holds the right values
only if, as far as two of them touch the same element, it looks as if one had ended before the next
began. Two that are further apart than an iteration is long can't disturb each other, so that any
stretch of iterations is checked alone: element by element, with the cycles of all its accesses.

Where that is too much work, all iterations are checked in a few of their lanes, whose elements they
share with each other; and some stretches in all lanes. Stretches lie at equal distances, with the
first and the last iterations among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, SimulationError
from streamopt.ir.network import (
    AccessMode,
    Memory,
    Network,
    Pipeline,
    PipelineTiming,
    Place,
    Process,
    Turns,
)
from streamopt.sim.in_turn.touches import LanePort, port_touches
from streamopt.sim.in_turn.visits import Issued, issued, iterations_in_turn
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Ints = NDArray[np.int64]

MOST_ACCESSES = 4_000_000
"""Accesses that are checked: less than a second."""
CHUNK_ACCESSES = 2_000_000
"""Accesses that are looked at together; bounds the memory that a check takes."""
STRETCHES = 8
PORTS = 2
"""Accesses to a bank in a cycle: block RAM has two ports."""
_WHERE_THEY_ARE = (Place.ARGUMENT, Place.RESIDENT, Place.PING_PONG)
"""Places of arrays that pipelines in turn may touch without a copy inside."""


@dataclass(frozen=True, slots=True)
class HazardCheck:
    """Work of a check that found nothing."""

    iterations: int = 0
    """Of all pipelines that take turns, bubbles included."""
    checked_iterations: int = 0
    """Those among them that were checked in all lanes."""
    sampled_iterations: int = 0
    """Those that were checked in some lanes at least."""

    @property
    def is_complete(self) -> bool:
        """Return whether nothing was left out."""
        return self.checked_iterations == self.iterations

    def __add__(self, other: HazardCheck) -> HazardCheck:
        """Return both checks together."""
        return HazardCheck(
            self.iterations + other.iterations,
            self.checked_iterations + other.checked_iterations,
            self.sampled_iterations + other.sampled_iterations,
        )


def check_hazards(
    network: Network,
    timings: Mapping[str, PipelineTiming],
    most_accesses: int = MOST_ACCESSES,
) -> HazardCheck:
    """Check the memories that pipelines in turn touch, inside their processes and outside.

    Raises
    ------
    SimulationError
        If a read comes before the value that it is meant to find, or after the next one (E811), a
        bank has more accesses in a cycle than ports (E813), or an access leaves its memory (E814).
    """
    found = HazardCheck()
    for process in network.processes:
        for turns in process.turns:
            found += _Check(network, process, turns, timings).run(most_accesses)
    return found


class _Check:
    """The check of pipelines that take turns.

    Attributes
    ----------
    ports
        Of all its pipelines, each pipeline's in program order.
    cycles
        By port, see `PipelineTiming.port_cycles`.
    """

    def __init__(
        self,
        network: Network,
        process: Process,
        turns: Turns,
        timings: Mapping[str, PipelineTiming],
    ) -> None:
        names = turns.pipelines
        self.turns = turns
        self.pipelines = {p.name: p for p in process.pipelines if p.name in names}
        touched = {port.target for own in self.pipelines.values() for port in own.ports}
        self.memories = {
            m.name: m
            for m in network.memories
            if m.place is Place.LOCAL or (m.name in touched and m.place in _WHERE_THEY_ARE)
        }
        self.ii = max(turns.ii, *(timings[name].ii for name in names))
        self.depth_cycles = max(timings[name].depth_cycles for name in names)
        self.ports: list[LanePort] = []
        self.cycles: list[int] = []
        for pipeline in self.pipelines.values():
            for position, port in enumerate(pipeline.ports):
                if port.target in self.memories:
                    self.ports.append(LanePort.of(pipeline, port))
                    self.cycles.append(_cycle(pipeline, timings[pipeline.name], position))

    def run(self, most_accesses: int) -> HazardCheck:
        """Check as much as is affordable."""
        total = iterations_in_turn(self.turns)
        if self._cost(self.ports) * total <= most_accesses:
            self._check_stretches(self.ports, total, total)
            return HazardCheck(total, total, total)
        some = [port.in_few_lanes() for port in self.ports]
        counts: list[int] = []
        for ports in (some, self.ports):
            affordable = most_accesses // 2 // self._cost(ports)
            counts.append(self._check_stretches(ports, total, min(total, affordable)))
        return HazardCheck(total, counts[1], max(counts))

    def _cost(self, ports: Sequence[LanePort]) -> int:
        """Return the accesses of an iteration at most."""
        of = dict.fromkeys(self.pipelines, 1)
        for port in ports:
            of[port.pipeline.name] += port.copies
        return max(of.values())

    def _check_stretches(self, ports: Sequence[LanePort], total: int, affordable: int) -> int:
        """Check so many iterations, each with those that overlap it; return how many it were."""
        reach = -(-max(self.depth_cycles, *self.cycles) // self.ii)
        spend(WORK.designs.access * affordable * self._cost(ports))
        long = max(1, CHUNK_ACCESSES // self._cost(ports))
        if affordable >= total:
            starts, size = np.arange(0, total, long), long
        else:
            size = max(1, affordable // STRETCHES)
            starts = np.linspace(0, total - size, STRETCHES).astype(np.int64)
        for start in starts.tolist():
            self._check_window(ports, start, min(total, start + size + reach))
        return min(total, size * starts.size)

    def _check_window(self, ports: Sequence[LanePort], start: int, end: int) -> None:
        found = list(issued(self.turns, np.array([start, end])))
        keys: dict[str, list[Ints]] = {}
        for number, port in enumerate(ports):
            memory = self.memories[port.port.target]
            layout = _Layout.of(memory, len(ports), end - start)
            for some in found:
                if some.turn.pipeline == port.pipeline.name and some.numbers.size:
                    elements, numbers = port_touches(port, some, memory)
                    if elements.size:
                        key = layout.key(elements, numbers - start, number)
                        keys.setdefault(memory.name, []).append(key)
        for name, some_keys in keys.items():
            layout = _Layout.of(self.memories[name], len(ports), end - start)
            accesses = self._accesses(layout, np.concatenate(some_keys))
            self._check_order(name, accesses, found, start)
            self._check_ports(name, accesses)

    def _accesses(self, layout: _Layout, keys: Ints) -> _Accesses:
        keys.sort()
        elements, iterations, ports = layout.parts(keys)
        writes = np.array([port.port.mode is AccessMode.WRITE for port in self.ports])
        cycles = iterations * self.ii + np.array(self.cycles)[ports]
        return _Accesses(elements, iterations, ports, cycles, writes[ports])

    def _check_order(
        self, memory: str, accesses: _Accesses, found: list[Issued], start: int
    ) -> None:
        late = accesses.disturbed()
        if late is None:
            return
        first, second = late
        what = np.unravel_index(int(accesses.elements[second]), self.memories[memory].shape)
        element = memory + "".join(f"[{at}]" for at in what)
        told = [self._told(accesses, at, found, start) for at in (first, second)]
        missing = int(accesses.cycles[first] - accesses.cycles[second])
        missing += int(bool(accesses.is_write[second]))
        raise SimulationError(
            Diagnostic(
                "E811",
                f"{told[1]} {_DOES[bool(accesses.is_write[second])]} {element} {missing} cycles "
                f"before {told[0]} has {_HAS_DONE[bool(accesses.is_write[first])]} it",
                hint="let visits of the first last longer (least_cycles)",
            )
        )

    def _told(self, accesses: _Accesses, at: int, found: list[Issued], start: int) -> str:
        """Return a pipeline and its iteration, for people."""
        number = int(accesses.iterations[at]) + start
        name = self.ports[int(accesses.ports[at])].pipeline.name
        for some in found:
            if some.turn.pipeline == name and (some.numbers == number).any():
                place = int(np.flatnonzero(some.numbers == number)[0])
                where = (f"{k} = {int(v[place])}" for k, v in some.points.values.items())
                return f"{name} at {', '.join(where)}"
        return name

    def _check_ports(self, name: str, accesses: _Accesses) -> None:
        memory = self.memories[name]
        if memory.factors == memory.shape or memory.tool_splits:
            return
        shift = int(np.prod(memory.shape))
        # A write is found in the cycle after the one in which it holds a port.
        slots = (accesses.cycles - accesses.is_write) // self.ii
        slots -= slots.min()
        slotted = (slots * 2 + accesses.is_write) * shift + accesses.elements
        touched, _ = np.unique(slotted, return_counts=True)  # by sorting: hashing is slow
        places = np.unravel_index(touched % shift, memory.shape)
        banks = np.ravel_multi_index(
            [place % factor for place, factor in zip(places, memory.factors, strict=True)],
            memory.factors,
        )
        asked, counts = np.unique(touched // (2 * shift) * memory.banks + banks, return_counts=True)
        most = int(counts.max())
        if most > PORTS * self.ii:
            bank = np.unravel_index(int(asked[counts.argmax()]) % memory.banks, memory.factors)
            part = "".join(f"[{at}]" for at in bank)
            raise SimulationError(
                Diagnostic(
                    "E813",
                    f"{self.turns.name} accesses {most} elements of bank {part} of {name} in "
                    f"{self.ii} cycles, and it has {PORTS} ports",
                    hint="give it more banks or a longer initiation interval",
                )
            )


_DOES = {False: "reads", True: "writes"}
_HAS_DONE = {False: "read", True: "written"}


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the parts of an access are in its key: element, iteration, then port."""

    iteration_bits: int
    port_bits: int

    @staticmethod
    def of(memory: Memory, ports: int, iterations: int) -> _Layout:
        found = _Layout(iterations.bit_length(), ports.bit_length())
        bits = sum(extent.bit_length() for extent in memory.shape)
        assert bits + found.iteration_bits + found.port_bits < 63, memory
        return found

    def key(self, elements: Ints, iterations: Ints, port: int) -> Ints:
        place = (elements << self.iteration_bits) + iterations
        return (place << self.port_bits) + port

    def parts(self, keys: Ints) -> tuple[Ints, Ints, Ints]:
        ports = keys & ((1 << self.port_bits) - 1)
        places = keys >> self.port_bits
        return places >> self.iteration_bits, places & ((1 << self.iteration_bits) - 1), ports


@dataclass(frozen=True, slots=True, eq=False)
class _Accesses:
    """Accesses to one memory, those of an element together, in the order in which they count."""

    elements: Ints
    iterations: Ints
    ports: Ints
    cycles: Ints
    """In which a read takes the element, and in which a read first finds what is written."""
    is_write: NDArray[np.bool_]

    def disturbed(self) -> tuple[int, int] | None:
        """Return an access and a later one of the same element that comes too soon, if any."""
        found: tuple[int, int] | None = None
        for pairs in (self._after_writes(), self._before_writes()):
            for first, second in pairs:
                if found is None or self.iterations[second] < self.iterations[found[1]]:
                    found = (first, second)
        return found

    def _after_writes(self) -> Iterator[tuple[int, int]]:
        """Yield the first access that doesn't find, or overtakes, the write before it."""
        places = np.arange(self.elements.size)
        last = np.maximum.accumulate(np.where(self.is_write, places, -1))
        last = np.concatenate([[-1], last[:-1]])
        has = (last >= 0) & (self.elements[last] == self.elements)
        yield from self._worst(has & (self.cycles < self.cycles[last] + self.is_write), last)

    def _before_writes(self) -> Iterator[tuple[int, int]]:
        """Yield the first write that is found by a read before it."""
        places = np.arange(self.elements.size)
        size = places.size
        following = np.where(self.is_write, places, size)
        following = np.minimum.accumulate(following[::-1])[::-1]
        following = np.concatenate([following[1:], [size]])
        has = (following < size) & ~self.is_write
        at = np.where(has, following, 0)
        has &= self.elements[at] == self.elements
        bad = np.flatnonzero(has & (self.cycles[at] <= self.cycles))
        if bad.size:
            first = int(bad[np.argmin(self.iterations[at[bad]])])
            yield first, int(at[first])

    def _worst(self, bad: NDArray[np.bool_], before: Ints) -> Iterator[tuple[int, int]]:
        places = np.flatnonzero(bad)
        if places.size:
            second = int(places[np.argmin(self.iterations[places])])
            yield int(before[second]), second


def _cycle(pipeline: Pipeline, timing: PipelineTiming, position: int) -> int:
    """Return the cycle of an iteration in which a port acts."""
    if timing.port_cycles:
        return timing.port_cycles[position]
    is_read = pipeline.ports[position].mode is AccessMode.READ
    return 0 if is_read else timing.depth_cycles
