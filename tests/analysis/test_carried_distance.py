"""Distances of writes and reads against stepping through all iterations."""

from __future__ import annotations

import random
from itertools import product

from streamopt.analysis.carried_distance import carried_distance
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Compare, CompareOp, Index, Literal

LOOPS = (("i", 5), ("j", 4))


def stepped(write: tuple[Affine, ...], read: tuple[Affine, ...], most_i: int) -> int | None:
    points = [{"i": i, "j": j} for i, j in product(range(5), range(4))]
    written: dict[tuple[int, ...], int] = {}
    best: int | None = None
    for row, point in enumerate(points):
        element = tuple(subscript.evaluate(point) for subscript in read)
        if element in written:
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
        found = carried_distance(write, read, LOOPS, guard)
        assert found == stepped(write, read, most)
        kinds.add(found)
    assert None in kinds
    assert len(kinds) > 3
