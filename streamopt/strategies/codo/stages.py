"""The three stages of the scheduler: parallelism degrees from latencies.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026, section VI. The text
of the paper has lost its formulas; the factors of stage two are those of its code.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["BALANCE", "MOST_ROUNDS", "allocated", "downscaled", "upscaled"]

BALANCE = Fraction(9, 5)
"""The threshold n of the paper."""
MOST_ROUNDS = 3
"""Rounds of a stage at most: ``adjust-cnt`` of the code."""


def allocated(untiled_cycles: Mapping[str, int], cap: int) -> dict[str, int]:
    """Return degrees in proportion to latencies, 1 at least and the cap for the longest (PA).

    Parameters
    ----------
    untiled_cycles
        By node, without unrolling.

    Examples
    --------
    >>> allocated({"conv": 800, "pool": 200, "relu": 100}, 8)
    {'conv': 8, 'pool': 2, 'relu': 1}
    """
    longest = max(untiled_cycles.values(), default=1)
    return {name: max(1, cap * own // longest) for name, own in untiled_cycles.items()}


def upscaled(
    degrees: Mapping[str, int], cycles: Mapping[str, int], bottlenecks: Collection[str], cap: int
) -> dict[str, int]:
    """Return the degrees after one round of stage two (UP).

    A bottleneck nest that takes at least n times as long as the fastest of them gets twice its
    degree, four times where it takes more than 3 n times as long; the cap at most.

    Examples
    --------
    >>> upscaled({"a": 4, "b": 2}, {"a": 100, "b": 180}, {"a", "b"}, 8)
    {'a': 4, 'b': 4}
    """
    least = min((cycles[name] for name in bottlenecks), default=0)
    found = dict(degrees)
    for name in bottlenecks:
        if cycles[name] >= BALANCE * least:
            factor = 4 if cycles[name] > 3 * BALANCE * least else 2
            found[name] = max(degrees[name], min(cap, degrees[name] * factor))
    return found


def downscaled(degrees: Mapping[str, int], cycles: Mapping[str, int]) -> dict[str, int]:
    """Return the degrees after one round of stage three (DP).

    A nest that is at least n times as fast as the longest has its degree divided by n, rounded up.

    Examples
    --------
    >>> downscaled({"a": 9, "b": 9}, {"a": 180, "b": 100})
    {'a': 9, 'b': 5}
    """
    longest = max(cycles.values(), default=0)
    return {
        name: max(1, -(-degree * BALANCE.denominator // BALANCE.numerator))
        if cycles[name] * BALANCE <= longest
        else degree
        for name, degree in degrees.items()
    }
