"""Conditions made short have the truth that they had before."""

from __future__ import annotations

import random
from itertools import product

import pytest

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Compare, CompareOp, Condition, Index, Literal, Logic, LogicOp
from streamopt.ir.text import expression_text
from streamopt.transforms.restructure.conditions import conjunction, simplified

TRIPS = {"i": 5, "j": 4}
FIRST, SECOND = Affine.iterator("i"), Affine.iterator("j")


def compare(left: Affine, op: str, right: Affine) -> Compare:
    return Compare(CompareOp(op), Index(left), Index(right))


def holds(condition: Condition | bool, point: dict[str, int]) -> bool:
    match condition:
        case bool():
            return condition
        case Logic(op, operands):
            parts = [holds(operand, point) for operand in operands]
            return all(parts) if op is LogicOp.AND else any(parts)
        case Compare(op, left, right):
            values = [
                side.value.evaluate(point) if isinstance(side, Index) else side
                for side in (left, right)
            ]
            one, other = (v.value if isinstance(v, Literal) else v for v in values)
            return bool(eval(f"{one} {op} {other}"))


def random_sum(rng: random.Random) -> Affine:
    first, second = (n.scaled(rng.randint(-2, 2)) for n in (FIRST, SECOND))
    return first + second + Affine.of(rng.randint(-5, 5))


def random_condition(rng: random.Random, depth: int = 2) -> Condition:
    if depth and rng.random() < 0.4:
        op = rng.choice([*LogicOp])
        return Logic(op, tuple(random_condition(rng, depth - 1) for _ in range(rng.randint(2, 3))))
    sides = [random_sum(rng), random_sum(rng)]
    if rng.random() < 0.4:
        sides[0] = sides[0].floordiv(rng.randint(2, 4))
    return Compare(rng.choice([*CompareOp]), Index(sides[0]), Index(sides[1]))


@pytest.mark.parametrize("seed", range(200))
def test_truth_stays(seed: int) -> None:
    rng = random.Random(seed)
    conditions = [random_condition(rng) for _ in range(rng.randint(1, 3))]
    short = conjunction(conditions, TRIPS)
    for i, j in product(range(TRIPS["i"]), range(TRIPS["j"])):
        point = {"i": i, "j": j}
        assert holds(short, point) is all(holds(c, point) for c in conditions)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (compare(SECOND - Affine.of(1), "<", FIRST - Affine.of(1)), "j < i"),
        (compare(SECOND, "<", FIRST + Affine.of(1)), "j <= i"),
        (compare(FIRST, ">", Affine.of(2)), "i >= 3"),
        (compare(FIRST, "<=", Affine.of(2)), "i < 3"),
        (compare(FIRST, "<", (SECOND + Affine.of(1)).floordiv(2)), "j > 2*i"),
        (compare(FIRST, "==", SECOND), "i == j"),
    ],
)
def test_few_terms(condition: Condition, text: str) -> None:
    short = simplified(condition, TRIPS)
    assert not isinstance(short, bool)
    assert expression_text(short) == text


def test_what_loops_decide() -> None:
    assert simplified(compare(FIRST, "<", Affine.of(5)), TRIPS) is True
    assert simplified(compare(FIRST, "<", Affine.of(0)), TRIPS) is False
    inside = compare(FIRST, ">=", Affine.of(0))
    assert conjunction([inside, compare(FIRST, "==", SECOND)], TRIPS) == compare(
        FIRST, "==", SECOND
    )
    assert conjunction([], TRIPS) is True
