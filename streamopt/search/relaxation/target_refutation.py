"""Refutation of target latencies by relaxations over ever larger pieces (E13), (E24).

A target is a latency that is to be refuted. Labels whose reduced cost exceeds the gap from the
bound to the target are removed (reduced-cost fixing [1]), so pieces can be fused, which raises the
bound, until it passes the target or pieces have too many labels. Reduced costs add up: a schedule
costs at least the bound and the reduced costs of its labels of all pieces.

[1] Dantzig, Fulkerson and Johnson, Solution of a large-scale traveling-salesman problem,
    Operations Research 2(4), 1954.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import cast

import numpy as np
import numpy.typing as npt

from streamopt.search.labels.component import Component, SearchStoppedError, undominated
from streamopt.search.labels.composition import complete_source, composed, matching_pairs
from streamopt.search.relaxation.column_generation import Clock, Priced, generated
from streamopt.search.relaxation.master_program import Key, Relaxation, RowKind, relaxation, summed
from streamopt.search.relaxation.pieces import Cut

Floats = npt.NDArray[np.float64]


UNITLESS = (RowKind.FIRST, RowKind.LAST, RowKind.SPAN)
"""Rows whose prices have no unit; those of others are times."""


@dataclass(frozen=True, slots=True)
class RefutationTuning:
    """Growth of pieces, and how exactly relaxations are solved; not measured."""

    # labels of a piece that is fused from others: at first, the factor by which they grow,
    # and the number from which they grow no more
    first_labels: int = 400
    growth: int = 5
    most_labels: int = 30_000
    fewer: float = 0.5  # share of pieces that is left, at most, for the number of labels to stay
    most_pairs: int = 400_000  # pairs of labels that are looked at to fuse two pieces
    # labels before dominated ones are dropped, at most, for every one that may be left
    most_dominated: int = 5
    closeness: float = 0.1  # of a relaxation, in distances from its bound to the target
    finest: float = 2e-4  # closeness, relative, at least
    rounding: float = 1e-9  # relative error of floating-point sums


TUNING = RefutationTuning()


@dataclass(frozen=True, slots=True)
class SolvedRelaxation:
    """A relaxation that was solved."""

    program: Relaxation
    priced: Priced

    @property
    def horizon_cycles(self) -> int:
        """Return the horizon of its labels."""
        return self.program.cut.horizon_cycles

    @property
    def bound_cycles(self) -> int:
        """Return the lower bound of schedules that take its labels."""
        return ceil(self.priced.bound * self.horizon_cycles * (1 - TUNING.rounding))

    def slack(self, target_cycles: int) -> float:
        """Return the highest sum of reduced costs of a schedule within a target, in horizons."""
        return target_cycles / self.horizon_cycles - self.priced.bound + TUNING.rounding


class TargetRefutation:
    """Solves relaxations, each with the prices of those before it.

    Parameters
    ----------
    on_bound
        Called with lower bounds in cycles; schedules that cost more than the horizon don't count.
    """

    def __init__(
        self,
        should_stop: Callable[[], bool],
        on_bound: Callable[[int], None],
    ) -> None:
        self._should_stop = should_stop
        self._on_bound = on_bound
        self._prices: dict[Key, float] = {}

    def solved(self, pieces: Cut, closeness: float) -> SolvedRelaxation:
        """Return the relaxation over pieces with its prices."""
        program = relaxation(pieces)
        horizon = pieces.horizon_cycles

        def on_bound(value: float) -> None:
            self._on_bound(min(horizon + 1, ceil(value * horizon * (1 - TUNING.rounding))))

        known = {
            name: self._prices[name] / _unit(name, horizon)
            for key in program.keys
            for name in (key, summed(key))
            if name in self._prices
        }
        clock = Clock(self._should_stop, on_bound)
        priced = generated(program, closeness, clock, known)
        for key, price in zip(program.keys, priced.prices.tolist(), strict=True):
            self._prices[key] = price * _unit(key, horizon)
        return SolvedRelaxation(program, priced)

    def stages(self, base: SolvedRelaxation, target_cycles: int) -> Iterator[SolvedRelaxation]:
        """Yield stages until one refutes the target, or pieces have too many labels.

        The target is at most the base's horizon. Bounds on the way count, too.
        """
        stage, most = base, _first_labels(base, target_cycles)
        while stage.bound_cycles <= target_cycles:
            slack = stage.slack(target_cycles)
            pieces = _fused(
                stage.program, stage.priced, target_cycles, slack, most, self._should_stop
            )
            if pieces is None:
                self._on_bound(target_cycles + 1)
                return
            if len(pieces.pieces) > TUNING.fewer * len(stage.program.cut.pieces):
                if most > TUNING.most_labels:
                    return
                most *= TUNING.growth
            near = TUNING.closeness * (1.0 - stage.bound_cycles / target_cycles)
            stage = self.solved(pieces, max(TUNING.finest, near))
            yield stage


def _first_labels(base: SolvedRelaxation, target_cycles: int) -> int:
    """Return the labels of a piece that is fused first: about as many as the largest has."""
    is_kept = base.priced.reduced <= base.slack(target_cycles)
    largest = np.add.reduceat(is_kept.astype(np.int64), base.program.offsets[:-1]).max()
    labels = TUNING.first_labels
    while TUNING.growth * labels <= min(largest, TUNING.most_labels):
        labels *= TUNING.growth
    return labels


def _unit(key: Key, horizon_cycles: int) -> float:
    """Return the unit of a row's price, in cycles."""
    return 1.0 if cast("RowKind", key[0]) in UNITLESS else float(horizon_cycles)


