"""Distances of writes and reads against stepping through all iterations."""

from __future__ import annotations

import random
from itertools import product

from streamopt.analysis.carried_distance import carried_distance, meet_at_once
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Compare, CompareOp, Index, Literal, Logic, LogicOp

LOOPS = (("i", 5), ("j", 4))


def stepped(
    write: tuple[Affine, ...], read: tuple[Affine, ...], most_i: int, least_j: int
) -> int | None:
    points = [{"i": i, "j": j} for i, j in product(range(5), range(4))]
    written: dict[tuple[int, ...], int] = {}
    best: int | None = None
    for row, point in enumerate(points):
        element = tuple(subscript.evaluate(point) for subscript in read)
        if element in written and point["j"] >= least_j:
            distance = row - written[element]
            best = distance if best is None else min(best, distance)
        if point["i"] <= most_i:
            written[tuple(subscript.evaluate(point) for subscript in write)] = row
    return best


def test_distances_are_those_of_a_run() -> None:
    rng = random.Random(3)
    kinds: set[int | None] = set()
    for _ in range(60):
        write, read = (
            tuple(
                Affine.iterator("i").scaled(rng.randint(-1, 2))
                + Affine.iterator("j").scaled(rng.randint(-2, 1))
                + Affine.of(rng.randint(-1, 1))
                for _ in range(2)
            )
            for _ in range(2)
        )
        most = rng.choice((1, 4))
        guard = Compare(CompareOp.LE, Index(Affine.iterator("i")), Literal(float(most)))
        least = rng.choice((0, 2))
        reading = Compare(CompareOp.GE, Index(Affine.iterator("j")), Literal(float(least)))
        found = carried_distance(write, read, LOOPS, guard, reading)
        assert found == stepped(write, read, most, least)
        kinds.add(found)
    assert None in kinds
    assert len(kinds) > 3


def test_meetings_in_one_iteration() -> None:
    i, j = Affine.iterator("i"), Affine.iterator("j")
    odd = Compare(CompareOp.EQ, Index(i), Literal(1.0))
    even = Compare(CompareOp.EQ, Index(i), Literal(2.0))
    assert meet_at_once((i,), (j,), LOOPS)
    assert meet_at_once((i,), (j,), LOOPS, odd)
    assert not meet_at_once((i,), (j,), LOOPS, odd, even)
    assert not meet_at_once((i,), (i + Affine.of(1),), LOOPS)
    assert meet_at_once((Affine(),), (Affine(),), ())


def test_only_whole_affine_conditions_are_looked_at() -> None:
    i = Affine.iterator("i")
    half = Compare(CompareOp.LT, Index(i), Literal(0.5))
    first = Compare(CompareOp.LT, Index(i), Literal(1.0))
    assert carried_distance((i,), (Affine(),), LOOPS, half) == 1
    never = Logic(LogicOp.AND, (half, first, Compare(CompareOp.GT, Index(i), Literal(3.0))))
    assert carried_distance((i,), (Affine(),), LOOPS, never) is None
