"""Who reads what whom wrote: against examples, and against a run that remembers writers."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

import pytest

from streamopt.analysis.dependence import (
    DataFlow,
    StatementRead,
    covers,
    data_flow,
    ordering_pairs,
)
from tests.support.programs.c_nests import body_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from streamopt.analysis.instances import StatementInstance

Point = dict[str, int]
Event = tuple[tuple[int, ...], int, Point]


def flow_of(folder: Path, text: str) -> DataFlow:
    return data_flow(body_of(folder, text).statements)


def sources(flow: DataFlow) -> dict[tuple[int, int], set[int]]:
    return {(t.statement, t.read): {*found} for t, found in flow.sources.items()}


def test_values_come_from_the_last_write(tmp_path: Path) -> None:
    text = """(double A[4], double B[4], double C[4]) {
        for (int i = 0; i < 4; i++) A[i] = B[i];
        for (int i = 1; i < 4; i++) A[i] = 1.0;
        for (int i = 0; i < 3; i++) C[i] = A[i + 1]; }"""
    flow = flow_of(tmp_path, text)
    assert sources(flow) == {(0, 0): set(), (2, 0): {1}}
    assert flow.from_before == {StatementRead(0, 0)}


def test_writes_that_may_not_happen_hide_nothing(tmp_path: Path) -> None:
    text = """(double A[4], double B[4], double C[4]) {
        for (int i = 0; i < 4; i++) A[i] = B[i];
        for (int i = 0; i < 4; i++) if (B[i] > 0.0) A[i] = 1.0;
        for (int i = 0; i < 4; i++) C[i] = A[i]; }"""
    assert sources(flow_of(tmp_path, text))[2, 0] == {0, 1}


def test_some_arrays_only(tmp_path: Path) -> None:
    text = """(double A[4], double B[4]) {
        for (int i = 1; i < 4; i++) { A[i] = A[i - 1] + B[i]; B[i] = A[i]; } }"""
    statements = body_of(tmp_path, text).statements
    assert sources(data_flow(statements, {"B"})) == {(0, 1): set()}
    assert sources(data_flow(statements, {"A"})) == {(0, 0): {0}, (1, 0): {0}}


def test_inside_one_iteration(tmp_path: Path) -> None:
    text = """(double A[4][4], double B[4]) {
        for (int i = 0; i < 4; i++) {
            B[i] = 0.0;
            for (int j = 0; j < 4; j++) B[i] = B[i] + A[i][j]; } }"""
    flow = flow_of(tmp_path, text)
    assert flow.sources[StatementRead(1, 0)] == {0, 1}
    assert flow.is_within(0, StatementRead(1, 0), 1)
    assert flow.is_within(1, StatementRead(1, 0), 1)
    assert not flow.is_within(1, StatementRead(1, 0), 2)


@pytest.mark.parametrize(
    ("loop", "whole"),
    [
        ("for (int i = 0; i < 4; i++) A[i] = 0.0;", True),
        ("for (int i = 3; i >= 0; i--) A[3 - i] = 0.0;", True),
        ("for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) A[2 * i + j] = 0.0;", True),
        ("for (int i = 1; i < 4; i++) A[i] = 0.0;", False),
        ("for (int i = 0; i < 4; i++) if (A[i] > 0.0) A[i] = 0.0;", False),
        ("for (int i = 0; i < 4; i += 2) A[i] = 0.0;", False),
    ],
)
def test_covers(loop: str, whole: bool, tmp_path: Path) -> None:
    (instance,) = body_of(tmp_path, f"(double A[4]) {{ {loop} }}").statements
    assert covers(instance, (4,)) is whole


def events(statements: tuple[StatementInstance, ...]) -> list[Event]:
    """Every instance in the order of the source; conditions must be affine and none."""
    found: list[Event] = []
    for at, instance in enumerate(statements):
        for point in _points(instance, 0, {}):
            time = [instance.position[0]]
            for name, place in zip(instance.iterators, instance.position[1:], strict=True):
                time += [point[name], place]
            found.append((tuple(time), at, point))
    return sorted(found, key=lambda event: (event[0], event[1]))


def _points(instance: StatementInstance, depth: int, point: Point) -> Iterator[Point]:
    if depth == len(instance.loops):
        yield dict(point)
        return
    loop = instance.loops[depth]
    low = max(bound.evaluate(point) for bound in loop.lower)
    high = min(bound.evaluate(point) for bound in loop.upper)
    for value in range(low, high):
        yield from _points(instance, depth + 1, {**point, loop.iterator: value})


def random_text(rng: random.Random) -> str:
    """Two to four statements on two arrays, in nests that share loops or don't."""
    text = ""
    for number in range(rng.randint(1, 3)):
        i, j = f"i{number}", f"j{number}"
        subscripts = (i, f"{i} + 1", f"3 - {i}", "1")
        inner = (j, f"{i} + {j}", f"{i} - {j} + 2", i)
        one, two, three, four = (rng.choice(subscripts) for _ in range(4))
        first = f"A[{one}] = B[{two}] + A[{three}];"
        second = f"{rng.choice('AB')}[{rng.choice(inner)}] = A[{rng.choice(inner)}] * B[{four}];"
        low = rng.choice(("0", "1", i))
        loop = f"for (int {j} = {low}; {j} < 3; {j}++) {second}"
        body = rng.choice((f"{first} {loop}", f"{loop} {first}", loop))
        text += f"for (int {i} = 0; {i} < 3; {i}++) {{ {body} }}"
    return f"(double A[9], double B[9]) {{ {text} }}"


def closure(pairs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the pairs that follow from pairs: from each first to all that can be reached."""
    found = {*pairs}
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return found


@pytest.mark.parametrize("seed", range(40))
def test_equals_a_run_that_remembers(seed: int, tmp_path: Path) -> None:
    statements = body_of(tmp_path, random_text(random.Random(seed))).statements
    for at_once in (0, 48):
        flow, pairs = data_flow(statements, at_once=at_once), ordering_pairs(statements, at_once)
        check_remembered(statements, flow, pairs)


def check_remembered(
    statements: tuple[StatementInstance, ...], flow: DataFlow, pairs: frozenset[tuple[int, int]]
) -> None:
    last: dict[tuple[str, int], int] = {}
    found = {touch: set[int]() for touch in flow.sources}
    before: set[StatementRead] = set()
    touched: list[tuple[int, int, str, int, bool]] = []
    for time, (_, at, point) in enumerate(events(statements)):
        instance = statements[at]
        for number, access in enumerate(instance.reads):
            place = access.array, access.subscripts[0].evaluate(point)
            touched.append((time, at, *place, False))
            if place in last:
                found[StatementRead(at, number)].add(last[place])
            else:
                before.add(StatementRead(at, number))
        place = instance.target.array, instance.target.subscripts[0].evaluate(point)
        touched.append((time, at, *place, True))
        last[place] = at
    assert {touch: {*writers} for touch, writers in flow.sources.items()} == found
    assert flow.from_before == before
    expected = {
        (one[1], other[1])
        for one, other in product(touched, touched)
        if one[0] < other[0] and one[2:4] == other[2:4] and (one[4] or other[4])
    }
    expected = {(one, other) for one, other in expected if one != other}
    assert pairs <= expected
    assert closure(pairs) == closure(expected)
