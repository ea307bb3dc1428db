"""Lengths of visits keep all dependences, element by element, and are hardly longer than needed."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.network import AccessMode, Turn, TurnLoop, Turns
from streamopt.ir.operators import Operator
from streamopt.perf.pipelines.port_cycles import port_cycles
from streamopt.perf.turns.bubbles import LeastLength, least_lengths
from streamopt.perf.turns.layout import TimedTurn
from streamopt.perf.turns.visits import iterations_in_turn
from streamopt.target.device import Target
from streamopt.transforms.lower import lower
from streamopt.work import spent
from tests.support.networks.in_turns import (
    Body,
    between,
    in_turns,
    it,
    jacobi,
    laned,
    local,
    loop,
    lu,
    pipeline,
    trisolv,
)
from tests.support.steps import nussinov, scheduled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.ir.network import Network, Pipeline, TurnItem
    from streamopt.ir.stepping.steps import StepLoop

TARGET = Target.named("u280")


def timed_turns(network: Network) -> tuple[Turns, list[TimedTurn]]:
    (process,) = network.processes
    (turns,) = process.turns
    memories = {memory.name: memory for memory in network.memories}
    own = [pipeline for pipeline in process.pipelines if pipeline.name in turns.pipelines]
    cycles = port_cycles(own, memories, turns.ii, TARGET)
    return turns, list(map(TimedTurn, own, cycles))


def with_lengths(turns: Turns, least: Sequence[LeastLength]) -> Turns:
    lengths = iter(least)

    def longer(item: TurnItem) -> TurnItem:
        if isinstance(item, Turn):
            length = next(lengths)
            return replace(item, least_cycles=length.least, last_cycles=length.last)
        return TurnLoop(item.loop, tuple(map(longer, item.items)))

    return replace(turns, items=tuple(map(longer, turns.items)))


class Event(NamedTuple):
    cycle: int
    visit: int
    is_write: bool


def values_of(loop: StepLoop, point: dict[str, int]) -> range:
    lower = max(int(bound.evaluate(point)) for bound in loop.lower)
    return range(lower, min(int(bound.evaluate(point)) for bound in loop.upper))


class Enumerated:
    """Runs all iterations one by one, and notes when which lane touches which element."""

    def __init__(self, turns: Turns, timed: Sequence[TimedTurn]) -> None:
        self.timed = dict(zip(turns.pipelines, timed, strict=True))
        self.ii = turns.ii
        self.iteration = self.visit = 0
        self.events: dict[tuple[object, ...], list[Event]] = {}
        for item in turns.items:
            self.run(item, {})

    def run(self, item: TurnItem, point: dict[str, int], *, is_last: bool = True) -> None:
        if isinstance(item, TurnLoop):
            values = values_of(item.loop, point)
            self.iteration += not values
            for value in values:
                for each in item.items:
                    at = {**point, item.loop.name: value}
                    self.run(each, at, is_last=value == values[-1])
            return
        first = end = self.iteration
        points = list(self.points(item.loops, point))
        for place, at in enumerate(points):
            if at is not None:
                self.touch(self.timed[item.pipeline], at, (end + place) * self.ii)
        end += len(points)
        least = max(item.least_cycles, item.last_cycles * is_last)
        self.iteration = max(end, first + least) if points else first + 1
        self.visit += 1

    def points(
        self, loops: Sequence[StepLoop], point: dict[str, int], at: int = 0
    ) -> Iterator[dict[str, int] | None]:
        if at == len(loops):
            yield point
            return
        values = values_of(loops[at], point)
        for value in values:
            yield from self.points(loops, {**point, loops[at].name: value}, at + 1)
        if not values and at:
            yield None

    def touch(self, timed: TimedTurn, point: dict[str, int], start: int) -> None:
        body, cycles = timed
        for lane in product(*(range(lane.trip_count) for lane in body.lanes)):
            names = (own.name for own in body.lanes)
            here = {**point, **dict(zip(names, lane, strict=True))}
            for port, cycle in zip(body.ports, cycles, strict=True):
                if port.guard is None or holds(port.guard, here):
                    element = (port.target, *(int(s.evaluate(here)) for s in port.subscripts))
                    is_write = port.mode is AccessMode.WRITE
                    event = Event(start + cycle, self.visit, is_write)
                    self.events.setdefault(element, []).append(event)

    def slack_cycles(self) -> int:
        """Return by how much the tightest dependence is kept; negative if one is not."""
        found = 2**30
        for events in self.events.values():
            kept: list[Event] = []
            for event in events:
                kept.append(event)
                for other in kept:
                    if other.visit < event.visit and other.is_write and not event.is_write:
                        found = min(found, event.cycle - other.cycle)
                    if other.visit < event.visit and event.is_write:
                        found = min(found, event.cycle - other.cycle - 1)
        return found


def holds(condition: ir.Condition, point: dict[str, int]) -> bool:
    match condition:
        case ir.Logic(ir.LogicOp.AND, operands):
            return all(holds(operand, point) for operand in operands)
        case ir.Compare(op, left, right):
            sides = [ir.as_affine(side) for side in (left, right)]
            values = [side.evaluate(point) for side in sides if side is not None]
            left_value, right_value = values
            return {
                "<": left_value < right_value,
                "<=": left_value <= right_value,
                "==": left_value == right_value,
                ">=": left_value >= right_value,
            }[op.value]
        case _:
            raise AssertionError(condition)


def seidel(rows: int, steps: int, lanes: tuple[int, int]) -> Network:
    """Return a wavefront of an update in place: ``w = 4 t + 2 i + j``, lanes along t and i."""
    w = loop("w", 3, 4 * steps + 3 * rows, 4 * steps + 3 * rows)
    t = loop("t", 0, -(-steps // lanes[0]), -(-steps // lanes[0]))
    i = loop("i", 0, -(-rows // lanes[1]), -(-rows // lanes[1]))
    step, row = laned("t", lanes[0]), laned("i", lanes[1])
    column = it("w") - step.scaled(4) - row.scaled(2)
    reads = [
        ("A", (row + Affine.of(a), column + Affine.of(b))) for a, b in product((-1, 0, 1), repeat=2)
    ]
    guard = ir.Logic(
        ir.LogicOp.AND,
        (
            between(Affine.of(0), step, Affine.of(steps)),
            between(Affine.of(1), row, Affine.of(rows - 1)),
            between(Affine.of(1), column, Affine.of(rows - 1)),
        ),
    )
    body = Body(tuple(reads), ("A", (row, column)), (Operator.ADD,) * 8, guard)
    return in_turns(
        "seidel",
        (TurnLoop(w, (Turn("sweep", (t, i)),)),),
        (pipeline("sweep", (w, t, i), body, {"t": lanes[0], "i": lanes[1]}),),
        local("A", (rows, rows), (lanes[1], 1)),
    )


def test_visits_that_are_too_many_to_be_walked_take_no_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns, timed = timed_turns(NETWORKS["lu"])
    began = spent()
    least_lengths(turns, timed)
    walked = spent() - began
    monkeypatch.setattr("streamopt.perf.turns.layout.MOST_TOUCHES", 0)
    began = spent()
    least_lengths(turns, timed)
    assert spent() - began < walked / 2


NETWORKS = {
    "lu": lu(12, (4, 4), (1, 1)),
    "lu, lanes along columns": lu(13, (1, 4), (1, 1)),
    "trisolv": trisolv(24, 4, (1, 1)),
    "jacobi": jacobi(10, 6, 8, 1),
    "seidel": seidel(12, 6, (2, 4)),
    "seidel, a lane": seidel(10, 4, (1, 1)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_every_dependence_is_kept_and_one_is_tight(name: str) -> None:
    turns, timed = timed_turns(NETWORKS[name])
    least = least_lengths(turns, timed)
    assert Enumerated(with_lengths(turns, least), timed).slack_cycles() >= 0
    for place, own in enumerate(least):
        shorter = [LeastLength(own.least - 1, own.last)] if own.least > 1 else []
        shorter += [LeastLength(own.least, own.last - 1)] if own.last > own.least else []
        for length in shorter:
            lengths = [*least[:place], length, *least[place + 1 :]]
            assert Enumerated(with_lengths(turns, lengths), timed).slack_cycles() < 0


def random_network(random: Random) -> Network:
    """Return two or three updates of two memories in turn, each with lanes."""
    size = random.randrange(8, 15)
    k = loop("k", 0, random.randrange(3, 7), 7)
    memories = (
        local("A", (2 * size, 2 * size), (1, 1)),
        local("B", (2 * size, 2 * size), random.choice(((1, 1), (2 * size, 2 * size)))),
    )
    turns: list[TurnItem] = []
    pipelines: list[Pipeline] = []
    for n in range(random.randrange(2, 4)):
        body, loops, lanes = random_body(random, n, size)
        turn: TurnItem = Turn(f"p{n}", loops)
        around = (k, loop(f"s{n}", 0, random.randrange(1, 4), 4)) if n % 2 else (k,)
        turns.append(turn if len(around) == 1 else TurnLoop(around[1], (turn,)))
        pipelines.append(pipeline(f"p{n}", (*around, *loops), body, lanes))
    return in_turns("random", (TurnLoop(k, tuple(turns)),), tuple(pipelines), *memories)


def random_body(
    random: Random, n: int, size: int
) -> tuple[Body, tuple[StepLoop, ...], dict[str, int]]:
    names = [f"i{n}", f"j{n}"]
    lanes = {name: random.choice((1, 2, 4)) for name in names}
    ends = {name: -(-size // lanes[name]) for name in names}
    first = it("k").floordiv(lanes[names[0]]) if random.random() < 0.5 else 0
    loops = (
        loop(names[0], first, ends[names[0]], ends[names[0]]),
        loop(names[1], 0, ends[names[1]], ends[names[1]]),
    )
    i, j = (laned(name, lanes[name]) for name in names)

    def place() -> tuple[Affine, ...]:
        shifts = (Affine.of(random.randrange(2)) for _ in range(2))
        kinds = ((i, j), (i, j), (j, i), (i, it("k")), (it("k"), j), (i, j + it("k")))
        return tuple(s + by for s, by in zip(random.choice(kinds), shifts, strict=True))

    guards = (None, between(it("k"), i, Affine.of(size)), equal(i, it("k") + Affine.of(1)))
    reads = tuple((random.choice("AB"), place()) for _ in range(random.randrange(1, 4)))
    operators = (random.choice((Operator.ADD, Operator.DIV)),) * max(1, len(reads) - 1)
    body = Body(reads, (random.choice("AB"), place()), operators, random.choice(guards))
    return body, loops, {name: count for name, count in lanes.items() if count > 1}


def equal(left: Affine, right: Affine) -> ir.Condition:
    return ir.Compare(ir.CompareOp.EQ, ir.Index(left - right), ir.Literal(0))


@pytest.mark.parametrize("seed", range(60))
def test_dependences_of_random_updates_are_kept(seed: int) -> None:
    turns, timed = timed_turns(random_network(Random(seed)))
    least = least_lengths(turns, timed)
    assert Enumerated(with_lengths(turns, least), timed).slack_cycles() >= 0


def test_bubbles_of_published_sizes() -> None:
    """Hardly more than the walk of a prototype that tells all elements apart."""
    found = {}
    for name, network in (("lu", lu(400, (16, 32), (1, 1))), ("trisolv", trisolv(400, 32, (1, 1)))):
        turns, timed = timed_turns(network)
        longer = with_lengths(turns, least_lengths(turns, timed))
        found[name] = iterations_in_turn(longer) - iterations_in_turn(turns)
    assert found == {"lu": 2864, "trisolv": 5705}


def test_sums_wait_for_what_is_new_at_their_end_alone() -> None:
    order = nussinov(40)
    network = lower(scheduled(order, i=4, k=4))
    turns, timed = timed_turns(network)
    (own,) = least_lengths(turns, timed)
    assert own.least < own.last
    assert Enumerated(with_lengths(turns, [own]), timed).slack_cycles() >= 0
    for shorter in (LeastLength(own.least - 1, own.last), LeastLength(own.least, own.last - 1)):
        assert Enumerated(with_lengths(turns, [shorter]), timed).slack_cycles() < 0
