from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamopt.ir.affine import Affine
from streamopt.ir.algebra.sequences import fitted

N = Affine.iterator("n")


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("width", [2, 4])
def test_steps_that_repeat_are_floors(step: int, width: int) -> None:
    points = [(n, step * n + 5 * (n // width)) for n in range(16)]
    found = fitted(points, N)
    assert found is not None
    assert [(n, found.evaluate({"n": n})) for n, _ in points] == points


def test_numbers_without_a_rule_have_no_expression() -> None:
    assert fitted([(0, 1), (1, 5), (2, 2), (3, 9), (4, 4)], N) is None


@given(st.dictionaries(st.integers(0, 30), st.integers(-9, 9), min_size=1))
@settings(max_examples=200, deadline=None)
def test_what_is_found_has_the_numbers(numbers: dict[int, int]) -> None:
    found = fitted(sorted(numbers.items()), N)
    if found is not None:
        assert {at: found.evaluate({"n": at}) for at in numbers} == numbers
