"""Nodes with several producers: sums of their least DSPs over a grid of start and end (E27).

The start of the node is the latest arrival, and its end the latest end of a stream into it; a
cell of the grid stands for all that arrive and end by then, so no pairs of labels are made. A
producer that isn't walked alike has ended before the start, so its end doesn't matter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from streamopt.search.deadline.subtrees import NEVER, Candidates, SubtreeLabels, edges, numbered
from streamopt.search.deadline.tree import Tree
from streamopt.search.instance import NO_WALK
from streamopt.search.labels.component import Mode

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FEW, SOME = 16, 256
"""Epilogues and last writes of a producer whose sums the edges of ends are chosen from."""
PLACE_BITS = 20
"""Of a number of labels of a state."""
_NOBODY = np.zeros((1, 1), dtype=np.int64)


def walk_alike(walks: Integers | np.int64, others: Integers) -> Flags:
    """Return where both sides walk a channel alike, so that it streams."""
    alike: Flags = (walks == others) & (others != NO_WALK)
    return alike


def candidates_of_join(
    tree: Tree, node: int, producers: Sequence[SubtreeLabels], cells: int, mode: Mode
) -> Iterator[Candidates]:
    """Yield the labels of a node with several producers, by rows to which these look alike.

    Parameters
    ----------
    producers
        Labels of the subtrees that end in them, in the order of the node's channels.
    cells
        Of the grid, for starts and for ends.
    mode
        Times are rounded down if relaxed; if restricted, labels are those of the producers.
    """
    return _Join(tree, node, producers, cells, mode).candidates()


@dataclass(frozen=True, slots=True)
class _Table:
    """For each start and end: the fewest DSPs of one producer by then, and its label.

    The shape is (starts, ends), or (starts, 1) where ends don't matter; arrays may be broadcast.
    """

    dsps: Integers
    label: Integers
    start: Integers
    end: Integers


class _Join:
    def __init__(
        self, tree: Tree, node: int, producers: Sequence[SubtreeLabels], cells: int, mode: Mode
    ) -> None:
        self.factors, self.spare = tree.factors[node], tree.spare[node]
        self.latest = tree.latest[node]
        self.choices = tree.problem.nodes[node]
        self.channels = tree.problem.ins[node]
        self.producers = producers
        self.streams = [tree.problem.channels[e].streams for e in self.channels]
        self.cells, self.is_relaxed = cells, mode is Mode.RELAXED
        self.starts, self.ends = self._edges()
        self.firsts = [self._placed(self.starts, p.first_cycles) for p in self.producers]
        self.lasts = [self._placed(self.starts, p.last_cycles) for p in self.producers]
        own = self.factors
        self.keys = [tuple(k for k in p.factors if k in own) for p in self.producers]
        self.passing = [tuple(k for k in p.factors if k not in own) for p in self.producers]
        self.places = [self._by_state(place) for place in range(len(self.producers))]
        self.tables: list[dict[tuple[object, ...], _Table]] = [{} for _ in self.producers]

    def _edges(self) -> tuple[Integers, Integers]:
        """Return the edges of starts and of ends; there is one on the side that times go to."""
        starts = [producer.last_cycles for producer in self.producers]
        ends = [np.zeros(1, dtype=np.int64)]
        for channel, producer, streams in zip(
            self.channels, self.producers, self.streams, strict=True
        ):
            if streams:
                starts.append(producer.first_cycles)
                late = edges(self.choices.epilogue[channel], FEW)
                times = edges(producer.last_cycles, SOME)
                ends.append((times[:, None] + late).reshape(-1))
        return self._chosen(np.concatenate(starts)), self._chosen(np.concatenate(ends))

    def _chosen(self, times: Integers) -> Integers:
        within = times[times <= self.latest]
        if not len(within):
            return within
        chosen = edges(within, self.cells)
        return chosen if self.is_relaxed else np.append(chosen[chosen < self.latest], self.latest)

    def _placed(self, grid: Integers, times: Integers) -> Integers:
        """Return the edges that times go to: the one before, or after if they are not relaxed.

        That of times after the latest one is past the last edge.
        """
        if not self.is_relaxed:
            return np.searchsorted(grid, times, side="left")
        before = np.searchsorted(grid, times, side="right") - 1
        return np.where(times <= self.latest, before, len(grid))

    def _by_state(self, place: int) -> dict[tuple[int, ...], dict[tuple[int, ...], Integers]]:
        """Return labels of a producer by shared factors, then by factors that pass by."""
        producer = self.producers[place]
        number, states = numbered(list(producer.factors.values()), len(producer))
        order = np.argsort(number, kind="stable")
        found: dict[tuple[int, ...], dict[tuple[int, ...], Integers]] = {}
        for labels in np.split(order, np.searchsorted(number[order], np.arange(1, states))):
            key = tuple(int(producer.factors[k][labels[0]]) for k in self.keys[place])
            passing = tuple(int(producer.factors[k][labels[0]]) for k in self.passing[place])
            found.setdefault(key, {})[passing] = labels
        return found

    def candidates(self) -> Iterator[Candidates]:
        """Yield labels, by groups of rows to which the producers look alike."""
        if not len(self.starts):
            return
        own = self.factors
        walks = [self._known_walks(place) for place in range(len(self.channels))]
        columns = [*own.values(), *walks]
        for channel, walk in zip(self.channels, walks, strict=True):
            if (walk != NO_WALK).any():
                columns.append(np.where(walk != NO_WALK, self.choices.epilogue[channel], 0))
        number, groups = numbered(columns, len(self.choices))
        order = np.argsort(number, kind="stable")
        for rows in np.split(order, np.searchsorted(number[order], np.arange(1, groups))):
            some = int(rows[0])
            states = [
                places.get(tuple(int(own[k][some]) for k in keys), {})
                for places, keys in zip(self.places, self.keys, strict=True)
            ]
            seen = [int(walk[some]) for walk in walks]
            for passing in product(*states):
                factors = self._joint(passing)
                if factors is not None:
                    tables = [
                        self._table(place, some, seen[place], known)
                        for place, known in enumerate(passing)
                    ]
                    yield from self._of_rows(rows, tables, factors)

    def _known_walks(self, place: int) -> Integers:
        """Return by row the walk of a channel, `NO_WALK` if no label of the producer walks so."""
        channel = self.channels[place]
        if not self.streams[place]:
            return np.full(len(self.choices), NO_WALK)
        walks = self.choices.walks[channel]
        return np.where(np.isin(walks, self.producers[place].walk), walks, NO_WALK)

    def _joint(self, passing: tuple[tuple[int, ...], ...]) -> dict[int, int] | None:
        """Return the factors of classes that pass by, or None if producers have different ones."""
        found: dict[int, int] = {}
        for classes, values in zip(self.passing, passing, strict=True):
            for index, value in zip(classes, values, strict=True):
                if found.setdefault(index, value) != value:
                    return None
        return found

    def _of_rows(
        self, rows: Integers, tables: Sequence[_Table], factors: Mapping[int, int]
    ) -> Iterator[Candidates]:
        """Yield the labels of rows that see the same tables."""
        dsps = tables[0].dsps
        start, end = tables[0].start, tables[0].end
        for table in tables[1:]:
            dsps = dsps + table.dsps
            start, end = np.maximum(start, table.start), np.maximum(end, table.end)
        spare = self.spare
        most = spare - int(self.choices.dsps[rows].min())
        if int(dsps[-1, -1]) > most:
            return
        falls = dsps <= most
        falls[1:, 1:] &= (dsps[1:, 1:] < dsps[:-1, 1:]) & (dsps[1:, 1:] < dsps[1:, :-1])
        falls[1:, 0] &= dsps[1:, 0] < dsps[:-1, 0]
        falls[0, 1:] &= dsps[0, 1:] < dsps[0, :-1]
        for row in rows.tolist():
            lasts = np.maximum(start + int(self.choices.last_write[row]), end)
            kept = falls
            if dsps.shape[1] > 1:
                grows = np.ones(dsps.shape, dtype=np.bool_)  # the last of cells that end alike
                grows[:, :-1] = lasts[:, 1:] > lasts[:, :-1]
                kept = falls & grows
                kept[:, 1:] |= grows[:, 1:] & ~grows[:, :-1]
            cells = np.nonzero(kept)
            count = len(cells[0])
            if not count:
                continue
            labels = [np.broadcast_to(t.label, dsps.shape)[cells] for t in tables]
            yield Candidates(
                np.full(count, row),
                np.broadcast_to(start, dsps.shape)[cells],
                np.broadcast_to(lasts, dsps.shape)[cells],
                dsps[cells] + int(self.choices.dsps[row]),
                {k: np.full(count, value) for k, value in factors.items()},
                np.column_stack(labels),
            )

    def _table(self, place: int, row: int, walk: int, passing: tuple[int, ...]) -> _Table:
        own = self.factors
        key = tuple(int(own[k][row]) for k in self.keys[place])
        late = 0 if walk == NO_WALK else int(self.choices.epilogue[self.channels[place]][row])
        known = self.tables[place]
        name = (key, passing, walk, late)
        if name not in known:
            known[name] = self._tabled(place, self.places[place][key][passing], walk, late)
        return known[name]

    def _tabled(self, place: int, labels: Integers, walk: int, late: int) -> _Table:
        """Return the least DSPs of labels that arrive and end by the edges."""
        producer = self.producers[place]
        agree = walk_alike(np.int64(walk), producer.walk[labels])
        rows = np.where(agree, self.firsts[place][labels], self.lasts[place][labels])
        ends = np.where(agree, producer.last_cycles[labels] + late, 0)
        columns = self._placed(self.ends, ends) if agree.any() else np.zeros_like(rows)
        shape = (len(self.starts), len(self.ends) if agree.any() else 1)
        within = np.flatnonzero((rows < shape[0]) & (columns < len(self.ends)))
        best = np.full(shape, NEVER << PLACE_BITS, dtype=np.int64)
        packed = (producer.dsps[labels[within]] << PLACE_BITS) + within
        np.minimum.at(best, (rows[within], columns[within]), packed)
        best = np.minimum.accumulate(np.minimum.accumulate(best, axis=0), axis=1)
        dsps = best >> PLACE_BITS
        if self.is_relaxed:
            return _Table(dsps, _NOBODY, self.starts[:, None], self.ends[None, : shape[1]])
        chosen = labels[best & ((1 << PLACE_BITS) - 1)]
        walks = walk_alike(np.int64(walk), producer.walk[chosen])
        last = producer.last_cycles[chosen]
        return _Table(
            dsps,
            chosen,
            np.where(walks, producer.first_cycles[chosen], last),
            np.where(walks, last + late, 0),
        )
