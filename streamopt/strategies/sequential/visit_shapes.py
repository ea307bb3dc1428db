"""The visits of phases by their sizes, from which cycles for any lanes are estimated.

Visits whose loops have the same bounds are one row with a count, so that a time loop around a grid
is a single row. Bounds that depend on other loops of the phase are averaged over a few of their
values: an estimate ranks candidates, and those that are promising are built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.stepping.steps import bounding, walk_phases
from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.affine import Affine
    from streamopt.ir.stepping.steps import Phase, StepLoop, Steps

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

SAMPLES = 8
"""Values of a loop of a phase over which the bounds of later ones are averaged."""
MOST_ROWS = 200_000
"""Different visits that are looked at; of more, loops around are sampled too."""


@dataclass(frozen=True, slots=True)
class LoopSpan:
    """The values of one loop of a phase, in each row of visits."""

    loop: str
    low: Floats
    """First value; not a number where it differs from iteration to iteration."""
    extent: Floats
    """Values, on average where they differ."""

    def tiles(self, lanes: int) -> Floats:
        """Return the tiles of so many lanes, which are aligned; at least 1."""
        exact = np.floor((self.low + self.extent - 1) / lanes) - np.floor(self.low / lanes) + 1
        likely = (self.extent - 1) / lanes + 1
        return np.maximum(1.0, np.where(np.isnan(self.low), likely, exact))


@dataclass(frozen=True, slots=True)
class PhaseShape:
    """All visits of one phase."""

    phase: Phase
    counts: Floats
    """Visits of each row."""
    spans: tuple[LoopSpan, ...]
    """Of its loops."""
    is_repeated: bool
    """Whether loops run in order around it."""

    @property
    def is_empty(self) -> npt.NDArray[np.bool_]:
        """Return whether the visits of each row have no iterations."""
        return np.any([span.extent <= 0 for span in self.spans], axis=0)

    def cycles(self, lanes: Mapping[str, int], least_cycles: int) -> float:
        """Return about how many cycles all visits take.

        Parameters
        ----------
        lanes
            By loop; 1 where it has none.
        least_cycles
            Of a visit.
        """
        visits, tiles = self.counts, np.ones_like(self.counts)
        for span in self.spans:
            own = span.tiles(lanes.get(span.loop, 1))
            if span.loop in self.phase.sums:
                visits = visits * own
            else:
                tiles = tiles * own
        least = max(1, least_cycles)
        return float((visits * np.where(self.is_empty, 1.0, np.maximum(tiles, least))).sum())


def phase_shapes(steps: Steps) -> tuple[PhaseShape, ...]:
    """Return the visits of all phases."""
    return tuple(_shape(around, phase) for phase, around in walk_phases(steps.items))


def _shape(around: Sequence[StepLoop], phase: Phase) -> PhaseShape:
    table = _Table()
    for place, loop in enumerate(around):
        table = table.entered(loop, bounding((*around[place + 1 :], *phase.loops)))
    spans: list[LoopSpan] = []
    rows = len(table.counts)
    inner = table.with_rows()
    own = {loop.name for loop in phase.loops}
    for place, loop in enumerate(phase.loops):
        low, extent = inner.bounds(loop)
        if bounding((loop,)) & own:
            sizes = np.bincount(inner.row, minlength=rows)
            mean = np.bincount(inner.row, extent, minlength=rows) / np.maximum(1, sizes)
            spans.append(LoopSpan(loop.name, np.full(rows, np.nan), mean))
        else:
            first = np.zeros(rows), np.zeros(rows)
            for kept, values in zip(first, (low, extent), strict=True):
                kept[inner.row] = values
            spans.append(LoopSpan(loop.name, *first))
        inner = inner.sampled(loop, low, extent, bounding(phase.loops[place + 1 :]))
    spend(WORK.rows.vector * rows * (1 + len(spans)))
    return PhaseShape(phase, table.counts, tuple(spans), bool(around))


class _Table:
    """Values of iterators, with the number of times that they occur together."""

    def __init__(
        self,
        values: Mapping[str, Integers] | None = None,
        counts: Floats | None = None,
        row: Integers | None = None,
    ) -> None:
        self.values = {} if values is None else dict(values)
        self.counts = np.ones(1) if counts is None else counts
        self.row = np.zeros(len(self.counts), dtype=np.int64) if row is None else row

    def with_rows(self) -> _Table:
        """Return the table with a number of each of its rows."""
        return _Table(self.values, self.counts, np.arange(len(self.counts)))

    def bounds(self, loop: StepLoop) -> tuple[Floats, Floats]:
        """Return the first value of a loop and its number of values, in every row."""
        low = np.max([self._value(bound) for bound in loop.lower], axis=0)
        end = np.min([self._value(bound) for bound in loop.upper], axis=0)
        return low, np.maximum(0.0, end - low)

    def _value(self, bound: Affine) -> Floats:
        return np.zeros(len(self.counts)) + bound.evaluate(self.values)

    def entered(self, loop: StepLoop, used: frozenset[str]) -> _Table:
        """Return the table inside a loop, with those of its iterators that are used further in."""
        low, extent = self.bounds(loop)
        if loop.name not in used:
            return _Table(self.values, self.counts * extent, self.row)
        sizes = extent.astype(np.int64)
        step = max(1, -(-int(sizes.sum()) // MOST_ROWS))
        taken = -(-sizes // step)
        place = np.repeat(np.arange(len(sizes)), taken)
        offset = (np.arange(len(place)) - np.repeat(np.cumsum(taken) - taken, taken)) * step
        weight = np.repeat(sizes / np.maximum(1, taken), taken)
        values = {name: own[place] for name, own in self.values.items() if name in used}
        values[loop.name] = low[place].astype(np.int64) + offset
        return _Table(values, self.counts[place] * weight, self.row[place])._merged()

    def _merged(self) -> _Table:
        keys, places = np.unique(
            np.stack(list(self.values.values()), axis=1), axis=0, return_inverse=True
        )
        counts: Floats = np.bincount(places.ravel(), self.counts).astype(np.float64)
        return _Table(dict(zip(self.values, keys.T, strict=True)), counts)

    def sampled(self, loop: StepLoop, low: Floats, extent: Floats, used: frozenset[str]) -> _Table:
        """Return the table with a few values of a loop, where it is used further in."""
        if loop.name not in used:
            return self
        place = np.repeat(np.arange(len(low)), SAMPLES)
        share = np.tile((np.arange(SAMPLES) + 0.5) / SAMPLES, len(low))
        values = {name: own[place] for name, own in self.values.items()}
        values[loop.name] = np.floor(low[place] + share * extent[place]).astype(np.int64)
        return _Table(values, self.counts[place], self.row[place])
