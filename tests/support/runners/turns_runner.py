"""Pipelines that take turns, run one iteration and one lane after another in plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

from streamopt.ir.expression import Compare, Index, Literal, LogicOp
from streamopt.ir.network import AccessMode, TurnLoop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.ir.expression import Condition, Expression
    from streamopt.ir.network import Network, PipelineTiming, Turn, TurnItem
    from streamopt.ir.stepping.steps import StepLoop

Point = dict[str, int]


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration: of which pipeline, where, and when it starts in iterations."""

    turn: Turn
    point: Point
    number: int


def values_of(loop: StepLoop, point: Point) -> range:
    lower = max(int(bound.evaluate(point)) for bound in loop.lower)
    return range(lower, min(int(bound.evaluate(point)) for bound in loop.upper))


def iterations(
    items: Sequence[TurnItem], point: Point, number: int, *, is_last: bool = True
) -> Iterator[Iteration | int]:
    """Yield iterations in order, and at last the number of the next."""
    for item in items:
        if isinstance(item, TurnLoop):
            values = values_of(item.loop, point)
            number += not values
            for value in values:
                inside, last = {**point, item.loop.name: value}, value == values[-1]
                for each in iterations(item.items, inside, number, is_last=last):
                    if isinstance(each, int):
                        number = each
                    else:
                        yield each
            continue
        if item.loops and not values_of(item.loops[0], point):
            number += 1
            continue
        end = number
        for each in rows(item, item.loops, point, end):
            if isinstance(each, int):
                end = each
            else:
                yield each
        least = max(item.least_cycles, item.last_cycles) if is_last else item.least_cycles
        number = max(end, number + least)
    yield number


def rows(
    turn: Turn, loops: Sequence[StepLoop], point: Point, number: int
) -> Iterator[Iteration | int]:
    if not loops:
        yield Iteration(turn, point, number)
        yield number + 1
        return
    first, *rest = loops
    values = values_of(first, point)
    number += not values
    for value in values:
        for each in rows(turn, rest, {**point, first.name: value}, number):
            if isinstance(each, int):
                number = each
            else:
                yield each
    yield number


def holds(condition: Condition | None, point: Point) -> bool:
    match condition:
        case None:
            return True
        case Compare(op, left, right):
            return bool(op.holds(_value(left, point), _value(right, point)))
        case _:
            parts = (holds(part, point) for part in condition.operands)
            return all(parts) if condition.op is LogicOp.AND else any(parts)


def _value(expression: Expression, point: Point) -> float:
    match expression:
        case Index(value):
            return int(value.evaluate(point))
        case Literal(value):
            return value
        case _:
            raise AssertionError(expression)


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """An access in order: its element, its cycle, and whether it writes."""

    element: tuple[str, tuple[int, ...]]
    cycle: int
    is_write: bool


def memory_events(network: Network, timings: dict[str, PipelineTiming]) -> Iterator[MemoryEvent]:
    """Yield what the pipelines of the one process of a network that take turns access."""
    (process,) = network.processes
    (turns,) = process.turns
    pipelines = {pipeline.name: pipeline for pipeline in process.pipelines}
    ii = max(turns.ii, *(timing.ii for timing in timings.values()))
    for each in iterations(turns.items, {}, 0):
        if isinstance(each, int):
            return
        pipeline = pipelines[each.turn.pipeline]
        timing = timings[pipeline.name]
        for position, port in enumerate(pipeline.ports):
            is_write = port.mode is AccessMode.WRITE
            own = timing.depth_cycles if is_write else 0
            cycle = each.number * ii + (timing.port_cycles or {position: own})[position]
            for lanes in product(*(range(lane.trip_count) for lane in pipeline.lanes)):
                names = (lane.name for lane in pipeline.lanes)
                point = {**each.point, **dict(zip(names, lanes, strict=True))}
                if holds(port.guard, point):
                    place = tuple(int(sub.evaluate(point)) for sub in port.subscripts)
                    yield MemoryEvent((port.target, place), cycle, is_write)


def is_disturbed(events: Sequence[MemoryEvent]) -> bool:
    """Return whether a read finds another value than in order, or writes overtake each other."""
    of_element: dict[tuple[str, tuple[int, ...]], list[MemoryEvent]] = {}
    for event in events:
        of_element.setdefault(event.element, []).append(event)
    return any(_is_disturbed(own) for own in of_element.values())


def _is_disturbed(events: Sequence[MemoryEvent]) -> bool:
    written = [event.cycle for event in events if event.is_write]
    if any(after <= before for before, after in pairwise(written)):
        return True
    before = 0
    for event in events:
        if not event.is_write and before != sum(cycle <= event.cycle for cycle in written):
            return True
        before += event.is_write
    return False
