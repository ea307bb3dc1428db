"""Which iterations of a pipeline touch which stream of a FIFO.

Streams whose accesses agree are told once, as one pattern: the 150 streams between two nests that
handle 150 lanes in step usually make one pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import prod

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, SimulationError
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Compare, CompareOp, Condition, Index, Literal, Logic, LogicOp
from streamopt.ir.network import AccessMode, Fifo, PartialTile, Pipeline, PipelineTiming, Port
from streamopt.ir.program import Loop
from streamopt.sim.guards import iterators_of, matching_iterations


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """The accesses of one pipeline to one stream in one direction."""

    key: bytes
    """Equal for equal patterns."""
    iterations: NDArray[np.int64]
    """Of each access, in order; one that makes several accesses is there as often."""
    most_per_iteration: int
    """Accesses of the iteration that makes most."""

    @staticmethod
    def of(iterations: NDArray[np.int64]) -> Pattern:
        """Return the pattern of iterations in ascending order, at least one."""
        key = blake2b(iterations.data, digest_size=16).digest()
        if (iterations[1:] != iterations[:-1]).all():
            return Pattern(key, iterations, 1)
        ends = np.flatnonzero(np.diff(iterations, append=iterations[-1] + 1))
        return Pattern(key, iterations, int(np.diff(ends, prepend=-1).max()))


def stream_patterns(
    pipeline: Pipeline, fifo: Fifo, mode: AccessMode
) -> dict[tuple[int, ...], Pattern]:
    """Return the accesses of a pipeline to each stream that it touches, by the stream's subscripts.

    Raises
    ------
    SimulationError
        If a subscript leaves the FIFO (E806).
    """
    found: dict[tuple[int, ...], list[_Touch]] = {}
    for port in pipeline.ports:
        if port.target == fifo.name and port.mode is mode:
            for touch in _touches(pipeline, fifo, port):
                found.setdefault(touch.stream, []).append(touch)
    known: dict[tuple[tuple[int, int], ...], Pattern] = {}
    patterns: dict[tuple[int, ...], Pattern] = {}
    for stream, touches in sorted(found.items()):
        # Streams that one port reaches under one guard share the array of its iterations.
        key = tuple(sorted((id(touch.iterations), touch.times) for touch in touches))
        if key not in known:
            lists = [touch.iterations for touch in touches for _ in range(touch.times)]
            joined = lists[0] if len(lists) == 1 else np.sort(np.concatenate(lists))
            known[key] = Pattern.of(joined)
        patterns[stream] = known[key]
    return patterns


@dataclass(frozen=True, slots=True, eq=False)
class _Touch:
    stream: tuple[int, ...]
    iterations: NDArray[np.int64]
    times: int


def _touches(pipeline: Pipeline, fifo: Fifo, port: Port) -> Iterator[_Touch]:
    """Yield what one port does, by stream; iterations are never empty."""
    tiles = {loop.name for loop in pipeline.tiles}
    partial = {part.lane for part in pipeline.partial_tiles}
    asked = iterators_of(port.guard) | partial
    in_subscripts = {name for sub in port.subscripts for name in sub.iterators()}
    deciding = [loop for loop in pipeline.lanes if loop.name in asked]
    choosing = [
        loop for loop in pipeline.lanes if loop.name in in_subscripts and loop.name not in asked
    ]
    # Every copy of the body does its own access, also where nothing tells the copies apart.
    idle = pipeline.copies // prod(loop.trip_count for loop in (*deciding, *choosing))
    matching = _Matching(pipeline, port)
    for lane in _points(deciding):
        if in_subscripts & tiles:
            yield from _chosen_by_tiles(pipeline, fifo, port, (lane, choosing, idle))
            continue
        iterations = matching.of(lane)
        if not iterations.size:
            continue
        times: dict[tuple[int, ...], int] = {}
        for point in _points(choosing):
            stream = _stream(pipeline, fifo, port, {**lane, **point})
            times[stream] = times.get(stream, 0) + idle
        for stream, count in times.items():
            yield _Touch(stream, iterations, count)


class _Matching:
    """The iterations at which a port does something, by lane; the same array for equal lanes."""

    def __init__(self, pipeline: Pipeline, port: Port) -> None:
        self._pipeline = pipeline
        self._guard = port.guard
        self._asked = sorted(iterators_of(port.guard))
        self._known: dict[tuple[int, ...], NDArray[np.int64]] = {}

    def of(self, lane: dict[str, int]) -> NDArray[np.int64]:
        """Return the iterations of a lane that is given by all iterators that decide."""
        idle = [_idles(part, lane) for part in self._pipeline.partial_tiles]
        key = (*(lane[name] for name in self._asked if name in lane), *idle)
        if key not in self._known:
            guard = _guard_of(self._pipeline, self._guard, lane)
            self._known[key] = matching_iterations(guard, self._pipeline.tiles, lane)
        return self._known[key]


def _idles(part: PartialTile, lane: Mapping[str, int]) -> bool:
    return lane[part.lane] >= part.last_lanes


def _guard_of(
    pipeline: Pipeline, guard: Condition | None, lane: Mapping[str, int]
) -> Condition | None:
    """Return a guard, with that of the partial tiles in which a lane idles."""
    parts: list[Condition] = [] if guard is None else [guard]
    parts += [
        Compare(CompareOp.LT, Index(Affine.iterator(part.tile)), Literal(part.last_tile))
        for part in pipeline.partial_tiles
        if _idles(part, lane)
    ]
    if len(parts) < 2:
        return parts[0] if parts else None
    return Logic(LogicOp.AND, tuple(parts))


def _chosen_by_tiles(
    pipeline: Pipeline, fifo: Fifo, port: Port, lanes: tuple[dict[str, int], Sequence[Loop], int]
) -> Iterator[_Touch]:
    """Yield the touches of a port whose stream depends on the iteration."""
    lane, choosing, idle = lanes
    for point in _points(choosing):
        values = {**lane, **point}
        fixed = {name: Affine.of(value) for name, value in values.items()}
        subscripts = [sub.substitute(fixed) for sub in port.subscripts]
        whole = _guard_of(pipeline, port.guard, values)
        everywhere = matching_iterations(whole, pipeline.tiles, values)
        hits = 0
        for stream in np.ndindex(fifo.lanes):
            same: list[Condition] = [
                Compare(CompareOp.EQ, Index(subscript), Literal(at))
                for subscript, at in zip(subscripts, stream, strict=True)
            ]
            guard = [whole] if whole is not None else []
            chosen = matching_iterations(
                Logic(LogicOp.AND, (*guard, *same)), pipeline.tiles, values
            )
            hits += chosen.size
            if chosen.size:
                yield _Touch(tuple(stream), chosen, idle)
        if hits != everywhere.size:
            raise _outside(pipeline, fifo, port)


def _stream(pipeline: Pipeline, fifo: Fifo, port: Port, lane: dict[str, int]) -> tuple[int, ...]:
    stream = tuple(int(sub.evaluate(lane)) for sub in port.subscripts)
    inside = len(stream) == len(fifo.lanes)
    if not inside or any(not 0 <= s < n for s, n in zip(stream, fifo.lanes, strict=True)):
        raise _outside(pipeline, fifo, port)
    return stream


def _outside(pipeline: Pipeline, fifo: Fifo, port: Port) -> SimulationError:
    text = "".join(f"[{sub}]" for sub in port.subscripts)
    shape = " x ".join(map(str, fifo.lanes)) or "one"
    return SimulationError(
        Diagnostic(
            "E806",
            f"{pipeline.name} {port.mode}s stream {fifo.name}{text}, which leaves its {shape} "
            "streams",
            pipeline.loc,
            f"give {fifo.name} a stream for every value of the subscripts",
        )
    )


def _points(loops: Sequence[Loop]) -> Iterator[dict[str, int]]:
    names = [loop.name for loop in loops]
    for point in np.ndindex(tuple(loop.trip_count for loop in loops)):
        yield dict(zip(names, point, strict=True))


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages that matter of a pipeline."""

    ii: int
    # first_read, last_read: where an iteration reads
    first_read: int
    last_read: int
    last: int
    """Where it ends, and makes its last write."""

    @staticmethod
    def of_copy(timing: PipelineTiming, reads: int) -> Stages:
        """Return the stages of a copy out that makes up to ``reads`` reads of one stream."""
        last = max(timing.depth_cycles, reads) - 1
        return Stages(timing.ii, last - max(reads, 1) + 1, last, last)

    @staticmethod
    def of(timing: PipelineTiming, reads: int, writes: int, *, flushable: bool) -> Stages:
        """Return the stages of any other pipeline.

        Parameters
        ----------
        reads, writes
            Most accesses that one iteration makes to one stream.
        """
        first = min(1, timing.depth_cycles - 1)
        last_read = first + max(reads, 1) - 1
        apart = 1 if flushable and reads and writes else 0
        last = max(timing.depth_cycles - 1, last_read, last_read + writes - 1 + apart)
        return Stages(timing.ii, first, last_read, last)

    def last_clock(self, iterations: int) -> int:
        """Return the local clock at which the last iteration is in its last stage."""
        return self.ii * (iterations - 1) + self.last

    def clocks(self, pattern: Pattern, *, is_read: bool) -> NDArray[np.int64]:
        """Return the local clock of each access of a pattern."""
        iterations = pattern.iterations
        base = iterations * self.ii
        if pattern.most_per_iteration == 1:
            return base + (self.first_read if is_read else self.last)
        at = np.arange(iterations.size)
        if is_read:
            return base + self.first_read + at - np.searchsorted(iterations, iterations)
        after = np.searchsorted(iterations, iterations, side="right") - 1 - at
        return base + self.last - after

    def iteration(self, clock: int, *, is_read: bool) -> int:
        """Return the iteration that makes an access at a local clock."""
        if is_read:
            return (clock - self.first_read) // self.ii
        return -((self.last - clock) // self.ii)
