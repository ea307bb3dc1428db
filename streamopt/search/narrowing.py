"""Bounds from relaxations over ever larger pieces, below ever higher targets (E13), (E24).

A target is a latency that is to be ruled out. What costs more than it goes, which lets pieces grow,
which raises the bound, until it passes the target or pieces have too many labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, cast

from streamopt.search.columns import Clock, generated
from streamopt.search.fusing import fused
from streamopt.search.relaxation import RowKind, relaxation, summed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamopt.search.columns import Priced
    from streamopt.search.pieces import Cut
    from streamopt.search.relaxation import Key, Relaxation

__all__ = ["Narrowing", "Stage"]

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
class Stage:
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


class Narrowing:
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

    def solved(self, pieces: Cut, closeness: float) -> Stage:
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
        return Stage(program, priced)

    def stages(self, base: Stage, target_cycles: int) -> Iterator[Stage]:
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
