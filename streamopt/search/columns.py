"""Column generation: the relaxation solved over few labels, which its prices choose (E13).

The master program holds some labels of every piece. Its prices give every label a reduced cost;
each piece adds its cheapest ones and drops dear ones, until none is below zero. Any prices give a
lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy import sparse

from streamopt.search.instance import NO_WALK
from streamopt.search.labels import SearchStoppedError, codes
from streamopt.search.relaxation import RowKind
from streamopt.solvers.interior import InteriorPoint, LinearProgram, interior_point

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from streamopt.search.relaxation import Key, Relaxation

    Integers = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

__all__ = ["Clock", "Priced", "generated"]

TOLERANCE = 1e-7
"""Of reduced costs, in horizons."""
NEW_LABELS = 10
"""Labels that a piece may add at once."""
STEPS = (0.6, 0.3, 0.1, 0.03)
"""From the best prices towards those of the master program."""
MOST_ROUNDS = 60
"""Rounds of new labels."""
DSP_CAP = 4.0
"""Price of the DSPs to begin with: horizons for twice the limit, at most."""
PIECE_CAP = 16.0
"""Price of a stream or tile class that does not match, at most, to begin with: in the time that
a piece would have if all had the same."""
CAP_GROWTH = 4.0
EXCESS = 1e-4
"""What a row pays for excess, relative to the value, from which its cap grows."""
SHARES = (1.0, 0.25, 0.0625)
"""How critical a piece may be, for labels to begin with."""


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
    prices
        Of all rows.
    """

    value: float
    bound: float
    weights: Floats
    reduced: Floats
    prices: Floats


def generated(
    problem: Relaxation, closeness: float, clock: Clock, known: Mapping[Key, float] | None = None
) -> Priced:
    """Return prices of the best bound, and the last mixture.

    Parameters
    ----------
    closeness
        It ends when the bound is that close to the master's value, relative, or beyond the
        horizon.
    known
        Prices to begin with, by the names of rows.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it, or the time is up.
    """
    caps = _first_caps(problem)
    held = _first_labels(problem)
    best: Priced | None = None
    if known:
        best = _priced(problem, np.inf, problem.known_prices(known), np.zeros(problem.labels))
        clock.on_bound(best.bound)
        held = _cheapest(problem, ~held, best.reduced)
    for _ in range(MOST_ROUNDS):
        priced, exceeds = _solved(problem, held, caps, clock)
        better = priced if best is None else _between(problem, best, priced)
        if best is None or better.bound > best.bound:
            best = better
            clock.on_bound(best.bound)
        gap = priced.value - best.bound
        new = _cheapest(problem, held, priced.reduced, max(TOLERANCE, gap / 2))
        if best is not priced:
            new |= _cheapest(problem, held, best.reduced, max(TOLERANCE, gap / 2))
        is_close = gap <= closeness * abs(priced.value) or not new.any()
        if best.bound > 1.0 or (is_close and not exceeds.any()):
            break
        held |= new
        caps = np.where(exceeds, caps * CAP_GROWTH, caps)
    assert best is not None
    return best


def _solved(
    problem: Relaxation, held: Flags, caps: Floats, clock: Clock
) -> tuple[Priced, Flags]:
    """Return the master program solved over the held labels, and which rows pay for excess."""
    places = np.flatnonzero(held)
    over = np.flatnonzero(np.isfinite(caps))
    excess = np.concatenate([over, over[problem.is_equal[over]]])
    point = _master(problem, places, excess, caps, clock)
    prices = np.where(problem.is_equal, point.prices, np.minimum(point.prices, 0.0))
    weights = np.zeros(problem.labels)
    weights[places] = point.values[: len(places)]
    paid = np.zeros(len(caps))
    np.add.at(paid, excess, point.values[-len(excess) :] * caps[excess])
    return _priced(problem, point.value, prices, weights), paid > EXCESS * abs(point.value)


