"""When elements are there, one by one: how long visits wait that cells of many would hold up."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from streamopt.analysis.coverage import evaluate_condition
from streamopt.ir.expression import affine_conjuncts
from streamopt.ir.network import AccessMode
from streamopt.perf.pipelines.lane_accesses import condition_iterators
from streamopt.perf.turns.layout import kept_ports, written_memories
from streamopt.perf.turns.visits import IDLE, VISIT, TooManyPointsError, iterations_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

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
        own = sum(
            each.times.size * _lanes(port, timed[place].pipeline)
            for place, each in self._iterations.items()
            for port in kept_ports(timed[place].pipeline, self._ports)
            if port.mode is AccessMode.WRITE
        )
        if size > MOST_ELEMENTS or own > MOST_WRITES:
            raise TooManyPointsError
        self._landed = np.full(size, _NEVER, np.int64)
        self._at = {place: _places(each) * ii for place, each in self._iterations.items()}
        self._writes = {place: self._written(place) for place in points}

    def earliest(self, turn: int, span: slice) -> int:
        """Return the cycle before which a visit reads something too soon."""
        at = self._at[turn][span, None]
        found = _NEVER
        pipeline, cycles = self._timed[turn]
        for port, cycle in zip(pipeline.ports, cycles, strict=True):
            if port.mode is AccessMode.READ and port.target in self._ports:
                waiting = self._landed[self._numbers(turn, port, span)] - at
                found = max(found, int(waiting.max()) - cycle)
        return found

    def note(self, turn: int, span: slice, begin: int) -> None:
        """Note when what a visit writes is there."""
        at = self._at[turn][span, None] + begin
        for own in self._writes[turn]:
            numbers = own.numbers[span]
            self._landed[numbers] = np.maximum(self._landed[numbers], at + own.cycle)
        self._landed[_NOWHERE] = _NEVER

    def _written(self, turn: int) -> list[_Written]:
        pipeline, cycles = self._timed[turn]
        return [
            _Written(cycle, self._numbers(turn, port, slice(None)))
            for port, cycle in zip(pipeline.ports, cycles, strict=True)
            if port.mode is AccessMode.WRITE
        ]

    def _numbers(self, turn: int, port: Port, span: slice) -> Integers:
        """Return the places that iterations touch, by iteration and lane; nowhere if they don't."""
        pipeline, points = self._timed[turn].pipeline, self._iterations[turn].values
        values: dict[str, Integers] = {name: own[span, None] for name, own in points.items()}
        used = _used_lanes(port, pipeline)
        lanes = prod(count for _, count in used)
        grid = np.unravel_index(np.arange(lanes), [count for _, count in used] or [1])
        values |= {name: own[None, :] for (name, _), own in zip(used, grid, strict=False)}
        size = values[VISIT].shape[0], lanes
        numbers = self._rooms[port.target].numbers([s.evaluate(values) for s in port.subscripts])
        busy = values[IDLE] == 0
        for part in () if port.guard is None else affine_conjuncts(port.guard):
            busy = busy & evaluate_condition(part, values)
        return np.broadcast_to(np.where(busy, numbers, _NOWHERE), size)


def _places(points: LoopPoints) -> Integers:
    """Return the place of each iteration in its visit."""
    visit = points.values[VISIT]
    sizes = np.bincount(visit)
    return np.arange(visit.size) - (np.cumsum(sizes) - sizes)[visit]


def _used_lanes(port: Port, pipeline: Pipeline) -> list[tuple[str, int]]:
    """Return the lanes that decide what a port touches, and whether."""
    names = {name for subscript in port.subscripts for name in subscript.iterators()}
    names.update(condition_iterators(port.guard))
    return [(lane.name, lane.trip_count) for lane in pipeline.lanes if lane.name in names]


def _lanes(port: Port, pipeline: Pipeline) -> int:
    return prod(count for _, count in _used_lanes(port, pipeline))


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
