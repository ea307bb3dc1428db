"""Primal-dual column generation: the relaxation solved over labels that its prices choose (E13).

The master program holds some labels of every piece. Its prices give every label a reduced cost;
each piece adds its cheapest ones until none is below zero. Any prices give a lower bound, so those
of every interior point are used, long before the master program is optimal [1].

[1] Gondzio, Gonzalez-Brevis and Munari, New developments in the primal-dual column generation
    technique, European Journal of Operational Research 224(1), 2013.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

from streamopt.search.instance import NO_WALK
from streamopt.search.labels.component import SearchStoppedError, codes
from streamopt.search.relaxation.interior_point import InteriorPoint, LinearProgram, interior_points
from streamopt.search.relaxation.master_program import Key, Relaxation, RowKind

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ColumnTuning:
    """Labels of the master program; not measured."""

    most_rounds: int = 60  # rounds of new labels
    new_labels: int = 100  # labels that a piece may add at once
    # labels to begin with, if there are not more; the cheapest, if prices are known
    most_labels: int = 400_000
    known_labels: int = 30  # labels of a piece to begin with, if prices are known, at least
    # how critical a piece may be, for labels to begin with
    first_shares: tuple[float, ...] = (1.0, 0.25, 0.0625)
    # smaller weights count as zero: interior points have none that is zero
    least_weight: float = 0.02
    tolerance: float = 1e-7  # of reduced costs, in horizons
    most_missing: float = 1e-2  # violation of all rows together, at most


@dataclass(frozen=True, slots=True)
class PriceCapTuning:
    """Prices up to which rows may be exceeded; not measured."""

    dsps: float = 4.0  # price of the DSPs to begin with: horizons for twice the limit, at most
    # price of a stream or tile class that does not match, at most, to begin with: in the time
    # that a piece would have if all had the same
    piece: float = 4.0
    growth: float = 4.0  # of a cap that mixtures pay
    excess: float = 1e-2  # share of the allowed payment for excess, from which a row's cap grows


TUNING = ColumnTuning()
CAPS = PriceCapTuning()


@dataclass(frozen=True, slots=True)
class Clock:
    """Calls of a long computation while it runs."""

    should_stop: Callable[[], bool]
    """Called often; true ends it."""
    on_bound: Callable[[float], None]
    """Called with every lower bound, in horizons."""


@dataclass(frozen=True, slots=True)
class Priced:
    """A master program that was solved; all times in horizons."""

    bound: float
    """No mixture of all labels costs less."""
    weights: Floats
    """Of all labels; zero outside the master."""
    reduced: Floats
    """Reduced costs of all labels, above those of the cheapest label of their piece."""
    prices: Floats
    """Of all rows."""
    times: Floats
    """First and last write of every piece's exit, with the weights."""


def generated(
    problem: Relaxation, closeness: float, clock: Clock, known: Mapping[Key, float] | None = None
) -> Priced:
    """Return prices of the best bound, and the last mixture.

    Parameters
    ----------
    closeness
        Relative distance of the bound to the master's value at which it ends; it also ends
        beyond the horizon.
    known
        Prices to begin with, by the names of rows.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it, or the time is up.
    """
    master = _MasterProgram(problem, closeness, clock, known or {})
    for _ in range(TUNING.most_rounds):
        if master.solve() or not master.grow():
            break
    return master.best


class _MasterProgram:
    """The master program over the labels that are held, and its best prices so far."""

    def __init__(
        self, problem: Relaxation, closeness: float, clock: Clock, known: Mapping[Key, float]
    ) -> None:
        self._problem = problem
        self._closeness = closeness
        self._clock = clock
        self._caps = _first_caps(problem)
        self._held = _first_labels(problem)
        self.value = inf
        self.best = self._found = _priced(problem, problem.known_prices(known))
        clock.on_bound(self.best.bound)
        if known:
            most = max(TUNING.known_labels, _most_of_each(np.diff(problem.offsets)))
            self._held = _lowest(problem, np.ones_like(self._held), self.best.reduced, most)
            self._caps = np.maximum(self._caps, CAPS.growth * np.abs(self.best.prices))
        self._exceeds = np.zeros(len(self._caps), dtype=bool)

    def solve(self) -> bool:
        """Solve the master program over the held labels; return whether that is enough."""
        problem = self._problem
        places = np.flatnonzero(self._held)
        over = np.flatnonzero(np.isfinite(self._caps))
        excess = np.concatenate([over, over[problem.is_equal[over]]])
        program = _master(problem, places, excess, self._caps)
        point = interior_points(program, partial(self._look, program))
        weights = np.zeros(problem.labels)
        weights[places] = point.values[: len(places)]
        weights[weights < TUNING.least_weight] = 0.0
        times = point.values[len(places) :][: 2 * len(problem.cut.pieces)]
        self.best = replace(self.best, weights=weights, times=times)
        self.value = float(program.costs @ point.values)
        paid = np.zeros(len(self._caps))
        used = point.values[len(places) + 2 * len(problem.cut.pieces) :][: len(excess)]
        np.add.at(paid, excess, used * self._caps[excess])
        allowed = self._closeness * abs(self.value)
        self._exceeds = paid > CAPS.excess * allowed
        return self.best.bound > 1.0 or (self._is_close() and paid.sum() <= allowed)

    def grow(self) -> bool:
        """Take more labels and higher caps; return whether there are any."""
        slack = max(TUNING.tolerance, (self.value - self.best.bound) / 2)
        before = self._held.copy()
        for priced in (self._found, self.best):
            fresh = ~before & (priced.reduced < slack)
            self._held |= _lowest(self._problem, fresh, priced.reduced, TUNING.new_labels)
        self._caps = np.where(self._exceeds, self._caps * CAPS.growth, self._caps)
        return bool((self._held & ~before).any() or self._exceeds.any())

    def _is_close(self) -> bool:
        return self.value - self.best.bound <= self._closeness * abs(self.value)

    def _look(self, program: LinearProgram, point: InteriorPoint) -> bool:
        """Take the bound of a point's prices; return whether the point is good enough."""
        if self._clock.should_stop():
            raise SearchStoppedError
        problem = self._problem
        prices = point.prices
        self._found = _priced(problem, np.where(problem.is_equal, prices, np.minimum(prices, 0.0)))
        if self._found.bound > self.best.bound:
            self.best = self._found
            self._clock.on_bound(self.best.bound)
        value = float((program.costs * point.values).sum())
        dual = max(self.best.bound, float((program.limits * prices).sum()))
        missing = np.abs(program.limits - program.matrix @ point.values).sum()
        is_solved = (
            value - dual <= self._closeness * abs(value) / 2 and missing < TUNING.most_missing
        )
        return is_solved or self.best.bound > 1.0


