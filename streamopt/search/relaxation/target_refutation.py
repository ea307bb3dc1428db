"""Bounds from relaxations over ever larger pieces, below ever higher targets (E13), (E24).

A target is a latency that is to be ruled out. What costs more than it goes, which lets pieces grow,
which raises the bound, until it passes the target or pieces have too many labels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, cast

import numpy as np

from streamopt.search.labels.component import SearchStoppedError, undominated
from streamopt.search.labels.composition import complete_source, composed, matching_pairs
from streamopt.search.relaxation.column_generation import Clock, generated
from streamopt.search.relaxation.master_program import RowKind, relaxation, summed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from streamopt.search.labels.component import Component
    from streamopt.search.relaxation.column_generation import Priced
    from streamopt.search.relaxation.master_program import Key, Relaxation
    from streamopt.search.relaxation.pieces import Cut

    Floats = npt.NDArray[np.float64]


__all__ = ["SolvedRelaxation", "TargetRefutation"]

ROUNDING = 1e-9
"""What floating-point sums may be off by, relative."""
FIRST_LABELS = 400
"""Labels of a piece that is joined from others, at first."""
GROWTH = 5
MOST_LABELS = 30_000
FEWER = 0.5
"""Pieces that are left, at most, for the number of labels to stay."""
CLOSENESS = 0.1
"""Of a relaxation, in distances from its bound to the target."""
FINEST = 2e-4
UNITLESS = (RowKind.FIRST, RowKind.LAST, RowKind.SPAN)


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
        return ceil(self.priced.bound * self.horizon_cycles * (1 - ROUNDING))


class TargetRefutation:
    """Solves relaxations, each with the prices of those before it.

    Parameters
    ----------
    on_bound
        Told lower bounds in cycles; schedules that cost more than the horizon don't count.
    """

    def __init__(
        self,
        seconds_left: Callable[[], float],
        should_stop: Callable[[], bool],
        on_bound: Callable[[int], None],
    ) -> None:
        self._seconds_left = seconds_left
        self._should_stop = should_stop
        self._on_bound = on_bound
        self._prices: dict[Key, float] = {}

    def solved(self, pieces: Cut, closeness: float) -> SolvedRelaxation:
        """Return the relaxation over pieces with its prices."""
        program = relaxation(pieces)
        horizon = pieces.horizon_cycles

        def on_bound(value: float) -> None:
            self._on_bound(min(horizon + 1, ceil(value * horizon * (1 - ROUNDING))))

        known = {
            name: self._prices[name] / _unit(name, horizon)
            for key in program.keys
            for name in (key, summed(key))
            if name in self._prices
        }
        clock = Clock(self._seconds_left, self._should_stop, on_bound)
        priced = generated(program, closeness, clock, known)
        for key, price in zip(program.keys, priced.prices.tolist(), strict=True):
            self._prices[key] = price * _unit(key, horizon)
        return SolvedRelaxation(program, priced)

    def stages(self, base: SolvedRelaxation, target_cycles: int) -> Iterator[SolvedRelaxation]:
        """Yield stages until one rules the target out, or pieces have too many labels.

        The target is at most the base's horizon. Bounds on the way count, too.
        """
        stage, most = base, FIRST_LABELS
        while stage.bound_cycles <= target_cycles:
            slack = target_cycles / stage.horizon_cycles - stage.priced.bound + ROUNDING
            pieces = fused(
                stage.program, stage.priced, target_cycles, slack, most, self._should_stop
            )
            if pieces is None:
                self._on_bound(target_cycles + 1)
                return
            if len(pieces.pieces) > FEWER * len(stage.program.cut.pieces):
                if most > MOST_LABELS:
                    return
                most *= GROWTH
            near = CLOSENESS * (1.0 - stage.bound_cycles / target_cycles)
            stage = self.solved(pieces, max(FINEST, near))
            yield stage


def _unit(key: Key, horizon_cycles: int) -> float:
    """Return the unit of a row's price, in cycles."""
    return 1.0 if cast("RowKind", key[0]) in UNITLESS else float(horizon_cycles)


MOST_PAIRS = 400_000
"""Pairs of labels that are looked at to put two pieces together."""
WIDE = 5
"""Labels before the pruning, at most, for every one that may be left."""


@dataclass(frozen=True, slots=True)
class _PricedPiece:
    """A component with the reduced cost of every label, in horizons."""

    component: Component
    reduced: Floats


def fused(
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
    if matching_pairs(after.component, before.component) > MOST_PAIRS:
        return None
    whole = composed(cut.problem, after.component, before.component)
    reduced = after.reduced[whole.back[:, 0]] + before.reduced[whole.back[:, 1]]
    fits = (reduced <= slack) & cut.known.fitting(whole, cut.horizon_cycles)
    left = whole.taken(np.flatnonzero(fits))
    if len(left) > WIDE * most:
        return None
    left = undominated(left)
    if len(left) > most:
        return None
    sums = after.reduced[left.back[:, 0]] + before.reduced[left.back[:, 1]]
    return _PricedPiece(left, sums)
