"""Beam search by the prices of the relaxation: pieces joined by few labels each (E23).

The prices value a partial schedule for the rest of the graph: its times by the flow of prices that
leaves its exit, its DSPs, and its open tile classes and walks. So of all labels of a component
those of the least priced cost are kept, whatever their states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt

from streamopt.search.labels.component import Component, SearchStoppedError, undominated
from streamopt.search.labels.composition import (
    complete_source,
    composed,
    matched_labels,
    matching_pairs,
)
from streamopt.search.labels.label_setting import SearchResult
from streamopt.search.relaxation.column_generation import Priced
from streamopt.search.relaxation.master_program import Relaxation, RowKind

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

TIMES = (RowKind.FIRST, RowKind.LAST, RowKind.SPAN)


@dataclass(frozen=True, slots=True)
class BeamTuning:
    """Limits of joins in a beam, and its measure of DSPs; not measured."""

    # pairs of labels that are put together at once; otherwise labels of higher priced cost
    # are dropped on both sides
    most_pairs: int = 150_000
    # of the limit, added to the DSPs that are still to be spent, as some can always be
    # shifted
    spare_share: float = 0.02


TUNING = BeamTuning()


@dataclass(frozen=True, slots=True)
class Beam:
    """How many labels are kept."""

    labels: int
    """Of a component."""
    piece_labels: int
    """Of a piece, before it is put together with others."""


@dataclass(frozen=True, slots=True)
class _BeamPart:
    """A component in a beam, labels of the least cost first."""

    component: Component
    owed: Floats
    """Added to every label by the prices of open tile classes and walks, in horizons."""
    expected_dsps: float
    """Of the mixtures of its pieces."""

    def first(self, count: int) -> _BeamPart:
        """Return the part with its first labels only."""
        return _BeamPart(
            self.component.taken(np.arange(min(count, len(self.owed)))),
            self.owed[:count],
            self.expected_dsps,
        )


class _BeamSearch:
    """The beam's measure of cost, and the joins of parts."""

    def __init__(self, program: Relaxation, priced: Priced, beam: Beam) -> None:
        self._program = program
        self._problem = program.cut.problem
        self._beam = beam
        self._horizon = program.cut.horizon_cycles
        self._limit = self._problem.dsp_limit
        self._number = {piece.exit: place for place, piece in enumerate(program.cut.pieces)}
        self._outer = _outer_costs(program, priced)
        self._priced = priced
        kinds = [key[0] for key in program.keys]
        self._dsp_price = -float(priced.prices[kinds.index(RowKind.DSPS)]) / self._limit
        self._least_dsps = int(program.cut.known.least_usage[0])
        self._ready: dict[int, _BeamPart] = {}

    def joined(self, place: int, should_stop: Callable[[], bool]) -> _BeamPart:
        """Return a piece, the next one in order, with all sources that end in it."""
        part = self._piece(place)
        while (source := complete_source(self._problem, part.component)) is not None:
            if should_stop():
                raise SearchStoppedError
            part = self._together(part, self._ready.pop(source))
        self._ready[part.component.exit] = part
        return part

    def _piece(self, place: int) -> _BeamPart:
        """Return a piece with its labels of low reduced cost."""
        low, high = self._program.offsets[place : place + 2]
        component = self._program.cut.pieces[place]
        weights = self._priced.weights[low:high]
        expected = float(weights @ component.dsps) / max(1e-9, float(weights.sum()))
        order = np.argsort(self._priced.reduced[low:high], kind="stable")
        taken = order[: self._beam.piece_labels]
        owed = self._outer[low:high]
        return self._ranked(_BeamPart(component.taken(taken), owed[taken], expected))

    def _costs(self, part: _BeamPart) -> Floats:
        """Return the priced cost of every label, in horizons."""
        component = part.component
        place = self._program.labels + 2 * self._number[component.exit]
        starts = np.array([self._start(origin) for origin in component.origins])
        first = (component.first / self._horizon + starts).max(axis=1)
        last = (component.last / self._horizon + starts).max(axis=1)
        times = self._outer[place] * np.maximum(first, 0.0) + self._outer[place + 1] * last
        over = component.dsps - part.expected_dsps
        left = max(0.0, self._limit - part.expected_dsps) + TUNING.spare_share * self._limit
        dsps = self._dsp_price * (component.dsps + over * over / left)
        return np.asarray(times + dsps + part.owed)

    def _start(self, origin: tuple[int, str]) -> float:
        if origin[0] < 0:
            return 0.0
        return float(self._priced.times[2 * self._number[origin[0]] + (origin[1] == "last")])

    def _ranked(self, part: _BeamPart) -> _BeamPart:
        """Return the labels of the least costs that fit the DSPs and all sources, best first."""
        component = part.component
        others = self._least_dsps - int(component.region.least_usage[0])
        costs = np.where(component.dsps <= self._limit - others, self._costs(part), np.inf)
        order = np.argsort(costs, kind="stable")
        order = self._matched(component, order[np.isfinite(costs[order])])
        cheap = component.taken(order)
        kept = np.sort(undominated(_marked(cheap)).back[:, -1])[: self._beam.labels]
        return _BeamPart(cheap.taken(kept), part.owed[order[kept]], part.expected_dsps)

    def _matched(self, component: Component, order: Integers) -> Integers:
        """Return the first labels of an order that agree with a label of each of their sources."""
        most = 2 * self._beam.labels
        found, low = order[:0], 0
        while len(found) < most and low < len(order):
            tried = order[low : low + most]
            own = component.taken(tried)
            agree = np.ones(len(tried), dtype=np.bool_)
            for source in component.region.used:
                agree &= matched_labels(self._problem, own, self._ready[source].component)
            found, low = np.append(found, tried[agree]), low + most
        return found[:most]

    def _together(self, after: _BeamPart, before: _BeamPart) -> _BeamPart:
        """Return a part with a source put before it (E5)."""
        while matching_pairs(after.component, before.component) > TUNING.most_pairs:
            if len(after.owed) > len(before.owed):
                after = after.first(len(after.owed) // 2)
            else:
                before = before.first(len(before.owed) // 2)
        component = composed(self._problem, after.component, before.component)
        owed = after.owed[component.back[:, 0]] + before.owed[component.back[:, 1]]
        expected = after.expected_dsps + before.expected_dsps
        return self._ranked(_BeamPart(component, owed, expected))


def beam_search(
    program: Relaxation, priced: Priced, beam: Beam, should_stop: Callable[[], bool]
) -> SearchResult:
    """Return a schedule of low priced cost; none found proves nothing.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it.
    """
    run = _BeamSearch(program, priced, beam)
    part: _BeamPart | None = None
    for place in range(len(program.cut.pieces)):
        part = run.joined(place, should_stop)
        if not len(part.owed):
            return SearchResult()
    assert part is not None
    best = int(np.argmin(part.component.last[:, 0]))
    return SearchResult(
        (int(part.component.last[best, 0]),),
        (tuple(part.component.usage[best].tolist()),),
        (program.cut.problem.named_rows(part.component.rows_of(best)),),
    )


def _marked(component: Component) -> Component:
    """Return the component with the place of every label as one more part."""
    places = np.arange(len(component), dtype=np.int64)[:, None]
    return replace(component, back=np.concatenate([component.back, places], axis=1))


def _outer_costs(program: Relaxation, priced: Priced) -> Floats:
    """Return the cost of each label and time in the rows of other pieces, in horizons."""
    exits = np.array([piece.exit for piece in program.cut.pieces])
    owner = np.concatenate([np.repeat(exits, np.diff(program.offsets)), np.repeat(exits, 2)])
    kinds = [cast("RowKind", key[0]) for key in program.keys]
    inside = np.array(
        [
            cast("int", key[1]) if kind in TIMES else -1
            for key, kind in zip(program.keys, kinds, strict=True)
        ]
    )
    is_shared = np.array([kind in (RowKind.LABEL, RowKind.DSPS) for kind in kinds])
    matrix = program.matrix
    heads: Integers = matrix.indptr
    columns: Integers = np.repeat(np.arange(len(heads) - 1), np.diff(heads))
    rows: Integers = matrix.indices
    counts = ~is_shared[rows] & (inside[rows] != owner[columns])
    paid = np.where(counts, matrix.data * priced.prices[rows], 0.0)
    total: Floats = program.costs - np.bincount(columns, paid, minlength=len(heads) - 1)
    return total