@dataclass(frozen=True, slots=True)
class _PricedPiece:
    """A component with the reduced cost of every label, in horizons."""

    component: Component
    reduced: Floats


def _fused(
    program: Relaxation,
    priced: Priced,
    target_cycles: int,
    slack: float,
    most_labels: int,
    should_stop: Callable[[], bool],
) -> Cut | None:
    """Return the pieces without labels that cost too much, joined as far as labels stay few.

    Parameters
    ----------
    target_cycles
        Horizon of the result, at most that of the program.
    slack
        Highest sum of reduced costs, in horizons; schedules that cost more are lost.
    most_labels
        Of a piece that is joined from others.

    Returns
    -------
    Cut or None
        None if no schedule is left.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it.
    """
    known = replace(program.cut, horizon_cycles=target_cycles)
    open_parts: dict[int, _PricedPiece] = {}
    for place, piece in enumerate(known.pieces):
        low, high = program.offsets[place : place + 2]
        reduced = priced.reduced[low:high]
        kept = np.flatnonzero(reduced <= slack)
        part = _PricedPiece(piece.taken(kept), reduced[kept])
        while (source := complete_source(known.problem, part.component)) is not None:
            if should_stop():
                raise SearchStoppedError
            joined = _joined(known, part, open_parts[source], slack, most_labels)
            if joined is None:
                break
            del open_parts[source]
            part = joined
            if not len(part.component):
                return None
        open_parts[piece.exit] = part
    return replace(known, pieces=tuple(part.component for part in open_parts.values()))


def _joined(
    cut: Cut, after: _PricedPiece, before: _PricedPiece, slack: float, most: int
) -> _PricedPiece | None:
    """Return two parts as one, or None if it would have too many labels."""
    if matching_pairs(after.component, before.component) > TUNING.most_pairs:
        return None
    whole = composed(cut.problem, after.component, before.component)
    reduced = after.reduced[whole.back[:, 0]] + before.reduced[whole.back[:, 1]]
    fits = (reduced <= slack) & cut.known.fitting(whole, cut.horizon_cycles)
    left = whole.taken(np.flatnonzero(fits))
    if len(left) > TUNING.most_dominated * most:
        return None
    left = undominated(left)
    if len(left) > most:
        return None
    sums = after.reduced[left.back[:, 0]] + before.reduced[left.back[:, 1]]
    return _PricedPiece(left, sums)
