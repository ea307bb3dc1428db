"""Comparisons of values with bounds, and what is selected by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.expression import CompareOp, LogicOp
from streamopt.verification.bounded_array import Bounded, apart, chosen, settled

if TYPE_CHECKING:
    from streamopt.verification.bounded_array import Truth

__all__ = ["Condition", "compare_bounded", "join_conditions", "select_bounded"]

_SLACK = 1.0 + 2.0**-40  # the bounds are computed in double precision as well


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """Outcome of a comparison in the reference, and where the other evaluation may differ."""

    holds: Truth
    unsure: Truth


def compare_bounded(op: CompareOp, left: Bounded, right: Bounded) -> Condition:
    """Return ``left op right`` as a truth value."""
    reach = (left.bound + right.bound) * _SLACK
    gap = np.abs(left.value - right.value)
    unsure = (reach > 0) & ~(gap > reach)
    if not np.isfinite(reach).all():
        unsure &= ~apart(left, right)
    return Condition(op.holds(left.value, right.value), unsure)


def join_conditions(op: LogicOp, left: Condition, right: Condition) -> Condition:
    """Return both or either; sure where one side alone decides."""
    if op is LogicOp.AND:
        decided = (~left.holds & ~left.unsure) | (~right.holds & ~right.unsure)
        holds = left.holds & right.holds
    else:
        decided = (left.holds & ~left.unsure) | (right.holds & ~right.unsure)
        holds = left.holds | right.holds
    return Condition(holds, (left.unsure | right.unsure) & ~decided)


def select_bounded(condition: Condition, then: Bounded, otherwise: Bounded) -> Bounded:
    """Return ``then if condition else otherwise``, with a bound that covers what may be taken."""
    value = np.where(condition.holds, then.value, otherwise.value)
    bound = np.where(condition.holds, then.bound, otherwise.bound)
    distance = np.asarray(np.abs(then.value - otherwise.value), np.float64)
    other = distance + np.where(condition.holds, otherwise.bound, then.bound)
    both = np.maximum(bound, other * _SLACK)
    bound = np.where(condition.unsure, np.where(np.isnan(both), np.inf, both), bound)
    grain = min(then.grain, otherwise.grain)
    if np.isfinite(bound).all():
        return Bounded(value, bound, grain)
    ends = chosen(condition.holds, condition.unsure, then, otherwise)
    return settled(value, bound, grain, ends)
