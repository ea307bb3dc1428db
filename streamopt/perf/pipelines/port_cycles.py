"""The cycles of an iteration in which pipelines that take turns read and write their memories.

Where an earlier iteration's value is waited for, nothing else delays: an operator takes its
latency, a block of memory `ROUND_TRIP_CYCLES` and registers one, as in the recurrences of one
pipeline (`streamopt.perf.pipelines.recurrence`). A value is read as late as what it is needed for
allows. A bank has few ports, so all reads of a memory stand at one place in an iteration whichever
pipeline's turn it is, and so do all writes; registers have as many as needed. A pipeline may begin
some cycles later than others, so that its reads of a memory meet theirs.

What an iteration reads after it may have written it, it reads when that is there; ports of such
a memory stand where they would by themselves.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from streamopt.analysis.phase_reads import may_meet
from streamopt.ir.network import AccessMode, Memory, Operation, Pipeline, Place, Port
from streamopt.perf.pipelines.depth import levels
from streamopt.perf.pipelines.operation_graph import built_operations
from streamopt.perf.pipelines.recurrence import ROUND_TRIP_CYCLES
from streamopt.target.device import Target

_READ_CYCLES = 1
_WRITE_CYCLES = ROUND_TRIP_CYCLES - _READ_CYCLES


def is_registers(memory: Memory) -> bool:
    """Return whether a memory has a bank for each of its elements, inside of a process."""
    is_split = all(f >= n for f, n in zip(memory.factors, memory.shape, strict=True))
    return memory.place is Place.LOCAL and is_split


def port_cycles(
    pipelines: Sequence[Pipeline], memories: Mapping[str, Memory], ii: int, target: Target
) -> tuple[tuple[int, ...], ...]:
    """Return the cycles of all ports of pipelines that take turns, by pipeline.

    A value that is written in cycle ``w`` of an iteration that starts at ``t`` is there for a read
    in cycle ``r`` of one that starts at ``u`` if ``u + r >= t + w``.

    Parameters
    ----------
    ii
        Over which an iteration spreads its accesses.
    """
    own = [_Iteration(pipeline, memories, target).ports() for pipeline in pipelines]
    apart = {one.target for ports in own for one in ports if one.waits}
    own = [[replace(o, is_shared=o.is_shared and o.target not in apart) for o in p] for p in own]
    delays = _delays(own)
    read, written = _meeting_places(own, delays)

    def cycle(one: _PortTime, delay: int) -> int:
        spread = 0 if one.is_read and not one.waits else ii - 1
        if not one.is_shared:
            return one.cycle + delay + spread
        return (read if one.is_read else written)[one.target] + one.rank + spread

    return tuple(
        tuple(cycle(one, delay) for one in ports) for ports, delay in zip(own, delays, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _PortTime:
    """When a port acts, in its own pipeline's time."""

    target: str
    is_read: bool
    cycle: int
    """The latest of a read, the earliest of a write."""
    rank: int = 0
    """Earlier writes of the same iteration, one after another, that may be to the same element."""
    is_shared: bool = True
    """Whether it acts where others of its memory do."""
    waits: bool = False
    """Whether it reads what its iteration may have written."""


_Times = tuple[dict[str, int], dict[str, int]]


def _meeting_places(pipelines: Sequence[Sequence[_PortTime]], delays: Sequence[int]) -> _Times:
    """Return when each memory is read and written, by name."""
    read: dict[str, int] = {}
    written: dict[str, int] = {}
    for ports, delay in zip(pipelines, delays, strict=True):
        for one in ports:
            at = one.cycle - one.rank + delay
            if one.is_shared and one.is_read:
                read[one.target] = min(at, read.get(one.target, at))
            elif one.is_shared:
                written[one.target] = max(at, written.get(one.target, at))
    return read, written


def _delays(pipelines: Sequence[Sequence[_PortTime]]) -> list[int]:
    """Return by how much later each pipeline begins, so that what it updates is soon there.

    A read that others' reads of the memory hold up is met by them where that shortens the way
    around through one pipeline and memory, of all pipelines together.
    """
    found = [0] * len(pipelines)
    while True:
        moves = [found, *_moves(pipelines, found)]
        best = min(moves, key=lambda delays: _around_cycles(pipelines, delays))
        if best == found:
            least = min(found, default=0)
            return [delay - least for delay in found]
        found = best


def _moves(pipelines: Sequence[Sequence[_PortTime]], delays: list[int]) -> Iterator[list[int]]:
    """Yield delays with which a memory is read when the last of its pipelines would."""
    reads: dict[str, dict[int, int]] = defaultdict(dict)
    for place, ports in enumerate(pipelines):
        for one in ports:
            if one.is_shared and one.is_read:
                known = reads[one.target].get(place, one.cycle)
                reads[one.target][place] = min(known, one.cycle)
    for by_place in reads.values():
        latest = max(cycle + delays[place] for place, cycle in by_place.items())
        moved = list(delays)
        for place, cycle in by_place.items():
            moved[place] = latest - cycle
        if moved != delays:
            yield moved


def _around_cycles(
    pipelines: Sequence[Sequence[_PortTime]], delays: Sequence[int]
) -> tuple[int, int]:
    """Return the ways from reads of memories to writes: of one pipeline's own, and of all."""
    read, written = _meeting_places(pipelines, delays)
    around = {name: written[name] - at for name, at in read.items() if name in written}
    longest = 0
    for ports in pipelines:
        shared = [one for one in ports if one.is_shared]
        taken = {one.target for one in shared if one.is_read}
        own = {one.target for one in shared if not one.is_read} & taken
        longest += max((around[name] for name in own), default=0)
    return longest, sum(around.values()) + sum(delays)


