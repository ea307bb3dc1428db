"""Column generation: the relaxation solved over few labels, which its prices choose (E13).

The master program holds some labels of every piece. Its prices give every label a reduced cost;
each piece adds its cheapest ones, until none is below zero. Any prices give a lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import optimize

from streamopt.search.instance import NO_WALK
from streamopt.search.labels import SearchStoppedError, codes

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from streamopt.search.relaxation import Relaxation

    Integers = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

__all__ = ["Clock", "Priced", "generated"]

TOLERANCE = 1e-7
"""Of reduced costs, in horizons."""
INFEASIBLE = 2
"""Status of linprog."""
NEW_LABELS = 10
"""Labels that a piece may add at once."""
MOST_ROUNDS = 60
"""Rounds of new labels."""


@dataclass(frozen=True, slots=True)
class Clock:
    """What a long computation asks and tells while it runs.

    Attributes
    ----------
    seconds_left
        Infinite without a time limit.
    should_stop
        Asked often; true ends it.
    on_bound
        Told every lower bound, in horizons.
    """

    seconds_left: Callable[[], float]
    should_stop: Callable[[], bool]
    on_bound: Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Priced:
    """A master program that was solved; all times in horizons.

    Attributes
    ----------
    value
        Its least cost.
    bound
        No mixture of all labels costs less.
    weights
        Of all labels; zero outside the master.
    reduced
        Reduced costs of all labels, above those of the cheapest label of their piece.
    """

    value: float
    bound: float
    weights: Floats
    reduced: Floats


def generated(problem: Relaxation, closeness: float, clock: Clock) -> Priced | None:
    """Return the master program of the best bound; None if it has no solution.

    Parameters
    ----------
    closeness
        It ends when the bound is that close to the master's value, relative, or beyond the
        horizon.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it, or the time is up.
    """
    held = _first_labels(problem)
    best: Priced | None = None
    for _ in range(MOST_ROUNDS):
        priced = _solved(problem, held, clock)
        if priced is None:
            return best
        if best is None or priced.bound > best.bound:
            best = priced
            clock.on_bound(best.bound)
        new = _cheapest(problem, held, priced)
        is_close = priced.value - best.bound <= closeness * abs(priced.value)
        if is_close or best.bound > 1.0 or not len(new):
            break
        held[new] = True
    return best


def _solved(problem: Relaxation, held: Flags, clock: Clock) -> Priced | None:
    """Return the master program solved over the held labels; None if it has no solution."""
    seconds = clock.seconds_left()
    if seconds <= 0 or clock.should_stop():
        raise SearchStoppedError
    places = np.flatnonzero(held)
    taken = np.concatenate([places, np.arange(problem.labels, len(problem.costs))])
    matrix = problem.matrix[:, taken].tocsr()
    equal = problem.is_equal
    library: Any = optimize
    found = library.linprog(
        problem.costs[taken],
        A_ub=matrix[~equal],
        b_ub=problem.limits[~equal],
        A_eq=matrix[equal],
        b_eq=problem.limits[equal],
        bounds=(0.0, None),
        method="highs",
        options={} if seconds == np.inf else {"time_limit": seconds},
    )
    if found.status == INFEASIBLE:
        return None
    if found.status != 0:
        raise SearchStoppedError
    prices = np.zeros(len(equal))
    prices[equal] = found.eqlin.marginals
    prices[~equal] = np.minimum(found.ineqlin.marginals, 0.0)
    weights = np.zeros(problem.labels)
    weights[places] = found.x[: len(places)]
    return _priced(problem, float(found.fun), prices, weights)


def _priced(problem: Relaxation, value: float, prices: Floats, weights: Floats) -> Priced:
    """Return the bound and reduced costs of some prices (E13); any prices do.

    A schedule has no excess, so its variable has no part in the bound.
    """
    reduced: Floats = np.asarray(problem.costs - problem.matrix.T @ prices)
    labels = reduced[: problem.labels]
    least = np.minimum.reduceat(labels, problem.offsets[:-1])
    times = reduced[problem.labels : -1]
    ends = np.where(times > 0, problem.lower, problem.upper)
    bound = float(prices @ problem.limits) + float(least.sum()) + float(times @ ends)
    above = labels - np.repeat(least, np.diff(problem.offsets))
    return Priced(value, bound, weights, above)


def _cheapest(problem: Relaxation, held: Flags, priced: Priced) -> Integers:
    """Return the cheapest labels of every piece that the master program lacks."""
    sizes = np.diff(problem.offsets)
    piece = np.repeat(np.arange(len(sizes)), sizes)
    slack = max(TOLERANCE, (priced.value - priced.bound) / 2)
    candidates = np.flatnonzero(~held & (priced.reduced < slack))
    ranked = candidates[np.lexsort((priced.reduced[candidates], piece[candidates]))]
    owner = piece[ranked]
    place = np.arange(len(ranked)) - np.searchsorted(owner, owner)
    return ranked[place < NEW_LABELS]


def _first_labels(problem: Relaxation) -> Flags:
    """Return the labels to begin with.

    For each choice of tile classes: the fastest, the smallest, and one between of those that wait
    for all that their sources write, so that the master program has a solution.
    """
    held = np.zeros(problem.labels, dtype=bool)
    for place, piece in enumerate(problem.cut.pieces):
        kinds = np.array([kind == "class" for kind, _ in piece.properties], dtype=bool)
        needs = np.array([kind == "need" for kind, _ in piece.properties], dtype=bool)
        waits = (piece.state[:, needs] == NO_WALK).all(axis=1)
        states = codes(piece.state[:, kinds])
        last = piece.last.max(axis=1)
        between = np.log(last + 1.0) + np.log(piece.dsps + 1.0)
        for costs in (piece.dsps, last, between):
            ranked = np.lexsort((costs, ~waits, states))
            heads = np.flatnonzero(np.diff(states[ranked], prepend=-1))
            held[problem.offsets[place] + ranked[heads]] = True
    return held