def _master(problem: Relaxation, places: Integers, excess: Integers, caps: Floats) -> LinearProgram:
    """Return the master program with a slack for every inequality; excess costs a row's cap.

    Times that no row is about cost something, so that they end at zero: a variable that is free to
    grow leaves the dual program without an interior.
    """
    library = cast("Any", sparse)
    rows = len(problem.limits)
    taken = np.concatenate([places, np.arange(problem.labels, len(problem.costs))])
    below = np.flatnonzero(~problem.is_equal)
    added = np.concatenate([excess, below])
    signs = np.ones(len(added))
    signs[: int(np.isfinite(caps).sum())] = -1.0
    slack = library.csc_array((signs, (added, np.arange(len(added)))), (rows, len(added)))
    matrix = problem.matrix[:, taken]
    costs = np.where(np.diff(matrix.indptr) > 0, problem.costs[taken], 1.0)
    return LinearProgram(
        costs=np.concatenate([costs, caps[excess], np.zeros(len(below))]),
        matrix=library.hstack([matrix, slack], format="csc"),
        limits=problem.limits,
    )


def _first_caps(problem: Relaxation) -> Floats:
    """Return the first caps of all prices; infinite for weights and times."""
    piece = CAPS.piece / len(problem.cut.pieces)
    known = {RowKind.DSPS: CAPS.dsps, RowKind.NEED: piece, RowKind.CLASS: piece}
    return np.array([known.get(cast("RowKind", key[0]), np.inf) for key in problem.keys])


def _priced(problem: Relaxation, prices: Floats) -> Priced:
    """Return the bound and reduced costs of some prices (E13); any prices do."""
    reduced: Floats = np.asarray(problem.costs - problem.transposed @ prices)
    labels = reduced[: problem.labels]
    least = np.minimum.reduceat(labels, problem.offsets[:-1])
    times = reduced[problem.labels :]
    ends = np.where(times > 0, problem.lower, problem.upper)
    bound = float(prices @ problem.limits) + float(least.sum()) + float(times @ ends)
    above = labels - np.repeat(least, np.diff(problem.offsets))
    return Priced(bound, np.zeros(problem.labels), above, prices, problem.lower)


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


def _most_of_each(sizes: Integers) -> int:
    """Return the most labels of a piece with which all pieces fit; all labels if these fit."""
    ranked = np.sort(sizes)
    before = np.concatenate([[0], np.cumsum(ranked)[:-1]])
    shares = (TUNING.most_labels - before) // np.arange(len(ranked), 0, -1)
    short = np.flatnonzero(shares < ranked)
    return int(shares[short[0]]) if len(short) else int(ranked[-1])


def _first_labels(problem: Relaxation) -> Flags:
    """Return the labels to begin with, as if a horizon and all DSPs cost the same.

    If the latency is about inverse to the DSPs, that is what they cost at the optimum. For each
    choice of tile classes, some that wait for all that their sources write.
    """
    held = np.full(problem.labels, problem.labels <= TUNING.most_labels)
    if held.all():
        return held
    horizon, limit = problem.cut.horizon_cycles, problem.cut.problem.dsp_limit
    for place, piece in enumerate(problem.cut.pieces):
        kinds = np.array([kind == "class" for kind, _ in piece.properties], dtype=bool)
        needs = np.array([kind == "need" for kind, _ in piece.properties], dtype=bool)
        waits = (piece.state[:, needs] == NO_WALK).all(axis=1)
        states = codes(piece.state[:, kinds])
        last = piece.last.max(axis=1) / horizon
        for share in TUNING.first_shares:
            costs = share * last + piece.dsps / limit
            for ranked in (np.lexsort((costs, ~waits, states)), np.lexsort((costs, waits, states))):
                heads = np.flatnonzero(np.diff(states[ranked], prepend=-1))
                held[problem.offsets[place] + ranked[heads]] = True
    return held