class _Iteration:
    """One iteration of a pipeline, as it would be by itself; used once."""

    def __init__(self, pipeline: Pipeline, memories: Mapping[str, Memory], target: Target) -> None:
        self.pipeline = pipeline
        self.memories = memories
        self.operations = built_operations(pipeline)
        lanes = {lane.name: lane.trip_count for lane in pipeline.lanes}
        self.trip_counts = lanes | {tile.name: tile.trip_count for tile in pipeline.tiles}
        self.took = {each.result: _cycles(each, lanes, target) for each in self.operations}
        self.makers = {each.result: each for each in self.operations}
        self.reads = {p.value: p for p in pipeline.ports if p.mode is AccessMode.READ}
        self.place = {id(port): place for place, port in enumerate(pipeline.ports)}
        self.ready: dict[str, int] = {}
        self.landed: dict[int, int] = {}
        self.ranks: dict[int, int] = {}

    def ports(self) -> list[_PortTime]:
        """Return when its ports act."""
        for port in self.pipeline.ports:
            if port.mode is AccessMode.WRITE:
                self._landing(port)
        needed = self._needed()
        return [
            self._read_time(port, needed)
            if port.mode is AccessMode.READ
            else self._write_time(port)
            for port in self.pipeline.ports
        ]

    def _read_time(self, port: Port, needed: Mapping[str, int]) -> _PortTime:
        earliest = self._readable(port)
        latest = needed.get(port.value, _READ_CYCLES) - _READ_CYCLES
        over = [self._landing(other) - 1 for other in self._written_after(port)]
        cycle = max(earliest, min(latest, *over)) if over else max(earliest, latest)
        shared = not self._is_registers(port)
        return _PortTime(port.target, True, cycle, 0, shared, earliest > 0)

    def _write_time(self, port: Port) -> _PortTime:
        rank = max((self.ranks[id(o)] + 1 for o in self._written_before(port)), default=0)
        self.ranks[id(port)] = rank
        shared = not self._is_registers(port)
        return _PortTime(port.target, False, self._landing(port), rank, shared)

    def _is_registers(self, port: Port) -> bool:
        return port.target in self.memories and is_registers(self.memories[port.target])

    def _landing(self, port: Port) -> int:
        """Return from when on reads find what a port writes."""
        place = self.place[id(port)]
        if place not in self.landed:
            own = self._value(port.value) + (0 if self._is_registers(port) else _WRITE_CYCLES)
            before = [self._landing(other) + 1 for other in self._written_before(port)]
            read = [self._readable(other) + 1 for other in self._read_before(port)]
            self.landed[place] = max(own, *before, *read, 0)
        return self.landed[place]

    def _readable(self, port: Port) -> int:
        """Return from when on what an iteration reads is there, if it may write it itself."""
        return max(map(self._landing, self._written_before(port)), default=0)

    def _written_before(self, port: Port) -> Iterator[Port]:
        """Yield the writes ahead of a port in its iteration that may be to its element."""
        before = self.pipeline.ports[: self.place[id(port)]]
        return self._meeting(port, before, AccessMode.WRITE)

    def _read_before(self, port: Port) -> Iterator[Port]:
        before = self.pipeline.ports[: self.place[id(port)]]
        return self._meeting(port, before, AccessMode.READ)

    def _written_after(self, port: Port) -> Iterator[Port]:
        after = self.pipeline.ports[self.place[id(port)] + 1 :]
        return self._meeting(port, after, AccessMode.WRITE)

    def _meeting(self, port: Port, others: Sequence[Port], mode: AccessMode) -> Iterator[Port]:
        """Yield others that may touch the element of a port in the same iteration."""
        own = port.subscripts, port.guard
        same = (other for other in others if other.mode is mode and other.target == port.target)
        for other in same:
            if may_meet(own, (other.subscripts, other.guard), self.trip_counts):
                yield other

    def _value(self, name: str) -> int:
        """Return after how many cycles a value is there."""
        if name not in self.ready:
            self.ready[name] = self._made(name)
        return self.ready[name]

    def _made(self, name: str) -> int:
        if name in self.makers:
            operands = self.makers[name].operands
            return max(map(self._value, operands), default=0) + self.took[name]
        return self._readable(self.reads[name]) + _READ_CYCLES if name in self.reads else 0

    def _needed(self) -> dict[str, int]:
        """Return when values must be there, so that nothing is written later for it."""
        needed: dict[str, int] = {}

        def by(name: str, cycles: int) -> None:
            needed[name] = min(cycles, needed.get(name, cycles))

        for port in self.pipeline.ports:
            if port.mode is AccessMode.WRITE:
                by(port.value, self._value(port.value))
        for operation in reversed(self.operations):
            result = operation.result
            for name in operation.operands:
                by(name, needed.get(result, self._value(result)) - self.took[result])
        return needed


def _cycles(operation: Operation, lanes: Mapping[str, int], target: Target) -> int:
    terms = prod(lanes.get(name, 1) for name in operation.over)
    one = target.operator(operation.operator, operation.element, operation.implementation)
    return one.latency_cycles * (levels(terms) if operation.over else 1)
