"""Indices in C++ round down, whatever the sign of what they divide."""

from __future__ import annotations

import pytest

from streamopt.codegen.stepped.indices import IndexNames
from streamopt.ir.affine import Affine

FIRST, SECOND = Affine.iterator("i"), Affine.iterator("j")


@pytest.mark.parametrize("divisor", [2, 3, 8, 10])
@pytest.mark.parametrize(
    "value", [FIRST, FIRST - SECOND, SECOND.scaled(3) - FIRST.scaled(2) - Affine.of(4)]
)
def test_quotients_and_remainders_round_down(value: Affine, divisor: int) -> None:
    reach = {"i": (0, 9), "j": (0, 9)}
    names = IndexNames({"i": FIRST, "j": SECOND}, reach)
    quotient, remainder = (names.text(one) for one in (value.floordiv(divisor), value.mod(divisor)))
    for i in range(10):
        for j in range(10):
            point = {"i": i, "j": j}
            whole = value.evaluate(point)
            assert eval(_of_c(quotient), {}, point) == whole // divisor
            assert eval(_of_c(remainder), {}, point) == whole % divisor


def _of_c(text: str) -> str:
    return text.replace(" / ", " // ")


def test_divisions_never_see_a_negative_number() -> None:
    names = IndexNames({"i": FIRST}, {"i": (0, 9)})
    assert names.text((FIRST - Affine.of(5)).floordiv(3)) == "(i + 1) / 3 - 2"
    assert names.text((FIRST - Affine.of(5)).mod(3)) == "(i + 1) % 3"
    assert names.text((FIRST - Affine.of(5)).floordiv(4)) == "((i - 5) >> 2)"
