"""When elements are there, one by one: how long visits wait that cells of many would hold up."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.algebra.evaluation import evaluate
from streamopt.ir.expression import affine_conjuncts
from streamopt.ir.network import AccessMode
from streamopt.perf.pipelines.lane_accesses import condition_iterators
from streamopt.perf.turns.layout import kept_ports, written_memories
from streamopt.perf.turns.visits import IDLE, VISIT, TooManyPointsError, iterations_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.expression import Condition
    from streamopt.ir.network import Pipeline, Port, Turn
    from streamopt.perf.turns.layout import TimedTurn
    from streamopt.perf.turns.visits import LoopPoints

    Integers = npt.NDArray[np.int64]

MOST_WRITES = 12_000_000
"""Elements that all iterations write together; more are told apart by cells alone."""
MOST_ELEMENTS = 20_000_000
"""Places of all memories."""

_NEVER = -(2**40)
_NOWHERE = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Room:
    """The places of a memory: from the lowest subscripts on, row by row."""

    first: int
    low: tuple[int, ...]
    extents: tuple[int, ...]

    def numbers(self, subscripts: Sequence[Integers]) -> Integers:
        """Return the places of elements."""
        number: Integers = np.zeros((1, 1), np.int64)
        for at, low, extent in zip(subscripts, self.low, self.extents, strict=True):
            number = number * extent + (at - low)
        return number + self.first


@dataclass(frozen=True, slots=True, eq=False)
class _Touched:
    """A port, with the lanes that decide what it touches, and whether."""

    port: Port
    cycle: int
    used: frozenset[str]
    """Iterators."""
    lanes: Mapping[str, Integers]
    """Their values, by iterator; ``count`` in all."""
    count: int
    parts: tuple[Condition, ...]
    """Of the guard."""


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    cycle: int
    numbers: Integers


class ExactElements:
    """The times at which all elements that pipelines in turn write have landed.

    Raises
    ------
    TooManyPointsError
        If there are more than are told apart.
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        points: Mapping[int, LoopPoints],
        timed: Sequence[TimedTurn],
        ii: int,
    ) -> None:
        self._timed = timed
        self._ports = written_memories(timed)
        self._rooms, size = _rooms(timed, self._ports)
        self._iterations = {
            place: iterations_of(turns[place].loops, around) for place, around in points.items()
        }
        writes = {place: self._touched(place, AccessMode.WRITE) for place in points}
        own = sum(
            each.times.size * touched.count
            for place, each in self._iterations.items()
            for touched in writes[place]
        )
        if size > MOST_ELEMENTS or own > MOST_WRITES:
            raise TooManyPointsError
        self._landed = np.full(size, _NEVER, np.int64)
        self._at = {place: _places(each) * ii for place, each in self._iterations.items()}
        self._reads = {
            place: {
                cycle: [t for t in touched if t.cycle == cycle]
                for cycle in {t.cycle for t in touched}
            }
            for place in points
            for touched in (self._touched(place, AccessMode.READ),)
        }
        self._writes = {
            place: [_Written(t.cycle, self._numbers(place, t, slice(None))) for t in touched]
            for place, touched in writes.items()
        }

    def earliest(self, turn: int, cycle: int, rows: Integers) -> int:
        """Return the cycle before which a visit reads something too soon.

        Parameters
        ----------
        cycle
            Of the reads that are looked at.
        rows
            Iterations that are looked at: their places among all of the pipeline.
        """
        at = self._at[turn][rows, None]
        found = _NEVER
        for touched in self._reads[turn].get(cycle, ()):
            waiting = self._landed[self._numbers(turn, touched, rows)] - at
            found = max(found, int(waiting.max()) - cycle)
        return found

    def note(self, turn: int, span: slice, begin: int) -> None:
        """Note when what a visit writes is there."""
        at = self._at[turn][span, None] + begin
        for own in self._writes[turn]:
            numbers = own.numbers[span]
            self._landed[numbers] = np.maximum(self._landed[numbers], at + own.cycle)
        self._landed[_NOWHERE] = _NEVER

    def _touched(self, turn: int, mode: AccessMode) -> list[_Touched]:
        pipeline, cycles = self._timed[turn]
        return [
            _touched(port, pipeline, cycle)
            for port, cycle in zip(pipeline.ports, cycles, strict=True)
            if port.mode is mode and port.target in self._ports
        ]

    def _numbers(self, turn: int, touched: _Touched, rows: slice | Integers) -> Integers:
        """Return the places that iterations touch, by iteration and lane; nowhere if they don't."""
        points = self._iterations[turn].values
        values = {n: own[rows, None] for n, own in points.items() if n in touched.used}
        values |= touched.lanes
        room = self._rooms[touched.port.target]
        numbers = room.numbers([s.evaluate(values) for s in touched.port.subscripts])
        idle = points[IDLE][rows, None]
        busy = idle == 0
        for part in touched.parts:
            busy = busy & evaluate(part, values)
        return np.broadcast_to(np.where(busy, numbers, _NOWHERE), (idle.shape[0], touched.count))


def _touched(port: Port, pipeline: Pipeline, cycle: int) -> _Touched:
    used = {name for subscript in port.subscripts for name in subscript.iterators()}
    used.update(condition_iterators(port.guard))
    extents = {lane.name: lane.trip_count for lane in pipeline.lanes if lane.name in used}
    count = prod(extents.values())
    grid = np.unravel_index(np.arange(count), [*extents.values()] or [1])
    lanes = {name: own[None, :] for name, own in zip(extents, grid, strict=False)}
    parts = () if port.guard is None else tuple(affine_conjuncts(port.guard))
    return _Touched(port, cycle, frozenset(used), lanes, count, parts)


def _places(points: LoopPoints) -> Integers:
    """Return the place of each iteration in its visit."""
    visit = points.values[VISIT]
    sizes = np.bincount(visit)
    return np.arange(visit.size) - (np.cumsum(sizes) - sizes)[visit]


def _rooms(timed: Sequence[TimedTurn], written: set[str]) -> tuple[dict[str, _Room], int]:
    """Return the places of each memory, and how many there are."""
    reach: dict[str, list[tuple[int, int]]] = {}
    for pipeline, _ in timed:
        ends = {loop.name: loop.trip_count for loop in (*pipeline.tiles, *pipeline.lanes)}
        for port in kept_ports(pipeline, written):
            own = [subscript.bounds(ends) for subscript in port.subscripts]
            known = reach.get(port.target, own)
            pairs = zip(own, known, strict=True)
            reach[port.target] = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in pairs]
    rooms: dict[str, _Room] = {}
    first = _NOWHERE + 1
    for name, spans in reach.items():
        extents = tuple(high - low + 1 for low, high in spans)
        rooms[name] = _Room(first, tuple(low for low, _ in spans), extents)
        first += prod(extents)
    return rooms, first
