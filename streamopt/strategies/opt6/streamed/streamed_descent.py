"""Descent of large graphs that stream through windows, by the curves of their results: (O35).

Rows of a window come at the pace of the slowest layer before, or all at once at the end; closed
forms say neither, so what they call good simulates up to a third later. Curves tell both, in
milliseconds. Lanes move from where they matter least to where they matter most.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np
import numpy.typing as npt

from streamopt.ir.schedule import Schedule
from streamopt.perf.costs import CostModel
from streamopt.search.instance import instance
from streamopt.search.local.moves import Moves
from streamopt.search.local.paths import Change, Wires
from streamopt.space.assemble import assemble_rows, evaluate
from streamopt.strategies.clocks import SearchClock
from streamopt.strategies.opt6.fitting_lanes import with_fitting_lanes
from streamopt.strategies.opt6.simulated_design import SimulatedDesign
from streamopt.strategies.opt6.streamed.row_runs import RowRuns
from streamopt.strategies.resources.budgeted import Chosen, Prepared
from streamopt.target.resources import Resources

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Judge = Callable[[Chosen], SimulatedDesign]


@dataclass(frozen=True, slots=True)
class StreamedDescentTuning:
    """How far a descent looks; not measured."""

    least_gain: float = 3e-4  # of the latency, of a step that another one follows
    together: tuple[int, ...] = (1, 2, 3, 5, 8, 13)  # quicker changes that are made at once
    near: int = 12  # other rows of one node with its shared factors, to either side of its DSPs
    swaps: tuple[int, int] = (12, 30)  # changes that are tried with room made by others, each
    kicks: int = 3  # changes at random before a further way down
    kick: float = 0.1  # share of the limits that each of these takes or leaves, at most
    near_full: float = 0.9  # share of a limit from which on it counts in full
    part: float = 0.3  # of the effort that is left, at most, of a descent
    judgings: float = 2.0  # times the effort to judge a design, that is left for its end
    slack: float = 0.1  # weight of a resource of which more than a tenth is left


TUNING = StreamedDescentTuning()
MOST_FRUITLESS = 12
"""Ways down from changes at random that end no lower."""
LEAST_SHARE = 1e-6
"""Of a limit, that a change is taken to cost at least."""


class StreamedDescents:
    """The descents of a variant of a large graph, over the rows that its searches have made."""

    def __init__(self, costs: CostModel, limits: Resources, judge: Judge) -> None:
        self._costs, self._limits, self._judge = costs, limits, judge
        self._known: StreamedDescent | None = None

    def designs(
        self,
        prepared: Prepared,
        start: SimulatedDesign,
        judging: float,
        clock: SearchClock,
        random: np.random.Generator | None,
    ) -> Iterator[SimulatedDesign]:
        """Yield the best design on the way down from one, in a part of the effort that is left.

        Parameters
        ----------
        judging
            Effort that the judging of a design takes.
        random
            See `StreamedDescent.designs`.
        """
        if self._known is None or self._known.prepared is not prepared:
            self._known = StreamedDescent(prepared, self._costs, self._limits, self._judge)
        over = clock.spent() + TUNING.part * (clock.left() - TUNING.judgings * judging)
        yield from self._known.designs(start, lambda: clock.spent() > over, random)


class StreamedDescent:
    """The rows of one variant of a large graph.

    Parameters
    ----------
    costs
        See `RowRuns`.
    judge
        Lowers and simulates a schedule.
    """

    def __init__(
        self,
        prepared: Prepared,
        costs: CostModel,
        limits: Resources,
        judge: Judge,
    ) -> None:
        self.prepared = prepared
        self._space = replace(prepared.space, dsp_limit=limits.dsps, lut_limit=limits.luts)
        self._rows, self._judge = prepared.rows, judge
        self._limits = np.array([limits.dsps, limits.luts], dtype=float)
        whole = instance(self._space, self._rows, (limits.luts,))
        wires = Wires(whole)
        self._moves, self._wires = Moves(wires), wires
        self._names = [whole.names[node] for node in wires.order]
        self._usage = [whole.nodes[node].usage.astype(float) for node in wires.order]
        self._curves = RowRuns(self._space, self._rows, costs).curves()

    def designs(
        self,
        start: SimulatedDesign,
        is_over: Callable[[], bool],
        random: np.random.Generator | None = None,
    ) -> Iterator[SimulatedDesign]:
        """Yield the best design on the way down from one, if it is quicker.

        Parameters
        ----------
        is_over
            Whether the time is up; what was found by then is judged.
        random
            Chooses changes before further ways down; None for one way.
        """
        rows = self._places(start.chosen.schedule)
        if rows is None or not start.is_within:
            return
        used = self._used(rows)
        around = np.array([start.used.dsps, start.used.luts]) - used
        limits = np.maximum(used, self._limits - np.maximum(0.0, around))
        best, cycles = self._down(rows, limits, is_over)
        fruitless = 0
        while random is not None and fruitless < MOST_FRUITLESS and not is_over():
            found, least = self._down(self._kicked(best, limits, random), limits, is_over)
            fruitless += 1
            if least < cycles:
                best, cycles, fruitless = found, least, 0
        if cycles < self._keep(rows):
            yield self._design(best)

    def _keep(self, rows: list[int]) -> float:
        return self._curves.keep(self._named(enumerate(rows)))

    def _down(
        self, rows: list[int], limits: Floats, is_over: Callable[[], bool]
    ) -> tuple[list[int], float]:
        """Return rows within limits from which no step is quicker, with their latency."""
        is_wide = False
        while True:
            cycles = self._keep(rows)
            step, gain = self._step(rows, limits, is_wide=is_wide)
            if gain >= TUNING.least_gain * cycles:
                rows, is_wide = _changed(rows, step), False
            elif is_wide or is_over():
                return rows, cycles
            else:
                is_wide = True

    def _kicked(self, rows: list[int], limits: Floats, random: np.random.Generator) -> list[int]:
        """Return rows after changes at random, and those that make room for them."""
        used, changes = self._used(rows), self._changes(rows, is_wide=False)
        more = self._more(rows, changes)
        paid = self._paid(more, used, limits)
        places = random.permutation(len(changes))
        first = places[np.abs(paid[places]) <= TUNING.kick][: TUNING.kicks]
        room = places[paid[places] < 0.0]
        return _changed(rows, _with_room(changes, more, first, room, limits - used))

    def _paid(self, more: Floats, used: Floats, limits: Floats) -> Floats:
        """Return by change the share of the limits that it takes, of those that are near."""
        weights = np.where(used > TUNING.near_full * limits, 1.0, TUNING.slack)
        return np.asarray((more / self._limits * weights).sum(axis=1))

    def _step(self, rows: list[int], limits: Floats, *, is_wide: bool) -> tuple[Change, float]:
        """Return the best changes that are quicker, with others that make room for them."""
        cycles, changes = self._curves.after({}), self._changes(rows, is_wide=is_wide)
        used, more = self._used(rows), self._more(rows, changes)
        gains = np.array([cycles - self._after(change) for change in changes])
        paid = self._paid(more, used, limits)
        quicker, cheaper = np.flatnonzero(gains > 0.0), np.flatnonzero(paid < 0.0)
        room = cheaper[np.argsort(gains[cheaper] / paid[cheaper], kind="stable")]
        by_price = gains[quicker] / np.maximum(paid[quicker], LEAST_SHARE)
        tried: list[tuple[Integers, Integers]] = []
        for rank in (by_price, gains[quicker]):
            ranked = quicker[np.argsort(-rank, kind="stable")]
            tried += [(ranked[:count], room) for count in TUNING.together]
            firsts = range(min(len(ranked), TUNING.swaps[0]) if is_wide else 0)
            others = range(min(len(room), TUNING.swaps[1]))
            tried += [(ranked[at : at + 1], room[other:]) for at in firsts for other in others]
        best: tuple[Change, float] = ((), 0.0)
        for first, others in tried:
            step = _with_room(changes, more, first, others, limits - used)
            if step and (gain := cycles - self._after(step)) > best[1]:
                best = step, gain
        return best

    def _changes(self, rows: list[int], *, is_wide: bool) -> list[Change]:
        """Return changes of the factors of classes and of the rows of single nodes.

        If wide, also of walks with those that follow them, and of two classes that meet.
        """
        moves, every = self._moves, range(len(rows))
        kinds = (moves.of_classes, moves.of_walks, moves.of_pairs) if is_wide else moves.plain[:1]
        found = [change for kind in kinds for change in kind(rows, every)]
        for at, name in enumerate(self._names):
            found += [((at, row),) for row in self._near(at, rows[at])] if name else []
        return found

    def _near(self, at: int, row: int) -> Iterable[int]:
        """Return the rows with the same shared factors that take as few DSPs as any as quick."""
        last, usage = self._wires.last_write[at], self._usage[at]
        alike = [other for other in self._moves.alike(at, row) if other != row]
        ranked = sorted(alike, key=lambda r: (usage[r, 0], usage[r, 1], last[r]))
        front: list[int] = []
        for other in ranked:
            if not front or last[other] < last[front[-1]]:
                front.append(other)
        place = sum(bool(usage[other, 0] <= usage[row, 0]) for other in front)
        return front[max(0, place - TUNING.near) : place + TUNING.near]

    def _after(self, change: Change) -> float:
        return self._curves.after(self._named(change))

    def _named(self, rows: Iterable[tuple[int, int]]) -> dict[str, int]:
        return {self._names[at]: row for at, row in rows if self._names[at]}

    def _more(self, rows: list[int], changes: Sequence[Change]) -> Floats:
        """Return by change how many DSPs and LUTs more rows take after it."""
        usage = self._usage
        own = ([usage[at][row] - usage[at][rows[at]] for at, row in each] for each in changes)
        return np.array([np.sum(list(each), axis=0) for each in own]).reshape(-1, 2)

    def _used(self, rows: Sequence[int]) -> Floats:
        pairs = zip(self._usage, rows, strict=True)
        return np.sum([own[row] for own, row in pairs], axis=0)

    def _places(self, schedule: Schedule) -> list[int] | None:
        """Return the rows of a schedule, or those next to them; None if orders have none."""
        plans = {plan.node: plan for plan in schedule.nodes}
        found: list[int] = []
        for name in self._names:
            if not name:
                found.append(0)
                continue
            plan, own = plans[name], self._rows[name]
            wanted = tuple(plan.factors.values())
            alike = [
                row
                for row, kept in enumerate(zip(own.orders, own.bindings, strict=True))
                if kept == (plan.order, plan.binding)
            ]
            if not alike:
                return None
            found.append(min(alike, key=lambda row: _distance(own.factors[row], wanted)))
        return found

    def _design(self, rows: Sequence[int]) -> SimulatedDesign:
        chosen = self._named(enumerate(rows))
        schedule = assemble_rows(self._space.graph, self._rows, chosen)
        schedule = with_fitting_lanes(self._space, schedule)
        cycles = evaluate(self._space.graph, schedule, self._space.costs).latency_cycles
        dsps, luts = self._used(rows).tolist()
        return self._judge(Chosen(schedule, cycles, int(dsps), int(luts)))


def _changed(rows: Sequence[int], change: Change) -> list[int]:
    taken = dict(change)
    return [taken.get(at, row) for at, row in enumerate(rows)]


def _with_room(
    changes: Sequence[Change], more: Floats, first: Integers, room: Integers, left: Floats
) -> Change:
    """Return changes of different nodes, and those that make room for them; () if none do."""
    taken: dict[int, int] = {}
    places: list[int] = [*first.tolist(), *room.tolist()]
    for place, at in enumerate(places):
        if place >= len(first) and (left >= 0.0).all():
            break
        own = dict(changes[at])
        if not taken.keys() & own.keys():
            taken |= own
            left = left - more[at]
    return tuple(sorted(taken.items())) if (left >= 0.0).all() else ()


def _distance(factors: Sequence[int], wanted: Sequence[int]) -> float:
    pairs = zip(factors, wanted, strict=True)
    return sum(abs(log(own / other)) for own, other in pairs)
