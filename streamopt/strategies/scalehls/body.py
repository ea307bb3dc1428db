"""The body of a pipelined band: all point loops unrolled, what is redundant removed.

Loads of one address are one load, equal operations are one operation, and a reduction keeps its
partial value in between: it is loaded once and stored once for each element ([1] V-D).

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from streamopt.analysis.operations import BEFORE
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access
from streamopt.ir.operators import Operator
from streamopt.strategies.scalehls.band import Band, BandStatement
from streamopt.strategies.scalehls.partition import Address, addresses


@dataclass(frozen=True, slots=True)
class MemoryTouch:
    """An access of the body to an element of an array."""

    array: str
    address: Address
    is_store: bool = False


@dataclass(slots=True, frozen=True)
class BodyStep:
    """A load, a store or an operation."""

    operands: tuple[int, ...]
    """Numbers of earlier steps that it waits for."""
    does: tuple[Operator, ElementType] | None = None
    """The operator and its element type; None for an access."""
    touch: MemoryTouch | None = None


@dataclass(frozen=True, slots=True)
class Carried:
    """A dependence from a store to a load ``distance`` iterations later."""

    load: int
    store: int
    distance: int


@dataclass(frozen=True, slots=True)
class UnrolledBody:
    """Steps in an order that they may run in, and dependences between iterations."""

    steps: tuple[BodyStep, ...]
    carried: tuple[Carried, ...]

    def touches(self) -> dict[str, list[Address]]:
        """Return the distinct addresses in each array."""
        found: dict[str, dict[Address, None]] = {}
        for step in self.steps:
            if step.touch is not None:
                found.setdefault(step.touch.array, {})[step.touch.address] = None
        return {array: [*addresses] for array, addresses in found.items()}


def unrolled_body(band: Band, tiles: Mapping[str, int]) -> UnrolledBody:
    """Return the body of a band whose tiles are unrolled.

    Parameters
    ----------
    tiles
        Tile size of every loop; divides its trip count.
    """
    building = _Building(band, tiles)
    for statement in band.body:
        building.add(statement)
    return UnrolledBody(tuple(building.steps), tuple(building.carried))


class _Building:
    def __init__(self, band: Band, tiles: Mapping[str, int]) -> None:
        self.band = band
        self.tiles = tiles
        trips = {loop.name: loop.trip_count for loop in band.loops}
        self.moving = {name: size for name, size in tiles.items() if size < trips[name]}
        self.counts = {name: trips[name] // size for name, size in tiles.items()}
        self.steps: list[BodyStep] = []
        self.carried: list[Carried] = []
        self.loaded: dict[tuple[str, Address], int] = {}
        self.stored: dict[tuple[str, Address], int] = {}

    def add(self, statement: BandStatement) -> None:
        """Append all lanes of one statement."""
        values = _Values()
        for name, access in statement.reads:
            loops = self._lanes(access.iterators())
            values.put(
                name,
                loops,
                {lane: self._load(access.array, place) for lane, place in self._places(access)},
            )
        plain = statement.operations[:-1] if statement.accumulates else statement.operations
        for operation in plain:
            loops = self._lanes({n for v in operation.operands for n in values.loops(v)})
            does = operation.operator, operation.element
            made = {
                lane: self._step(BodyStep(values.at(operation.operands, loops, lane), does))
                for lane in self._all(loops)
            }
            values.put(operation.result, loops, made)
        if statement.accumulates:
            self._accumulate(statement, values)
            return
        self._assign(statement, values)

    def _assign(self, statement: BandStatement, values: _Values) -> None:
        loops = self._lanes(statement.target.iterators())
        for lane, place in self._places(statement.target):
            result = values.at((statement.result,), loops, lane)
            self._store(statement.target.array, place, result)

    def _accumulate(self, statement: BandStatement, values: _Values) -> None:
        """Append a chain of additions for each element, from its load to its store."""
        operation = statement.operations[-1]
        term = next(name for name in operation.operands if name != BEFORE)
        outer = self._lanes(statement.target.iterators())
        inner = tuple(n for n in self._lanes(self.tiles) if n not in outer)
        distance = self._distance(statement.target)
        for lane, place in self._places(statement.target):
            load = self._load(statement.target.array, place)
            start = () if statement.start is None else values.at((statement.start,), outer, lane)
            partial: tuple[int, ...] = (load, *start)
            for point in self._all(inner):
                value = values.at((term,), outer + inner, (*lane, *point))
                does = operation.operator, operation.element
                partial = (self._step(BodyStep((*partial, *value), does)),)
            store = self._store(statement.target.array, place, partial)
            if distance is not None:
                self.carried.append(Carried(load, store, distance))

    def _distance(self, target: Access) -> int | None:
        """Return the iterations from one addition to an element to the next; None for never."""
        used = target.iterators()
        carrying = [n for n in self.band.order if n not in used and self.counts[n] > 1]
        if not carrying:
            return None
        inside = self.band.order[self.band.order.index(carrying[-1]) + 1 :]
        return prod(self.counts[name] for name in inside)

    def _lanes(self, names: Container[str]) -> tuple[str, ...]:
        return tuple(n for n in self.band.order if n in names and self.tiles[n] > 1)

    def _all(self, loops: Sequence[str]) -> Iterator[tuple[int, ...]]:
        return product(*(range(self.tiles[name]) for name in loops))

    def _places(self, access: Access) -> Iterable[tuple[tuple[int, ...], Address]]:
        lanes = {name: self.tiles[name] for name in self._lanes(access.iterators())}
        return addresses(access, self.moving, lanes).items()

    def _load(self, array: str, place: Address) -> int:
        key = array, place
        if key in self.stored:
            return self.steps[self.stored[key]].operands[0]
        if key not in self.loaded:
            self.loaded[key] = self._touch(MemoryTouch(*key))
        return self.loaded[key]

    def _store(self, array: str, place: Address, value: tuple[int, ...]) -> int:
        store = self._step(BodyStep(value, None, MemoryTouch(array, place, is_store=True)))
        if value:
            self.stored[array, place] = store
        return store

    def _touch(self, touch: MemoryTouch) -> int:
        return self._step(BodyStep((), None, touch))

    def _step(self, step: BodyStep) -> int:
        self.steps.append(step)
        return len(self.steps) - 1


class _Values:
    """The steps that make each value of one statement, by lane."""

    def __init__(self) -> None:
        self._loops: dict[str, tuple[str, ...]] = {}
        self._steps: dict[str, dict[tuple[int, ...], int]] = {}
        self._places: dict[tuple[str, tuple[str, ...]], tuple[int, ...]] = {}

    def loops(self, name: str) -> tuple[str, ...]:
        """Return the loops whose lanes differ in a value; none for a constant."""
        return self._loops.get(name, ())

    def put(self, name: str, loops: tuple[str, ...], lanes: dict[tuple[int, ...], int]) -> None:
        """Note the step that makes a value in each lane of some loops."""
        self._loops[name], self._steps[name] = loops, lanes

    def at(
        self, names: Sequence[str], loops: tuple[str, ...], lane: tuple[int, ...]
    ) -> tuple[int, ...]:
        """Return the steps that make values in one lane of loops; constants have none."""
        found: list[int] = []
        for name in names:
            if name in self._steps:
                places = self._positions(name, loops)
                found.append(self._steps[name][tuple(lane[at] for at in places)])
        return tuple(found)

    def _positions(self, name: str, loops: tuple[str, ...]) -> tuple[int, ...]:
        key = name, loops
        if key not in self._places:
            self._places[key] = tuple(loops.index(loop) for loop in self._loops[name])
        return self._places[key]
