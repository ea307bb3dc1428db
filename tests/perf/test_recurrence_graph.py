"""Intervals of recurrences through several accesses against pipelines that are stepped."""

from __future__ import annotations

import random
from itertools import product
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING

import pytest

from streamopt.ir.expression import Compare, Index, Literal, Logic, LogicOp
from streamopt.ir.network import AccessMode, Place
from streamopt.perf.pipelines.recurrence import ROUND_TRIP_CYCLES
from streamopt.perf.pipelines.timings import Reason
from tests.support.networks.one_pipeline import TARGET, memory, pipeline, timed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.expression import Condition
    from streamopt.ir.network import Pipeline, Port

N = 8

COMPARED = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


def holds(guard: Condition | None, at: Mapping[str, int]) -> bool:
    match guard:
        case None:
            return True
        case Logic(op, parts):
            return (all if op is LogicOp.AND else any)(holds(part, at) for part in parts)
        case Compare(op, left, right):
            return bool(COMPARED[op.value](number(left, at), number(right, at)))


def number(side: object, at: Mapping[str, int]) -> int:
    if isinstance(side, Index):
        return side.value.evaluate(at)
    assert isinstance(side, Literal)
    return int(side.value)


def stepped_waits(one: Pipeline) -> set[tuple[int, int, int, int]]:
    """Step through all iterations; return who reads what whom wrote, how much later and after."""
    found: set[tuple[int, int, int, int]] = set()
    written: dict[tuple[str, tuple[int, ...]], dict[int, int]] = {}
    loops = one.tiles
    for row, values in enumerate(product(*(range(loop.trip_count) for loop in loops))):
        at = dict(zip((loop.name for loop in loops), values, strict=True))
        for place, port in enumerate(one.ports):
            if not holds(port.guard, at):
                continue
            element = (port.target, tuple(s.evaluate(at) for s in port.subscripts))
            if port.mode is AccessMode.WRITE:
                written.setdefault(element, {})[place] = row
                continue
            for writer, when in written.get(element, {}).items():
                found.add((writer, place, row - when, wait(one.ports[writer], port, row - when)))
    return found


def wait(write: Port, read: Port, distance: int) -> int:
    """Cycles through memory: none in a register, one iteration on or by the same subscripts."""
    stays = distance == 1 or (distance == 0 and write.subscripts == read.subscripts)
    return 0 if stays else ROUND_TRIP_CYCLES


def stepped_ii(one: Pipeline) -> int:
    """Return the least interval at which each operation can have a cycle of its own."""
    nearest: dict[tuple[int, int, bool], tuple[int, int]] = {}
    for writer, reader, distance, cycles in stepped_waits(one):
        key = (writer, reader, distance == 0)
        nearest[key] = min(nearest.get(key, (distance, cycles)), (distance, cycles))
    steps = [
        (one.ports[writer].value, one.ports[reader].value, cycles, distance)
        for (writer, reader, _), (distance, cycles) in nearest.items()
    ]
    for operation in one.operations:
        latency = TARGET.operator(operation.operator, operation.element).latency_cycles
        steps += [(operand, operation.result, latency, 0) for operand in operation.operands]
    return next(ii for ii in range(1, 200) if is_schedulable(steps, ii))


def is_schedulable(steps: Sequence[tuple[str, str, int, int]], ii: int) -> bool:
    cycles = {name: 0 for step in steps for name in step[:2]}
    for _ in range(len(cycles) + 1):
        moved = False
        for source, sink, latency, distance in steps:
            earliest = cycles[source] + latency - ii * distance
            if earliest > cycles[sink]:
                cycles[sink], moved = earliest, True
        if not moved:
            return True
    return False


def random_body(rng: random.Random) -> Pipeline:
    """Return statements that multiply what they read of three memories, under guards."""
    ports: list[str] = []
    operations: list[str] = []
    for number_ in range(rng.randint(2, 3)):
        guard = rng.choice(
            ["", f" if i >= {rng.randint(1, N)}", " if j < i", f" if j == {rng.randint(0, 5)}"]
        )
        value = ""
        for read in range(rng.randint(1, 2)):
            name = f"v{number_}{read}"
            ports.append(f"read {rng.choice('ABC')}[{subscript(rng)}] {name}{guard}")
            if value:
                operations.append(f"m{number_} = mul {value} {name}")
                value = f"m{number_}"
            else:
                value = name
        for times in range(rng.randint(0, 2)):
            operations.append(f"a{number_}{times} = mul {value} 3")
            value = f"a{number_}{times}"
        ports.append(f"write {rng.choice('ABC')}[{subscript(rng)}] {value}{guard}")
    return pipeline({"i": N, "j": 6}, {}, ports, operations)


def subscript(rng: random.Random) -> str:
    return rng.choice(["i", "j", "i + 1", "j + 1", "i + j", "2 * j", "0", "i - j + 8"])


def test_random_bodies_run_as_fast_as_when_stepped() -> None:
    rng = random.Random(5)
    places = [memory(name, Place.LOCAL, (40,), tool_splits=True) for name in "ABC"]
    through = 0
    intervals: set[int] = set()
    for _ in range(100):
        one = random_body(rng)
        found = timed(one, *places)
        assert found.timing.ii == stepped_ii(one), one
        intervals.add(found.timing.ii)
        through += found.binding is not None and found.binding.reason is Reason.CIRCLE
    assert len(intervals) > 8
    assert through > 5


def test_a_filter_that_keeps_its_state_in_a_scalar() -> None:
    one = pipeline(
        {"i": 16, "j": 64},
        {},
        [
            "read x[i][j] x0",
            "read before[0] y1",
            "write y[i][j] y0",
            "read y[i][j] y2",
            "write before[0] y2",
        ],
        ["m = mul y1 b", "y0 = add x0 m"],
    )
    memories = [
        memory("x", Place.PING_PONG, (16, 64)),
        memory("y", Place.LOCAL, (16, 64)),
        memory("before", Place.LOCAL, (1,)),
    ]
    found = timed(one, *memories)
    assert found.timing.ii == 3 + 6
    assert str(found.binding) == "recurrence through y, before, 1 iteration around: II 9"


@pytest.mark.parametrize(("guard", "ii"), [("", 11), (" if i == 2 and j == 3", 1)])
def test_reads_that_never_meet_a_write_carry_nothing(guard: str, ii: int) -> None:
    ports = ["read A[j] a" + guard, "write A[j + 1] s" + guard]
    one = pipeline({"i": N, "j": N}, {}, ports, ["s = div x a"])
    assert timed(one, memory("A", Place.LOCAL, (16,))).timing.ii == ii