def _master(
    problem: Relaxation, places: Integers, excess: Integers, caps: Floats, clock: Clock
) -> InteriorPoint:
    """Return the interior point of the master program; excess of a row costs its cap."""
    seconds = clock.seconds_left()
    if seconds <= 0 or clock.should_stop():
        raise SearchStoppedError
    library = cast("Any", sparse)
    rows = len(problem.limits)
    taken = np.concatenate([places, np.arange(problem.labels, len(problem.costs))])
    signs = np.where(np.arange(len(excess)) < np.isfinite(caps).sum(), -1.0, 1.0)
    slack = library.csc_array((signs, (excess, np.arange(len(excess)))), (rows, len(excess)))
    program = LinearProgram(
        costs=np.concatenate([problem.costs[taken], caps[excess]]),
        matrix=library.hstack([problem.matrix[:, taken], slack], format="csc"),
        row_lower=np.where(problem.is_equal, problem.limits, -np.inf),
        row_upper=problem.limits,
    )
    point = interior_point(program, seconds, clock.should_stop)
    if point is None:
        raise SearchStoppedError
    return point


def _first_caps(problem: Relaxation) -> Floats:
    """Return the first caps of all prices; infinite for weights and times."""
    piece = PIECE_CAP / len(problem.cut.pieces)
    known = {RowKind.DSPS: DSP_CAP, RowKind.NEED: piece, RowKind.CLASS: piece}
    return np.array([known.get(cast("RowKind", key[0]), np.inf) for key in problem.keys])


def _between(problem: Relaxation, best: Priced, found: Priced) -> Priced:
    """Return the best bound of some prices between the best ones and those just found."""
    for step in STEPS:
        prices = best.prices + step * (found.prices - best.prices)
        tried = _priced(problem, found.value, prices, found.weights)
        if tried.bound > found.bound:
            found = tried
    return found


def _priced(problem: Relaxation, value: float, prices: Floats, weights: Floats) -> Priced:
    """Return the bound and reduced costs of some prices (E13); any prices do."""
    reduced: Floats = np.asarray(problem.costs - problem.matrix.T @ prices)
    labels = reduced[: problem.labels]
    least = np.minimum.reduceat(labels, problem.offsets[:-1])
    times = reduced[problem.labels :]
    ends = np.where(times > 0, problem.lower, problem.upper)
    bound = float(prices @ problem.limits) + float(least.sum()) + float(times @ ends)
    above = labels - np.repeat(least, np.diff(problem.offsets))
    return Priced(value, bound, weights, above, prices)


def _cheapest(
    problem: Relaxation, held: Flags, reduced: Floats, slack: float = np.inf
) -> Flags:
    """Return the cheapest labels of every piece that the master program lacks."""
    return _lowest(problem, ~held & (reduced < slack), reduced, NEW_LABELS)


def _lowest(problem: Relaxation, among: Flags, reduced: Floats, most: int) -> Flags:
    """Return at most that many labels of every piece, those of the lowest reduced costs."""
    sizes = np.diff(problem.offsets)
    piece = np.repeat(np.arange(len(sizes)), sizes)
    candidates = np.flatnonzero(among)
    ranked = candidates[np.lexsort((reduced[candidates], piece[candidates]))]
    owner = piece[ranked]
    place = np.arange(len(ranked)) - np.searchsorted(owner, owner)
    lowest = np.zeros(problem.labels, dtype=bool)
    lowest[ranked[place < most]] = True
    return lowest


def _first_labels(problem: Relaxation) -> Flags:
    """Return the labels to begin with, as if a horizon and all DSPs cost the same.

    If the latency is about inverse to the DSPs, that is what they cost at the optimum. For each
    choice of tile classes, some that wait for all that their sources write.
    """
    held = np.zeros(problem.labels, dtype=bool)
    horizon, limit = problem.cut.horizon_cycles, problem.cut.problem.dsp_limit
    for place, piece in enumerate(problem.cut.pieces):
        kinds = np.array([kind == "class" for kind, _ in piece.properties], dtype=bool)
        needs = np.array([kind == "need" for kind, _ in piece.properties], dtype=bool)
        waits = (piece.state[:, needs] == NO_WALK).all(axis=1)
        states = codes(piece.state[:, kinds])
        last = piece.last.max(axis=1) / horizon
        for share in SHARES:
            costs = share * last + piece.dsps / limit
            for ranked in (np.lexsort((costs, ~waits, states)), np.lexsort((costs, waits, states))):
                heads = np.flatnonzero(np.diff(states[ranked], prepend=-1))
                held[problem.offsets[place] + ranked[heads]] = True
    return held
