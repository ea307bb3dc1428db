"""Changes to chosen rows that keep every tile class at one factor (E20)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log, prod

import numpy as np
import numpy.typing as npt

from streamopt.search.instance import NO_WALK
from streamopt.search.labels.component import SearchTooLargeError
from streamopt.search.local.paths import Change, Wires
from streamopt.search.local.tuning import TUNING
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]
Factors = tuple[int, ...]
Walks = tuple[int, ...]
Left = Mapping[int, frozenset[int]]
"""By tile class, the factors that may still be taken."""

Kind = Callable[[list[int], Iterable[int]], Iterator["Change"]]
"""Changes of one kind to the rows of all nodes, that begin at some of them."""


class Moves:
    """The changes of an instance."""

    def __init__(self, wires: Wires) -> None:
        self._wires = wires
        nodes = [wires.problem.nodes[n] for n in wires.order]
        self.classes: list[tuple[int, ...]] = [tuple(sorted(own.factors)) for own in nodes]
        self.factors: list[list[Factors]] = []
        self._walks: list[list[Walks]] = []
        self._alike: list[dict[Factors, list[int]]] = []
        self.members: dict[int, list[int]] = {}
        for at, own in enumerate(nodes):
            size = len(own)
            spend(WORK.rows.row * size)
            columns = [own.factors[k].tolist() for k in self.classes[at]]
            self.factors.append(list(zip(*columns, strict=True)) if columns else [()] * size)
            walks = [column.tolist() for _, column in sorted(own.walks.items())]
            self._walks.append(list(zip(*walks, strict=True)) if walks else [()] * size)
            alike: dict[Factors, list[int]] = {}
            for row, key in enumerate(self.factors[at]):
                alike.setdefault(key, []).append(row)
            self._alike.append(alike)
            for k in self.classes[at]:
                self.members.setdefault(k, []).append(at)
        self.values = {k: self._values(k) for k in self.members}
        self.plain: tuple[Kind, ...] = (self.of_classes, self.of_nodes, self.of_walks)
        self.every: tuple[Kind, ...] = (*self.plain, self.of_pairs)
        self._followers: dict[tuple[int, Factors, int, int], int | None] = {}
        self._known: dict[tuple[int, int, Factors], int | None] = {}

    def _values(self, index: int) -> list[int]:
        common: set[int] | None = None
        for at in self.members[index]:
            place = self.classes[at].index(index)
            own = {key[place] for key in self._alike[at]}
            common = own if common is None else common & own
        return sorted(common or ())

    def factor(self, index: int, rows: Sequence[int]) -> int:
        """Return the factor that a tile class has."""
        at = self.members[index][0]
        return self.factors[at][rows[at]][self.classes[at].index(index)]

    def refactored(self, rows: Sequence[int], wanted: dict[int, int]) -> Change | None:
        """Return the change that gives tile classes other factors; None if some node can't."""
        change: list[tuple[int, int]] = []
        for at in sorted({at for index in wanted for at in self.members[index]}):
            own = self.factors[at][rows[at]]
            key = tuple(
                wanted.get(k, factor) for k, factor in zip(self.classes[at], own, strict=True)
            )
            row = self._nearest(at, rows[at], key)
            if row is None:
                return None
            change.append((at, row))
        return tuple(change)

    def _nearest(self, at: int, row: int, key: Factors) -> int | None:
        """Return the row of these factors that is most like a row."""
        name = (at, row, key)
        if name not in self._known:
            options = self._alike[at].get(key, [])
            gain = prod(key) / prod(self.factors[at][row])
            dsps, last = self._wires.dsps[at], self._wires.last_write[at]
            first = self._wires.first_write[at]
            walks = self._walks[at]

            def distance(other: int) -> tuple[int, float]:
                unlike = sum(a != b for a, b in zip(walks[row], walks[other], strict=True))
                ratios: list[float] = [
                    _ratio(dsps[other], dsps[row] * gain),
                    _ratio(last[other], last[row] / gain),
                    0.1 * _ratio(first[other], first[row] / gain),
                ]
                return unlike, sum(ratios)

            self._known[name] = min(options, key=distance, default=None)
        return self._known[name]

    def of_classes(self, rows: Sequence[int], among: Iterable[int]) -> Iterator[Change]:
        """Yield changes of one tile class' factor."""
        for index in sorted({k for at in among for k in self.classes[at]}):
            now = self.factor(index, rows)
            for value in self.values[index]:
                if value != now:
                    change = self.refactored(rows, {index: value})
                    if change is not None:
                        yield change

    def of_nodes(self, rows: Sequence[int], among: Iterable[int]) -> Iterator[Change]:
        """Yield changes of one node's row with all shared factors as they are."""
        for at in among:
            row = rows[at]
            for other in self._alike[at][self.factors[at][row]]:
                if other != row:
                    yield ((at, other),)

    def of_walks(self, rows: Sequence[int], among: Iterable[int]) -> Iterator[Change]:
        """Yield changes of a node's walks that its neighbours follow, and theirs, to some depth."""
        for at in among:
            row = rows[at]
            seen: set[Walks] = set()
            for other in self._alike[at][self.factors[at][row]]:
                walks = self._walks[at][other]
                if walks == self._walks[at][row] or walks in seen:
                    continue
                seen.add(walks)
                known: set[Change] = set()
                for up, down in TUNING.moves.reaches:
                    change = self._followed(rows, at, other, up, down)
                    if len(change) > 1 and change not in known:
                        known.add(change)
                        yield change

    def _followed(self, rows: Sequence[int], at: int, row: int, up: int, down: int) -> Change:
        taken = {at: row}
        for steps, goes_up in ((up, True), (down, False)):
            front = [at]
            for _ in range(steps):
                front = [n for at in front for n in self._follow(rows, at, taken, goes_up=goes_up)]
        return tuple(sorted(taken.items()))

    def _follow(
        self, rows: Sequence[int], at: int, taken: dict[int, int], *, goes_up: bool
    ) -> Iterator[int]:
        """Let the neighbours on one side take a node's walks where they don't, and yield them."""
        sides = (
            [(wire.producer, wire.read, wire.written) for wire in self._wires.ins[at]]
            if goes_up
            else [(node, wire.written, wire.read) for node, wire in self._wires.outs[at]]
        )
        for node, own, others in sides:
            if own is None or others is None or node in taken:
                continue
            want = int(own[taken[at]])
            if want != NO_WALK and others[rows[node]] != want:
                row = self._walking(node, rows[node], others, want)
                if row is not None:
                    taken[node] = row
                    yield node

    def _walking(self, at: int, row: int, walks: Integers, want: int) -> int | None:
        name = (at, self.factors[at][row], id(walks), want)
        if name not in self._followers:
            options = [r for r in self.alike(at, row) if walks[r] == want]
            times = self._wires.last_write[at], self._wires.first_write[at]
            self._followers[name] = min(
                options, key=lambda r: (times[0][r], times[1][r]), default=None
            )
        return self._followers[name]

    def of_pairs(self, rows: Sequence[int], among: Iterable[int]) -> Iterator[Change]:
        """Yield changes of two tile classes that meet in a node, one up and one down."""
        seen: set[tuple[int, int]] = set()
        for at in among:
            own = self.classes[at]
            seen |= {(a, b) for a in own for b in own if a != b}
        for up, down in sorted(seen):
            ups = [v for v in self.values[up] if v > self.factor(up, rows)][:2]
            downs = [v for v in self.values[down] if v < self.factor(down, rows)][-2:]
            for more in ups:
                for less in downs:
                    change = self.refactored(rows, {up: more, down: less})
                    if change is not None:
                        yield change

    def alike(self, at: int, row: int) -> list[int]:
        """Return the rows of a node with the same shared factors."""
        return self._alike[at][self.factors[at][row]]

    def least(self) -> list[int]:
        """Return rows of the least factors, with few DSPs.

        Raises
        ------
        SearchTooLargeError
            If no factors are found that suit all nodes.
        """
        dsps, last = self._wires.dsps, self._wires.last_write
        factors = self._least_factors()
        rows: list[int] = []
        for at, alike in enumerate(self._alike):
            key = tuple(factors[k] for k in self.classes[at])
            rows.append(min(alike[key], key=lambda row: (dsps[at][row], last[at][row])))
        return rows

    def _least_factors(self) -> dict[int, int]:
        """Return the least factor of each class; where no row has these together, others near."""
        least = {k: values[0] for k, values in self.values.items() if values}
        keys = [tuple(least.get(k) for k in own) for own in self.classes]
        if all(key in alike for key, alike in zip(keys, self._alike, strict=True)):
            return least
        agreed = agreed_factors(self.classes, self._alike)
        if agreed is None:
            raise SearchTooLargeError
        return agreed

    def narrow_classes(self, most_nodes: int) -> list[int]:
        """Return the tile classes with a choice whose nodes are not far apart."""
        return [
            k
            for k, places in self.members.items()
            if len(self.values[k]) > 1 and places[-1] - places[0] < most_nodes
        ]

    def around(
        self, middle: int, rows: Sequence[int], most_classes: int, most_nodes: int
    ) -> tuple[int, list[Integers]]:
        """Return a first node, and for it and those after it the rows that a window leaves them.

        Free are a tile class and those near to it, so many that neither are more than most.
        """
        free: set[int] = {middle}
        waiting: list[int] = [middle]
        low, high = self.members[middle][0], self.members[middle][-1]
        while waiting:
            index = waiting.pop(0)
            near: set[int] = {k for at in self.members[index] for k in self.classes[at]} - free
            for k in sorted(near, key=lambda k: (abs(self.members[k][0] - low), k)):
                ends = min(low, self.members[k][0]), max(high, self.members[k][-1])
                if len(free) < most_classes and ends[1] - ends[0] < most_nodes:
                    low, high = ends
                    free.add(k)
                    waiting.append(k)
        return low, [self._left(at, rows[at], free) for at in range(low, high + 1)]

    def _left(self, at: int, row: int, free: set[int]) -> Integers:
        own = self.factors[at][row]
        left = [
            other
            for key, others in self._alike[at].items()
            if all(
                k in free or value == now
                for k, value, now in zip(self.classes[at], key, own, strict=True)
            )
            for other in others
        ]
        return np.array(sorted(left), dtype=np.int64)


