"""Budgets of who counts otherwise than the design as built."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from streamopt.strategies.resources.largest_budget import Trial, largest_within

LIMIT = 400
TRIALS = 8


@dataclass
class Strategy:
    """One that uses its whole budget, up to what it can use, in DSPs of its own count."""

    built_per_counted: float
    most_counted: int = 10**6
    asked: list[int] = field(default_factory=list[int])

    def __call__(self, budget: int) -> Trial[int]:
        self.asked.append(budget)
        counted = min(budget, self.most_counted)
        return Trial(counted, budget, round(counted * self.built_per_counted), counted)


@pytest.mark.parametrize("built_per_counted", [0.2, 0.5, 0.95, 1.0, 1.3, 2.5])
def test_design_takes_nearly_all_of_the_limit_as_built(built_per_counted: float) -> None:
    found = largest_within(Strategy(built_per_counted), LIMIT, TRIALS, may_grow=True)
    assert found is not None
    assert 0.9 * LIMIT <= found.used_dsps <= LIMIT


def test_budgets_grow_only_where_they_may_and_help() -> None:
    fixed = Strategy(0.2)
    assert largest_within(fixed, LIMIT, TRIALS) is not None
    assert fixed.asked == [LIMIT]
    content = Strategy(0.2, most_counted=100)
    assert largest_within(content, LIMIT, TRIALS, may_grow=True) is not None
    assert content.asked == [LIMIT]


def test_nothing_where_even_the_least_is_too_large() -> None:
    def stubborn(budget: int) -> Trial[int]:
        return Trial(budget, budget, 500, 500)

    assert largest_within(stubborn, LIMIT, TRIALS) is None
