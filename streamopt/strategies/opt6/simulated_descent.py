"""Descent by simulated designs: changes of rows, each judged by all that a design takes (O22).

The closed form has no bursts, and rows tell only a part of what a design takes of its region. A
descent goes on from a design that was judged, within the limits or not: what it takes beyond its
rows, and how far its simulation is between the closed forms with and without streams that come in
bursts, is taken to be alike in designs nearby. The changes that promise most are judged.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from streamopt.ir.schedule import Schedule
from streamopt.search.instance import instance
from streamopt.search.local.moves import Moves
from streamopt.search.local.paths import Change, Paths, Wires
from streamopt.space.assemble import assemble_rows, evaluate
from streamopt.space.horizon import HorizonFilter
from streamopt.space.steady import steady_rows
from streamopt.strategies.opt6.simulated_design import Region, SimulatedDesign
from streamopt.strategies.resources.budgeted import Chosen, Prepared

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Judge = Callable[[Chosen], SimulatedDesign]


@dataclass(frozen=True, slots=True)
class MeritTuning:
    """How cycles count against resources; not measured."""

    power: int = 6  # of the excess over a limit, times which cycles count, at first
    most_power: int = 48  # likewise, where a descent would end over a limit
    saving: float = 0.02  # share of the cycles that all of a limit is worth
    alike: float = 1e-3  # those that differ by less are taken to be equal
    hopeless: float = 1.3  # times that of the design before: what may have more isn't judged


@dataclass(frozen=True, slots=True)
class ChainTuning:
    """Changes that are over a limit, with others that mend this; not measured."""

    most: int = 12  # of a step
    links: int = 3  # other changes
    links_over: int = 2  # likewise, from a design over a limit
    slack: float = 1.02  # cycles of a first change from there, times those before, at most
    excess: float = 1.3  # of the first change, at most
    kick: float = 1.2  # cycles of a first change at random, times those before, at most
    kick_links: int = 3  # other changes after it


@dataclass(frozen=True, slots=True)
class SimulatedDescentTuning:
    """How far a descent looks; not measured but by the 17 programs as a whole."""

    merit: MeritTuning = MeritTuning()
    chains: ChainTuning = ChainTuning()
    horizon: float = 1.3  # of the closed form to begin with: rows of longer ones are left out
    promising: int = 24  # single changes of a step that may be judged
    fruitless: int = 10  # designs of a step that are judged before it ends without a better one
    fruitful: int = 3  # likewise, where one is better
    dsp_luts: float = 120.0  # LUTs that come with as many flip-flops as a DSP; an estimate
    burst: float = 0.5  # of the way between both closed forms, where they are the same
    batch: int = 2048  # changes whose latencies are found together


TUNING = SimulatedDescentTuning()


def merit(design: SimulatedDesign, power: int = TUNING.merit.power) -> float:
    """Return the cycles of a design, more for one over a limit or near it."""
    return float(_merits(np.array([design.cycles]), np.array([design.excess]), power)[0])


def _merits(cycles: Floats | Integers, excess: Floats, power: int) -> Floats:
    near = 1.0 + TUNING.merit.saving * np.minimum(1.0, excess)
    return np.asarray(cycles * near * np.maximum(1.0, excess) ** power)


@dataclass(frozen=True, slots=True)
class _Around:
    """A judged design, from which those nearby are estimated."""

    rows: list[int]
    design: SimulatedDesign
    burst: float
    """Its place between the closed forms without and with bursts: 0 to 1."""
    usage: Floats
    """DSPs and LUTs of its rows."""
    power: int
    """Of the excess over a limit, times which cycles count."""

    def merit(self, design: SimulatedDesign) -> float:
        """Return the cycles of a design, more for one over a limit or near it."""
        return merit(design, self.power)


class SimulatedDescent:
    """The rows of one variant, and the designs of them that were judged.

    Parameters
    ----------
    horizon_cycles
        Of the closed form: rows that alone take longer are left out.
    judge
        Lowers and simulates a schedule.
    """

    def __init__(
        self, prepared: Prepared, horizon_cycles: int, region: Region, judge: Judge
    ) -> None:
        limits, self._each = region.limits, region.each
        space = replace(prepared.space, dsp_limit=limits.dsps, lut_limit=limits.luts)
        self._space, self._limits, self._judge = space, limits, judge
        self._rows = HorizonFilter(space, prepared.rows).within(horizon_cycles) or {}
        self.horizon_cycles = horizon_cycles
        self._judged: set[tuple[int, ...]] = set()
        if not self._rows:
            return
        whole = instance(space, self._rows, (limits.luts,))
        late = instance(space, steady_rows(space, self._rows), (limits.luts,))
        self._wires, self._late = Wires(whole), Wires(late)
        self._moves = Moves(self._wires)
        self._names = [whole.names[node] for node in self._wires.order]
        self._usage = [whole.nodes[node].usage for node in self._wires.order]

    def designs(self, start: SimulatedDesign) -> Iterator[SimulatedDesign]:
        """Yield designs that are judged on the way down from one, better ones or not."""
        rows = self._places(start.chosen.schedule)
        if rows is not None:
            yield from self._down(rows, start)

    def kicked(
        self, start: SimulatedDesign, random: np.random.Generator
    ) -> Iterator[SimulatedDesign]:
        """Yield the designs of a descent that begins with a change at random."""
        rows = self._places(start.chosen.schedule)
        if rows is None:
            return
        around = self._around(rows, start, TUNING.merit.power)
        changes, cycles, excess = self._estimated(around, rows)
        near = np.flatnonzero(cycles <= TUNING.chains.kick * start.cycles)
        near = near[excess[near] <= TUNING.chains.excess]
        if not near.size:
            return
        at = int(random.choice(near))
        rows = _changed(rows, changes[at])
        if excess[at] > 1.0:
            rows, _ = self._mended(around, rows, TUNING.chains.kick_links)
        if tuple(rows) not in self._judged:
            start = self._design(rows)
            yield start
            yield from self._down(rows, start)

    def _down(self, rows: list[int], start: SimulatedDesign) -> Iterator[SimulatedDesign]:
        """Yield the designs of a descent; the price of an excess rises where it goes no further."""
        power = TUNING.merit.power
        while power <= TUNING.merit.most_power:
            around = self._around(rows, start, power)
            least, better = around.merit(start), None
            for tried, change in enumerate(self._promising(around)):
                if tried >= (TUNING.fruitless if better is None else TUNING.fruitful):
                    break
                others = _changed(around.rows, change)
                found = self._design(others)
                yield found
                if around.merit(found) < least:
                    least, better = around.merit(found), (others, found)
            if better is not None:
                rows, start = better
            elif start.is_within:
                return
            else:
                power *= 2

    def _places(self, schedule: Schedule) -> list[int] | None:
        """Return the rows of a schedule; None if some node has other ones only."""
        plans = {plan.node: plan for plan in schedule.nodes}
        found: list[int] = []
        for name in self._names if self._rows else ():
            if not name:
                found.append(0)
                continue
            plan, own = plans[name], self._rows[name]
            wanted = plan.order, tuple(plan.factors.values()), plan.binding
            known = zip(own.orders, own.factors, own.bindings, strict=True)
            place = next((at for at, row in enumerate(known) if row == wanted), None)
            if place is None:
                return None
            found.append(place)
        return found or None

    def _design(self, rows: Sequence[int]) -> SimulatedDesign:
        self._judged.add(tuple(rows))
        graph = self._space.graph
        chosen = {name: row for name, row in zip(self._names, rows, strict=True) if name}
        schedule = assemble_rows(graph, self._rows, chosen)
        cycles = evaluate(graph, schedule, self._space.costs).latency_cycles
        dsps, luts = self._used(rows).tolist()
        return self._judge(Chosen(schedule, cycles, int(dsps), int(luts)))

    def _used(self, rows: Sequence[int]) -> Floats:
        pairs = zip(self._usage, rows, strict=True)
        return np.sum([own[row] for own, row in pairs], axis=0).astype(float)

    def _around(self, rows: list[int], design: SimulatedDesign, power: int) -> _Around:
        soon, late = Paths(self._wires, rows).cycles, Paths(self._late, rows).cycles
        burst = TUNING.burst
        if late > soon:
            burst = min(1.0, max(0.0, (design.cycles - soon) / (late - soon)))
        return _Around(rows, design, burst, self._used(rows), power)

    def _promising(self, around: _Around) -> Iterator[Change]:
        """Yield changes that lead to designs not judged yet, the most promising first."""
        changes, cycles, excess = self._estimated(around, around.rows)
        merits = _merits(cycles, excess, around.power)
        found = [(float(merits[at]), changes[at]) for at in _unlike(merits, excess)]
        found += self._chains(around, changes, cycles, excess)
        most = TUNING.merit.hopeless * around.merit(around.design)
        for least, change in sorted(found, key=lambda pair: pair[0]):
            if least > most:
                return
            if tuple(_changed(around.rows, change)) not in self._judged:
                yield change

    def _chains(
        self, around: _Around, changes: Sequence[Change], cycles: Floats, excess: Floats
    ) -> Iterator[tuple[float, Change]]:
        """Yield changes that are quicker but over a limit, with others that mend this.

        From a design over a limit, where single changes may all be stuck between two limits, they
        may be a bit slower.
        """
        tuning, is_within = TUNING.chains, around.design.is_within
        links = tuning.links if is_within else tuning.links_over
        most_cycles = around.design.cycles * (1.0 if is_within else tuning.slack)
        over = (excess > 1.0) & (excess < tuning.excess) & (cycles < most_cycles)
        ranked = np.flatnonzero(over)[np.argsort(cycles[over], kind="stable")]
        for at in map(int, ranked[: tuning.most]):
            first = _changed(around.rows, changes[at])
            rows, least = self._mended(around, first, links)
            yield least, tuple(enumerate(rows))

    def _mended(self, around: _Around, rows: list[int], links: int) -> tuple[list[int], float]:
        """Return rows after the changes that mend what is over a limit, with their merit."""
        least = np.inf
        for _ in range(links):
            changes, cycles, excess = self._estimated(around, rows)
            if not changes:
                break
            merits = _merits(cycles, excess, around.power)
            best = int(np.argmin(merits))
            rows, least = _changed(rows, changes[best]), float(merits[best])
            if excess[best] <= 1.0:
                break
        return rows, least

    def _estimated(self, around: _Around, rows: list[int]) -> tuple[list[Change], Floats, Floats]:
        """Return all changes to rows, with the cycles and the excess of what they lead to."""
        kinds, every = self._moves.every, range(len(rows))
        changes = [change for kind in kinds for change in kind(rows, every)]
        if not changes:
            return [], np.zeros(0), np.zeros(0)
        soon, late = (_after(Paths(wires, rows), changes) for wires in (self._wires, self._late))
        cycles = soon + around.burst * np.maximum(0.0, late - soon)
        more = [
            sum((self._usage[at][row] - self._usage[at][rows[at]] for at, row in change), _NONE)
            for change in changes
        ]
        usage = self._used(rows) + np.array(more)
        excess = self._excess(around, usage)
        if self._each:
            excess = np.maximum(excess, self._excess_of_regions(around, rows, changes))
        return changes, cycles, excess

    def _excess(self, around: _Around, usage: Floats) -> Floats:
        """Return the largest share of a limit, where all grows as DSPs and LUTs of rows do."""
        used, limits = around.design.used, self._limits
        weights = np.array([TUNING.dsp_luts, 1.0])
        growth = (usage @ weights) / max(1.0, float(around.usage @ weights))
        dsps, luts = (usage / np.maximum(1.0, around.usage)).T
        return np.maximum.reduce(
            [
                usage[:, 0] / max(1, limits.dsps),  # as they are counted
                used.dsps * dsps / max(1, limits.dsps),
                used.luts * luts / max(1, limits.luts),
                used.ffs * growth / max(1, limits.ffs),
                np.full_like(growth, used.bram18 / max(1, limits.bram18)),
                np.full_like(growth, used.uram / max(1, limits.uram)),
            ]
        )

    def _excess_of_regions(
        self, around: _Around, rows: list[int], changes: Sequence[Change]
    ) -> Floats:
        """Return the largest share of a limit of a region, where all nodes stay in theirs."""
        slrs = dict(around.design.built.slrs)
        homes = [slrs.get(name, 0) for name in self._names]
        amounts = np.array([[own.dsps, own.luts] for own in around.design.each], dtype=float)
        for at, home in enumerate(homes):
            amounts[home] += self._usage[at][rows[at]] - self._usage[at][around.rows[at]]
        found = np.repeat(amounts[np.newaxis], len(changes), axis=0)
        for place, change in enumerate(changes):
            for at, row in change:
                found[place, homes[at]] += self._usage[at][row] - self._usage[at][rows[at]]
        most = np.array([[max(1, own.dsps), max(1, own.luts)] for own in self._each])
        return np.asarray((found / most).max(axis=(1, 2)))


_NONE = np.zeros(2)


def _unlike(merits: Floats, excess: Floats) -> list[int]:
    """Return the most promising places, of those with nearly equal merits the least excess."""
    classes = np.round(np.log(np.maximum(1.0, merits)) / TUNING.merit.alike)
    ranked = np.lexsort((excess, classes))
    heads = np.flatnonzero(np.r_[True, np.diff(classes[ranked]) != 0])[: len(ranked)]
    return ranked[heads[: TUNING.promising]].tolist()


def _after(paths: Paths, changes: Sequence[Change]) -> Floats:
    size = TUNING.batch
    return np.concatenate(
        [paths.after(changes[low : low + size]) for low in range(0, len(changes), size)]
    )


def _changed(rows: Sequence[int], change: Change) -> list[int]:
    result = list(rows)
    for at, row in change:
        result[at] = row
    return result
