"""Budgets for who counts otherwise than the design as built: asked again until the design fits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

ROOM = 0.9
"""Share of the limit below which a design leaves room for a larger budget."""


@dataclass(frozen=True, slots=True)
class Trial(Generic[T]):
    """An answer under a budget of its own count."""

    answer: T
    budget: int
    used_dsps: int
    """As built, all operators counted."""
    estimated_dsps: int | None
    """By its own count; None where it doesn't say. Any budget from there on is answered the
    same."""


def largest_within(
    ask: Callable[[int], Trial[T]], limit_dsps: int, most_trials: int, *, may_grow: bool = False
) -> Trial[T] | None:
    """Return the answer of the largest budget found whose design keeps the limit as built.

    Parameters
    ----------
    ask
        Returns the trial of a budget, in DSPs.
    may_grow
        Whether budgets above the limit are tried where designs take less than they count.

    Returns
    -------
    Trial or None
        None if all designs that were tried are over the limit.
    """
    best: Trial[T] | None = None
    budget = limit_dsps
    least, most = 0, None if may_grow else limit_dsps
    for _ in range(most_trials):
        trial = ask(budget)
        used = max(1, trial.used_dsps)
        if used <= limit_dsps:
            best, least = trial, budget
        else:
            most = budget = min(budget, trial.estimated_dsps or budget)
        if most is None:
            counted = budget if trial.estimated_dsps is None else trial.estimated_dsps
            if used > ROOM * limit_dsps or counted < ROOM * budget:
                break
            budget = budget * limit_dsps // used
            continue
        if most - least <= 1:
            break
        shrunk = budget * limit_dsps // used
        budget = shrunk if best is None and shrunk > least else (least + most) // 2
    return best
