"""Sets of labels: partial schedules by what the rest of the graph sees of them.

A label has a state (which must match), times and DSPs (better when smaller).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]

__all__ = ["SearchStoppedError", "SearchTooLargeError", "codes", "joined"]

MOST_PAIRS = 6_000_000
"""Labels of a component before it is trimmed: about 1 GB."""


class SearchStoppedError(Exception):
    """The caller asked to stop."""


class SearchTooLargeError(Exception):
    """Too many states are open at once for this search."""


def codes(columns: Integers) -> Integers:
    """Return one number for every row, equal where the rows are equal; shape (rows,)."""
    result = np.zeros(len(columns), dtype=np.int64)
    for column in columns.T:
        _, place = np.unique(column, return_inverse=True)
        result = result * (int(place.max(initial=0)) + 1) + place.ravel()
        if result.max(initial=0) > 1 << 40:
            result = np.unique(result, return_inverse=True)[1].ravel()
    return result


def joined(left: Integers, right: Integers) -> tuple[Integers, Integers]:
    """Return all pairs of rows that are equal, as positions in each; both have equal columns.

    Raises
    ------
    SearchTooLargeError
        If there are more than `MOST_PAIRS`.
    """
    both = codes(np.concatenate([left, right]))
    first, second = both[: len(left)], both[len(left) :]
    ranked = np.argsort(second, kind="stable")
    low = np.searchsorted(second[ranked], first, side="left")
    count = np.searchsorted(second[ranked], first, side="right") - low
    if count.sum() > MOST_PAIRS:
        raise SearchTooLargeError
    lefts = np.repeat(np.arange(len(left)), count)
    inside = np.arange(len(lefts)) - np.repeat(np.cumsum(count) - count, count)
    return lefts, ranked[np.repeat(low, count) + inside]
