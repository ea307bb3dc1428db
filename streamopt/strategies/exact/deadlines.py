"""Trees by deadlines: passes that rule one out, and passes that find a schedule, on finer grids.

A relaxed pass gives a bound, and what subtrees need at least, which drops labels of the passes
after it; a restricted one gives a schedule: (E26) to (E28) of ``models/formulations/search.md``.
"""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from streamopt.search.deadline.tree_pass import PassEffort, PassResult, tree_pass
from streamopt.search.instance import instance
from streamopt.search.labels.component import Mode
from streamopt.space.horizon import HorizonFilter
from streamopt.space.row_values import NodeRows
from streamopt.strategies.run import Run

if TYPE_CHECKING:
    from streamopt.search.deadline.completion import Profile
    from streamopt.space.decisions import DecisionSpace

FIRST_CELLS = (16, 32)
"""Of first and of last writes, to find a schedule and for a bound; not measured."""
CELLS = ((32, 96), (64, 160), (128, 240), (256, 360))
"""Likewise, of the grids after these."""
SEEK_CELLS = (16, 32, 64)
"""Likewise, where only schedules are looked for: a MobileNet was 0.2 % faster on finer grids."""
NEARER, NEAREST = 0.75, 0.98
"""Deadlines over the best schedule: the first one, and the last one before the schedule itself. A
grid between early deadlines is finer, but may have no schedule."""
NARROW_CELLS = (48, 224)
"""Likewise, where the bound is looked for first: that of a MobileNet on 677 DSPs is within 0.4 % of
the least closed form, on 320 cells within 0.2 %, in half as much time more."""
FOUND_CELLS = 32
"""Likewise, for schedules then: a MobileNet was 11 % faster by them."""
MANY_ROWS = 60_000
"""Within the best schedule: with more, two grids are all there is memory for."""
TARGET = 0.75
"""Of the way from the bound to the best schedule: the deadline that is to be ruled out."""
USEFUL = 0.5
"""Bound of the first pass over the one known, at least, for others to follow; chains have less."""
FIRST_STEP = 2.5
"""First deadline over bound, and how it grows until there is a schedule."""
STEP = 1.6


class DeadlineAim(Enum):
    """The aim of passes where nodes wait for all operands, so that nothing else follows them."""

    SCHEDULES = "schedules"
    BOUND = "bound"


OnRows = Callable[[dict[str, NodeRows], dict[str, int]], None]


class DeadlineSearch:
    """Passes over a tree within a run.

    Parameters
    ----------
    keep
        Called with rows and the chosen ones of a schedule that is better than the best so far.
    aim
        Where nodes wait for all operands (`PassEffort`); else None.
    """

    def __init__(
        self,
        run: Run,
        space: "DecisionSpace",
        horizons: HorizonFilter,
        keep: OnRows,
        *,
        aim: DeadlineAim | None = None,
    ) -> None:
        self._aim = aim
        self._run = run
        self._space = space
        self._horizons = horizons
        self._keep = keep
        self._profiles: list[tuple[int, tuple[Profile, ...]]] = []

    def work(self) -> None:
        """Go on to finer grids until the schedule is proved, or a grid is of no use."""
        if self._aim is None and not self._is_tree():
            return
        if self._aim is DeadlineAim.BOUND:
            self._narrow()
            return
        known = self._run.bound
        self._begin()
        if self._aim is DeadlineAim.SCHEDULES:
            self._seek()
        else:
            self._alternate(known)

    def _alternate(self, known_cycles: int) -> None:
        """Look for schedules and bounds in turns, if the first bound is near the one known."""
        found = self._bound(self._best_cycles - 1, FIRST_CELLS[1])
        if found is not None and found.last_cycles < USEFUL * known_cycles:
            return
        for coarse, fine in CELLS[:2] if self._has_many_rows() else CELLS:
            self._find(self._best_cycles - 1, coarse)
            while not self._run.is_proved and self._bound(self._target, fine) is None:
                pass
            if self._run.is_proved:
                return

    def _seek(self) -> None:
        """Look for schedules alone, within deadlines that come nearer to the best one."""
        share = NEARER
        for cells in SEEK_CELLS:
            while share < NEAREST:
                before = self._best_cycles
                self._find(int(share * before), cells)
                if self._best_cycles == before:
                    share **= 0.5
            share **= 4

    def _narrow(self) -> None:
        """Raise the bound by ever finer passes over all better schedules, and look for these.

        What a pass for the bound says of the rest of the graph makes those for schedules short. Its
        own rows are a schedule where its grid is so fine that it loses nothing.
        """
        for cells in NARROW_CELLS:
            rows = self._horizons.within(self._best_cycles - 1)
            found = self._bound(self._best_cycles - 1, cells)
            if rows is None or found is None:
                return
            self._keep(rows, found.rows)
            before = 0
            while before != self._best_cycles:
                before = self._best_cycles
                self._find(self._target, FOUND_CELLS)

    @property
    def _best_cycles(self) -> int:
        assert self._run.cost is not None
        horizon = self._space.horizon_cycles
        return self._run.cost if horizon is None else min(self._run.cost, horizon + 1)

    @property
    def _target(self) -> int:
        gap = self._best_cycles - self._run.bound
        return min(self._best_cycles - 1, self._run.bound + int(TARGET * gap))

    def _is_tree(self) -> bool:
        rows = self._horizons.within(self._best_cycles - 1)
        return rows is not None and all(len(o) <= 1 for o in instance(self._space, rows).outs)

    def _has_many_rows(self) -> bool:
        rows = self._horizons.within(self._best_cycles - 1) or {}
        return sum(map(len, rows.values())) > MANY_ROWS

    def _begin(self) -> None:
        """Find a schedule, with ever later deadlines, unless there is one within these."""
        deadline = int(FIRST_STEP * self._run.bound)
        while deadline < self._best_cycles and not self._find(deadline, FIRST_CELLS[0]):
            deadline = int(STEP * deadline)

    def _find(self, deadline_cycles: int, cells: int) -> bool:
        """Look for a schedule within a deadline; return whether one was found."""
        rows = self._horizons.within(deadline_cycles)
        found = self._passed(rows, deadline_cycles, cells, Mode.RESTRICTED)
        if rows is None or found is None:
            return False
        self._keep(rows, found.rows)
        self._run.report()
        return True

    def _bound(self, deadline_cycles: int, cells: int) -> PassResult | None:
        """Raise the bound by a relaxed pass; return its result, or None if no label was left."""
        rows = self._horizons.within(deadline_cycles)
        found = self._passed(rows, deadline_cycles, cells, Mode.RELAXED)
        if found is None:
            self._run.raise_bound(deadline_cycles + 1)
            return None
        self._run.raise_bound(found.last_cycles)
        self._profiles.append((deadline_cycles, found.profiles))
        return found

    def _passed(
        self, rows: dict[str, NodeRows] | None, deadline_cycles: int, cells: int, mode: Mode
    ) -> PassResult | None:
        if rows is None:
            return None
        known = [own for until, own in self._profiles if until >= deadline_cycles]
        profiles = known[-1] if known else ()
        effort = PassEffort(cells, mode, self._run.should_stop, profiles, self._aim is not None)
        return tree_pass(instance(self._space, rows), deadline_cycles, effort)
