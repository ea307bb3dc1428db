"""Iterated local search [1] for good schedules of large graphs: (E19) to (E22).

It lowers the latency, somewhat blurred so that all of several long paths count, plus a price for
every DSP. The price falls until the DSPs are spent. Then rounds of random prices leave the local
optimum, and an exact search of a few tile classes at a time finds changes of many nodes together.

[1] Lourenco, Martin and Stutzle, Iterated local search, Handbook of Metaheuristics, 2003.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from streamopt.search.instance import SearchInstance
from streamopt.search.labels.component import Mode, SearchStoppedError, SearchTooLargeError
from streamopt.search.labels.label_setting import LabelEffort, search
from streamopt.search.local.large_neighbourhood import window
from streamopt.search.local.move_estimates import MoveEstimates, estimated_moves
from streamopt.search.local.moves import Kind, Moves
from streamopt.search.local.paths import Change, Paths, Wires
from streamopt.search.local.tuning import TUNING

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
OnBetter = Callable[[dict[str, int], int], None]


class LocalSearch:
    """The search on one instance, with the best rows so far.

    Parameters
    ----------
    should_stop
        Called every few milliseconds; true raises `SearchStoppedError`.
    on_better
        Called with the row of every named node, and the latency in cycles, of better schedules.
    seed
        Of the noise.

    Raises
    ------
    SearchTooLargeError
        If no rows that agree on the factors of all tile classes are found to begin with.
    """

    def __init__(
        self,
        problem: SearchInstance,
        should_stop: Callable[[], bool],
        on_better: OnBetter,
        seed: int,
    ) -> None:
        self._wires = Wires(problem)
        self._moves = Moves(self._wires)
        self._should_stop = should_stop
        self._on_better = on_better
        self._limit = problem.dsp_limit
        self._random = np.random.default_rng(seed)
        self._weights = [1.0] * len(self._wires)
        self._all = range(len(self._wires))
        self._rows = self._moves.least()
        self._narrow = self._moves.narrow_classes(TUNING.neighbourhoods.nodes)
        self._price = 1.0
        self._round = 0
        self._window = 0
        self.cycles: int | None = None
        self._best = self._rows

    def adopt(self, chosen: dict[str, int], cycles: int) -> None:
        """Go on from rows that were found elsewhere, if they are better."""
        if self.cycles is None or cycles < self.cycles:
            names = self._wires.problem.names
            self._best = [chosen.get(names[node], 0) for node in self._wires.order]
            self._rows, self.cycles = self._best, cycles

    def start(self) -> None:
        """Lower the price of DSPs until more are taken than there are (E21), (E25)."""
        estimates = MoveEstimates(self._moves)
        paths = self._note(self._rows)
        for share in TUNING.start.prices:
            rows = self._first_descended(self._rows, share, estimates)
            paths = self._note(rows)
            self._rows = rows
            if paths.dsps > self._limit:
                break
        if paths.dsps > self._limit:
            self._rows = self._repaired(self._rows)
        for blur in TUNING.start.finer_blurs:
            self._rows = self._descended_by_estimates(
                self._rows, TUNING.descent.fill_price, estimates, blur, is_limited=True
            )
            self._note(self._rows)

    def _first_descended(
        self, rows: list[int], share: float, estimates: MoveEstimates
    ) -> list[int]:
        """Return a local optimum under estimated moves and changes of walks (E25)."""
        among: Iterable[int] = self._all
        for _ in range(TUNING.start.walk_sweeps):
            rows = self._descended_by_estimates(rows, share, estimates)
            paths, price = self._blurred(rows, share, TUNING.start.blur)
            changes = list(self._moves.of_walks(rows, among))
            change, among = self._best_change(paths, price, changes, is_limited=False)
            if not change:
                break
            rows = _changed(rows, change)
        return rows

    def _descended_by_estimates(
        self,
        rows: list[int],
        share: float,
        estimates: MoveEstimates,
        blur: float = TUNING.start.blur,
        *,
        is_limited: bool = False,
    ) -> list[int]:
        """Return a local optimum under estimated moves, which take walks as they come."""
        for _ in range(TUNING.descent.most_sweeps):
            if self._should_stop():
                raise SearchStoppedError
            paths, price = self._blurred(rows, share, blur)
            good = estimated_moves(
                estimates, paths, price, TUNING.descent.least_gain * paths.cycles
            )
            if is_limited:
                left = self._limit - paths.dsps
                good = [change for change in good if self._more_dsps(rows, change) <= left]
            change = self._most_together(paths, price, good, is_limited)
            if not change:
                break
            rows = _changed(rows, change)
        return rows

    def _blurred(self, rows: list[int], share: float, blur: float) -> tuple[Paths, float]:
        """Return the blurred paths of rows, and the price that is a share of their latency."""
        cycles = Paths(self._wires, rows).cycles
        return Paths(self._wires, rows, blur * cycles), share * cycles / self._limit

    def round(self) -> None:
        """Repair the DSPs, spend the rest of them, search neighbourhoods, and perturb."""
        blur = TUNING.descent.fill_blurs[self._round % len(TUNING.descent.fill_blurs)]
        rows = self._filled(self._repaired(self._rows), blur)
        cycles = self._note(rows).cycles
        if self.cycles is not None and cycles > TUNING.descent.return_ratio * self.cycles:
            rows = self._best
        if self._round >= TUNING.neighbourhoods.plain_rounds:
            for _ in range(TUNING.neighbourhoods.count):
                rows = self._best_neighbour(rows)
            self._note(rows)
        self._rows = self._perturbed(rows)
        self._round += 1

    def _unit_price(self) -> float:
        return (self.cycles or 0) / self._limit

    def _repaired(self, rows: list[int]) -> list[int]:
        """Return rows within the DSPs, by ever higher prices, or the best ones so far.

        Fewer lanes of tile classes come first. Where these don't suffice, as loops of one node have
        the lanes, all plain changes follow.
        """
        for kinds in (self._moves.plain[:1], self._moves.plain):
            price = self._unit_price()
            for _ in range(TUNING.descent.most_repairs):
                paths = Paths(self._wires, rows)
                if paths.dsps <= self._limit:
                    return rows
                price *= TUNING.descent.repair_step
                blur_cycles = TUNING.descent.fill_blurs[0] * paths.cycles
                rows = self._descended(rows, price, blur_cycles, kinds, len(kinds))
        return self._best

    def _filled(self, rows: list[int], blur: float) -> list[int]:
        cycles = float(self.cycles or 0)
        price = TUNING.descent.fill_price * self._unit_price()
        kinds = self._moves.every
        rows = self._descended(
            rows, price, blur * cycles, kinds, TUNING.descent.most_sweeps, is_limited=True
        )
        self._note(rows)
        return rows

    def _perturbed(self, rows: list[int]) -> list[int]:
        noise = self._random.normal(0.0, TUNING.perturbation.noise, len(rows))
        self._weights = np.exp(noise).tolist()
        price = (
            TUNING.perturbation.prices[self._round % len(TUNING.perturbation.prices)]
            * self._unit_price()
        )
        for blur in TUNING.perturbation.blurs:
            cycles = blur * float(self.cycles or 0)
            rows = self._descended(
                rows, price, cycles, self._moves.plain, TUNING.perturbation.sweeps
            )
        self._weights = [1.0] * len(rows)
        return rows

    def _note(self, rows: list[int]) -> Paths:
        """Return the paths of rows, and keep these if they are the best so far."""
        paths = Paths(self._wires, rows)
        cycles = round(paths.cycles)
        if paths.dsps <= self._limit and (self.cycles is None or cycles < self.cycles):
            self._best, self.cycles = rows, cycles
            names = (self._wires.problem.names[node] for node in self._wires.order)
            chosen = {name: row for name, row in zip(names, rows, strict=True) if name}
            self._on_better(chosen, cycles)
        return paths

    def _descended(
        self,
        rows: list[int],
        price: float,
        blur_cycles: float,
        kinds: Sequence[Kind],
        most_sweeps: int,
        *,
        is_limited: bool = False,
    ) -> list[int]:
        """Return a local optimum; a kind of change is tried when the ones before it fail.

        After a step only what else was good, and what has changed, is looked at, until that is
        not good any more.
        """
        stage = 0
        among: Iterable[int] = self._all
        for _ in range(most_sweeps):
            paths = Paths(self._wires, rows, blur_cycles)
            changes = list(kinds[stage](rows, among))
            change, good = self._best_change(paths, price, changes, is_limited)
            if change:
                rows, stage, among = (
                    _changed(rows, change),
                    0 if among is self._all else stage,
                    good,
                )
            elif among is not self._all:
                among = self._all
            else:
                stage += 1
                if stage == len(kinds):
                    break
        return rows

    def _best_change(
        self, paths: Paths, price: float, changes: list[Change], is_limited: bool
    ) -> tuple[Change, Iterable[int]]:
        """Return the best of some changes together with others, and the nodes of all good ones."""
        dsps = np.array([self._more_dsps(paths.rows, change) for change in changes])
        if is_limited and changes:
            fits = np.flatnonzero(paths.dsps + dsps <= self._limit)
            changes, dsps = [changes[place] for place in fits], dsps[fits]
        if not changes:
            return (), ()
        gain = paths.cycles - self._after(paths, changes) - price * dsps
        ranked = np.argsort(-gain, kind="stable")
        best_first: list[int] = ranked[
            gain[ranked] > TUNING.descent.least_gain * paths.cycles
        ].tolist()
        good = [changes[place] for place in best_first]
        change = self._most_together(paths, price, good, is_limited)
        nodes = sorted({node for change in good for node, _ in change})
        return (change, nodes) if change else ((), ())

    def _most_together(
        self, paths: Paths, price: float, good: list[Change], is_limited: bool
    ) -> Change:
        """Return so many of the best of some changes as are best together; none for no gain."""
        picked = _apart(good)
        if not picked:
            return ()
        counts = sorted({min(len(picked), 1 << p) for p in range(len(picked).bit_length() + 1)})
        together = [tuple(pair for change in picked[:count] for pair in change) for count in counts]
        sums = np.array([self._more_dsps(paths.rows, change) for change in together])
        gains = paths.cycles - self._after(paths, together) - price * sums
        if is_limited:
            gains[paths.dsps + sums > self._limit] = 0.0
        best = int(np.argmax(gains))
        return together[best] if gains[best] > 0 else ()

    def _more_dsps(self, rows: list[int], change: Change) -> float:
        dsps = self._wires.dsps
        return sum(self._weights[n] * (dsps[n][row] - dsps[n][rows[n]]) for n, row in change)

    def _after(self, paths: Paths, changes: list[Change]) -> Floats:
        """Return the latencies after changes, those of like places together."""
        spans = [(min(change)[0], max(change)[0]) for change in changes]
        wide = len(self._wires) // TUNING.descent.wide
        ranked = sorted(
            range(len(changes)), key=lambda p: (spans[p][1] - spans[p][0] > wide, spans[p])
        )
        result = np.empty(len(changes))
        for low in range(0, len(ranked), TUNING.descent.batch):
            if self._should_stop():
                raise SearchStoppedError
            batch = ranked[low : low + TUNING.descent.batch]
            result[batch] = paths.after([changes[place] for place in batch])
        return result

    def _best_neighbour(self, rows: list[int]) -> list[int]:
        """Return the best rows of one neighbourhood, all others as they are (E22)."""
        classes = self._narrow
        if not classes:
            return rows
        middle = classes[self._window % len(classes)]
        price = TUNING.descent.fill_price * self._unit_price() * (self._window // len(classes) % 2)
        self._window += 1
        low, kept = self._moves.around(
            middle, rows, TUNING.neighbourhoods.classes, TUNING.neighbourhoods.nodes
        )
        paths = Paths(self._wires, rows)
        inside = sum(self._wires.dsps[low + at][rows[low + at]] for at in range(len(kept)))
        part = window(paths, low, kept, self._limit - paths.dsps + inside)
        effort = LabelEffort(TUNING.neighbourhoods.labels, Mode.RESTRICTED, self._should_stop)
        try:
            found = search(part, round(paths.cycles), effort, most=None)
        except SearchTooLargeError:
            return rows
        costs = zip(found.latencies_cycles, found.usage, strict=True)
        sums = [cycles + price * used[0] for cycles, used in costs]
        best = min(range(len(sums)), key=sums.__getitem__, default=None)
        if best is None or sums[best] >= round(paths.cycles) + price * inside:
            return rows
        return _changed(
            rows,
            tuple((int(n), int(kept[int(n) - low][row])) for n, row in found.rows[best].items()),
        )


def _apart(changes: Sequence[Change]) -> list[Change]:
    """Return changes that touch different nodes, earlier ones first."""
    taken: set[int] = set()
    picked: list[Change] = []
    for change in changes:
        nodes = {node for node, _ in change}
        if not taken & nodes:
            taken |= nodes
            picked.append(change)
    return picked


def _changed(rows: list[int], change: Change) -> list[int]:
    result = list(rows)
    for node, row in change:
        result[node] = row
    return result
