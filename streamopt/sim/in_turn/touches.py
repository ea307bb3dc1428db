"""Which elements of a memory the lanes of a pipeline touch, iteration by iteration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, SimulationError
from streamopt.ir.algebra.evaluation import evaluate
from streamopt.ir.expression import Condition, affine_conjuncts
from streamopt.ir.network import AccessMode, Memory, Pipeline, Port
from streamopt.ir.program import Loop
from streamopt.sim.guards import iterators_of
from streamopt.sim.in_turn.visits import Issued

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LanePort:
    """A port with the lanes that make accesses of their own."""

    pipeline: Pipeline
    port: Port
    conditions: tuple[Condition, ...]
    """Affine ones under which it matters: those of the port, and of all writes that a value that it
    brings goes into."""
    lanes: tuple[Loop, ...]
    """Those that its element or its value depends on: the others bring or take the same."""
    asking: tuple[Loop, ...]
    """Other lanes that its conditions look at; it happens if any of them has something to do."""
    only_few: bool = False
    """Whether few of its lanes are looked at."""

    @staticmethod
    def of(pipeline: Pipeline, port: Port) -> LanePort:
        """Return a port of a pipeline with its lanes."""
        own = {name for subscript in port.subscripts for name in subscript.iterators()}
        if port.mode is AccessMode.WRITE:
            own |= _lanes_of_value(pipeline, port.value, {})
        conditions = _affine(port)
        if port.mode is AccessMode.READ:
            conditions += _common_conditions(pipeline, port.value)
        asked = frozenset[str]().union(*map(iterators_of, conditions)) - own
        return LanePort(
            pipeline,
            port,
            conditions,
            tuple(lane for lane in pipeline.lanes if lane.name in own),
            tuple(lane for lane in pipeline.lanes if lane.name in asked),
        )

    @property
    def copies(self) -> int:
        """Return the accesses of an iteration at most."""
        return prod(self.values(lane).size for lane in self.lanes)

    def in_few_lanes(self) -> LanePort:
        """Return the port in the first, a middle and the last lane of each loop only."""
        return replace(self, only_few=True)

    def values(self, lane: Loop) -> Ints:
        """Return the values of a lane iterator that are looked at."""
        last = lane.trip_count - 1
        if self.only_few and lane in self.lanes:
            return np.unique([0, last // 2, last])
        return np.arange(last + 1)


def _affine(port: Port) -> tuple[Condition, ...]:
    return () if port.guard is None else affine_conjuncts(port.guard)


def _common_conditions(pipeline: Pipeline, value: str) -> tuple[Condition, ...]:
    """Return conditions that hold wherever a value is written, or something made of it."""
    made = {value}
    for operation in pipeline.operations:
        if made & {*operation.operands}:
            made.add(operation.result)
    writes = [p for p in pipeline.ports if p.mode is AccessMode.WRITE and p.value in made]
    first, *others = map(_affine, writes) if writes else ((),)
    return tuple(part for part in first if all(part in other for other in others))


def _lanes_of_value(
    pipeline: Pipeline, value: str, known: dict[str, frozenset[str]]
) -> frozenset[str]:
    """Return the iterators that a value depends on, without lanes that are combined to one."""
    if value not in known:
        known[value] = frozenset()
        for port in pipeline.ports:
            if port.value == value and port.mode is AccessMode.READ:
                names = (subscript.iterators() for subscript in port.subscripts)
                known[value] = iterators_of(port.guard).union(*names)
        for operation in pipeline.operations:
            if operation.result == value:
                operands = (_lanes_of_value(pipeline, each, known) for each in operation.operands)
                known[value] = frozenset[str]().union(*operands) - {*operation.over}
    return known[value]


def port_touches(port: LanePort, issued: Issued, memory: Memory) -> tuple[Ints, Ints]:
    """Return the elements, row-major, that a port touches, and the iteration of each access.

    Conditions on data are taken to hold.

    Raises
    ------
    SimulationError
        If an access leaves the memory (E814).
    """
    axes = (*port.lanes, *port.asking)
    size = issued.points.size
    point = {
        name: own.reshape(size, *(1 for _ in axes)) for name, own in issued.points.values.items()
    }
    for place, lane in enumerate(axes, start=1):
        shape = [1] * (len(axes) + 1)
        shape[place] = -1
        point[lane.name] = port.values(lane).reshape(shape)
    full = (size, *(port.values(lane).size for lane in axes))
    happens = np.ones((1,) * len(full), np.bool_)
    for part in port.conditions:
        happens = happens & evaluate(part, point)
    happens = np.broadcast_to(happens, full)
    over = tuple(range(1 + len(port.lanes), len(full)))
    happens = happens.any(axis=over, keepdims=True)
    elements: Ints = np.zeros((1,) * len(full), np.int64)
    for subscript, extent in zip(port.port.subscripts, memory.shape, strict=True):
        at = np.broadcast_to(subscript.evaluate(point), happens.shape)
        if bool((happens & ((at < 0) | (at >= extent))).any()):
            raise _outside(port, memory)
        elements = elements * extent + at
    numbers = issued.numbers.reshape(size, *(1 for _ in axes))
    numbers = np.broadcast_to(numbers, happens.shape)
    return np.broadcast_to(elements, happens.shape)[happens], numbers[happens]


def _outside(port: LanePort, memory: Memory) -> SimulationError:
    extents = " x ".join(map(str, memory.shape))
    return SimulationError(
        Diagnostic(
            "E814",
            f"{port.pipeline.name}: {port.port} leaves {memory.name}, which has {extents} elements",
            port.pipeline.loc,
            "guard it where it has nothing to do",
        )
    )
