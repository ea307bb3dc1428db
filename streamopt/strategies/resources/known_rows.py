"""Rows of a problem, made once for one search after another."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from streamopt.errors import InfeasibleError
from streamopt.space.horizon import chosen_rows
from streamopt.strategies.clocks import SearchClock
from streamopt.strategies.problem import Problem
from streamopt.strategies.resources.budgeted import Prepared


class KnownRows:
    """Rows of a problem within a horizon, made again only for a longer one.

    Attributes
    ----------
    prepared
        Those of the longest horizon so far; None before there are any.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.prepared: Prepared | None = None
        self._steady: Prepared | None = None

    def within(
        self, horizon_cycles: int | None, clock: SearchClock, *, steady: bool = False
    ) -> Prepared | None:
        """Return rows within a horizon, or a longer one; None if a node has none.

        Parameters
        ----------
        horizon_cycles
            Rows that alone take longer are left out; None for none.
        steady
            Whether streams that come in bursts are left out.

        Raises
        ------
        SearchStoppedError
            If the time is up before there are rows.
        """
        if self.prepared is None or not _reaches(self.prepared, horizon_cycles):
            prepared = rows_of(self._problem.within(horizon_cycles=horizon_cycles), clock)
            if prepared is None:
                return None
            self.prepared, self._steady = prepared, None
        if not steady:
            return self.prepared
        self._steady = self._steady or self.prepared.steady()
        return self._steady


def rows_of(problem: Problem, clock: SearchClock) -> Prepared | None:
    """Return the rows within the horizon of a problem; None if a node has none."""
    with suppress(InfeasibleError):
        prepared = Prepared.of(problem.decision_space(), clock.check)
        return _within(prepared, problem.space.most_of_node)
    return None


def _within(prepared: Prepared, most: tuple[int, ...]) -> Prepared | None:
    """Return a space with the rows that keep to the limits of a node; None if a node has none."""
    if not most:
        return prepared
    kept = {
        name: np.asarray((own.usage.own <= most).all(axis=1), dtype=np.bool_)
        for name, own in prepared.rows.items()
    }
    if not all(own.any() for own in kept.values()):
        return None
    return replace(prepared, rows=chosen_rows(prepared.rows, kept))


def _reaches(known: Prepared, wanted_cycles: int | None) -> bool:
    """Return whether rows have all those of another horizon; None is without end."""
    known_cycles = known.space.horizon_cycles
    return known_cycles is None or (wanted_cycles is not None and wanted_cycles <= known_cycles)