def agreed_factors(
    classes: Sequence[Sequence[int]], tables: Sequence[Iterable[Factors]]
) -> dict[int, int] | None:
    """Return a factor for each tile class so that every table has an entry with them.

    Parameters
    ----------
    classes
        By node, the tile classes that the entries of its table are factors of.
    tables
        By node, the factors that rows have together.

    Returns
    -------
    dict or None
        Factors near the least of each class; None if there are none, or none were found.
    """
    joined = _Tables(classes, tables)
    first = joined.narrowed({}, range(len(classes)))
    branches = [] if first is None else [iter([first])]
    for _ in range(TUNING.moves.most_tries):
        while branches:
            left = next(branches[-1], None)
            if left is not None:
                break
            branches.pop()
        else:
            return None
        open_class = next((k for k, factors in left.items() if len(factors) > 1), None)
        if open_class is None:
            return {k: min(factors) for k, factors in left.items()}
        branches.append(joined.branches(left, open_class))
    return None


class _Tables:
    """The tables of all nodes, and the nodes that share each class."""

    def __init__(
        self, classes: Sequence[Sequence[int]], tables: Sequence[Iterable[Factors]]
    ) -> None:
        self._classes = classes
        self._tables = [tuple(dict.fromkeys(table)) for table in tables]
        self._members: dict[int, list[int]] = {}
        for node, own in enumerate(classes):
            for k in own:
                self._members.setdefault(k, []).append(node)

    def branches(self, left: Left, index: int) -> Iterator[Left]:
        """Yield what each factor of a class leaves, the least first, unless it leaves nothing."""
        for factor in sorted(left[index]):
            found = self.narrowed({**left, index: frozenset({factor})}, self._members[index])
            if found is not None:
                yield found

    def narrowed(self, left: Left, nodes: Iterable[int]) -> Left | None:
        """Return the factors that have an entry in every table; None if some table has none left.

        Parameters
        ----------
        nodes
            Whose tables are to be looked at; those of others follow where a class gets fewer.
        """
        found = dict(left)
        waiting = dict.fromkeys(nodes)
        while waiting:
            node = next(iter(waiting))
            del waiting[node]
            own = self._classes[node]
            entries = [
                entry
                for entry in self._tables[node]
                if all(k not in found or f in found[k] for k, f in zip(own, entry, strict=True))
            ]
            if not entries:
                return None
            for k, column in zip(own, zip(*entries, strict=True), strict=True):
                fewer = frozenset(column)
                if found.get(k) != fewer:
                    found[k] = fewer
                    waiting.update(dict.fromkeys(n for n in self._members[k] if n != node))
        return found


def _ratio(one: float, other: float) -> float:
    """Return how far two sizes are from each other; elements may come before cycle 0."""
    return abs(log((max(one, 0.0) + 1.0) / (max(other, 0.0) + 1.0)))
