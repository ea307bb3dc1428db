"""The iterations of an order with lanes, counted as they are built, without building it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.network import Turn, TurnLoop, Turns
from streamopt.ir.stepping.steps import Phase, walk_phases
from streamopt.perf.turns.visits import TooManyPointsError, visit_counts
from streamopt.transforms.stepped.tile_loops import tile_loops
from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.network import TurnItem
    from streamopt.ir.stepping.steps import StepItem, StepLoop, Steps
    from streamopt.perf.turns.visits import VisitCounts
    from streamopt.strategies.sequential.lane_choices import LaneChoice, UnitCost


class ExactCounts:
    """The iterations of one order, by lanes."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._repeated = {phase.name: bool(around) for phase, around in walk_phases(steps.items)}
        self._known: dict[tuple[tuple[str, int], ...], VisitCounts | None] = {}

    def counted(self, choice: LaneChoice, units: Mapping[str, UnitCost]) -> LaneChoice:
        """Return a choice with the cycles of its visits; as it is where these are too many."""
        if choice.lanes not in self._known:
            self._known[choice.lanes] = self._counts(dict(choice.lanes))
        counts = self._known[choice.lanes]
        if counts is None:
            return choice
        least = [
            units[name].least_cycles if repeated else 1 for name, repeated in self._repeated.items()
        ]
        return replace(choice, cycles=float(counts.total(least)))

    def _counts(self, lanes: Mapping[str, int]) -> VisitCounts | None:
        spend(WORK.designs.process)
        turns = Turns(self._steps.name, tuple(self._turn(i, (), lanes) for i in self._steps.items))
        try:
            return visit_counts(turns)
        except TooManyPointsError:
            return None

    def _turn(
        self, item: StepItem, around: tuple[StepLoop, ...], lanes: Mapping[str, int]
    ) -> TurnItem:
        if not isinstance(item, Phase):
            inside = (*around, item.loop)
            return TurnLoop(item.loop, tuple(self._turn(own, inside, lanes) for own in item.items))
        names = [loop.name for loop in item.loops]
        own = {name: lanes.get(name, 1) for name in names}
        tiles = tile_loops(item, around, own, sorted(names, key=lambda n: n not in item.sums))
        loops = tuple(tile for tile in tiles if tile.name not in item.sums)
        found: TurnItem = Turn(item.name, loops)
        for tile in reversed([tile for tile in tiles if tile.name in item.sums]):
            found = TurnLoop(tile, (found,))
        return found
