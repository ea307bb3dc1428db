"""The iterations of an order with lanes, counted phase by phase as they are built.

A phase's visits depend on the lanes of its own loops alone, so all choices of lanes share a few
counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.network import Turn, TurnLoop, Turns
from streamopt.ir.stepping.steps import walk_phases
from streamopt.perf.turns.bubbles import LeastLength
from streamopt.perf.turns.visits import TooManyPointsError, VisitCounts, visit_counts
from streamopt.transforms.stepped.tile_loops import tile_loops
from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.network import TurnItem
    from streamopt.ir.stepping.steps import Phase, StepLoop, Steps

    _Lanes = tuple[tuple[str, int], ...]

MANY = 2**62
"""Cycles of visits that are too many to be counted."""


class PhaseCounts:
    """The iterations of one order, by lanes and by how long visits last at least."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._phases = {phase.name: (phase, around) for phase, around in walk_phases(steps.items)}
        self._counts: dict[tuple[str, _Lanes], VisitCounts | None] = {}
        self._cycles: dict[tuple[str, _Lanes, LeastLength], int] = {}

    def cycles(self, lanes: Mapping[str, int], least: Mapping[str, LeastLength]) -> int:
        """Return the iterations of all visits.

        Parameters
        ----------
        lanes
            By loop; 1 where it has none.
        least
            Lengths by phase.
        """
        return sum(self.of_phase(name, lanes, least[name]) for name in self._phases)

    def of_phase(self, name: str, lanes: Mapping[str, int], least: LeastLength) -> int:
        """Return the iterations of all visits of one phase, each of them at least so long."""
        loops = self._phases[name][0].loops
        return self._total(name, tuple((one.name, lanes.get(one.name, 1)) for one in loops), least)

    def visits(self, name: str) -> int:
        """Return how often a phase is entered."""
        return self._total(name, (), LeastLength())

    def _total(self, name: str, lanes: _Lanes, least: LeastLength) -> int:
        key = name, lanes, least
        if key not in self._cycles:
            counts = self._counted(name, lanes)
            known = MANY if counts is None else counts.total([least.least], [least.last])
            self._cycles[key] = known
        return self._cycles[key]

    def _counted(self, name: str, lanes: _Lanes) -> VisitCounts | None:
        key = name, lanes
        if key not in self._counts:
            phase, around = self._phases[name]
            turns = Turns(self._steps.name, (_turn(phase, around, dict(lanes)),))
            spend(WORK.rows.judgement)
            try:
                self._counts[key] = visit_counts(turns)
            except TooManyPointsError:
                self._counts[key] = None
        return self._counts[key]


def _turn(phase: Phase, around: Sequence[StepLoop], lanes: Mapping[str, int]) -> TurnItem:
    """Return a phase alone inside the loops around it, with those of its sums outermost."""
    order = sorted(lanes, key=lambda name: name not in phase.sums)
    tiles = tile_loops(phase, around, lanes, order)
    inner = tuple(tile for tile in tiles if tile.name not in phase.sums)
    found: TurnItem = Turn(phase.name, inner)
    outer = (*around, *(tile for tile in tiles if tile.name in phase.sums))
    for loop in reversed(outer):
        found = TurnLoop(loop, (found,))
    return found
