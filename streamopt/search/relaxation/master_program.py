"""The master program: the linear relaxation over the labels of all pieces (E10) to (E12).

Every piece takes a mixture of its labels, as in the decomposition of Dantzig and Wolfe [1]. Times
are measured in horizons and DSPs in limits, so that all numbers lie near one.

[1] Dantzig and Wolfe, Decomposition principle for linear programs, Operations Research 8(1), 1960.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

from streamopt.search.instance import NO_WALK
from streamopt.search.labels.component import NEVER, Component, Origin, Property
from streamopt.search.relaxation.pieces import Cut

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NEED_NAME = 3
"""Kind, channel and walk: what a row of walks is about, without tile classes."""
Key = tuple["RowKind | int | str", ...]
"""Name of a row: its kind, and the nodes, channels, classes that it is about."""


class RowKind(StrEnum):
    """Kinds of rows of the relaxation; see its numbered equations."""

    LABEL = "label"
    FIRST = "first"
    LAST = "last"
    SPAN = "span"
    NEED = "need"
    CLASS = "class"
    DSPS = "dsps"


@dataclass(frozen=True, slots=True)
class Relaxation:
    """Minimise ``costs @ x`` under ``matrix @ x <= limits``, or equal to where ``is_equal``.

    The variables are a weight for every label of every piece, then first and last write of every
    piece's exit.
    """

    cut: Cut
    offsets: Integers
    """Where the labels of each piece begin, and where the last ones end."""
    costs: Floats
    matrix: Any
    """A sparse array of scipy, by columns."""
    limits: Floats
    is_equal: npt.NDArray[np.bool_]
    keys: tuple[Key, ...]
    """Names of the rows, which stay when other pieces are cut or the horizon changes."""
    # lower, upper: of the times, in schedules within the horizon
    lower: Floats
    upper: Floats

    @property
    def labels(self) -> int:
        """Return the number of labels."""
        return int(self.offsets[-1])

    @property
    def transposed(self) -> Any:
        """Return the matrix by rows and columns exchanged, without copying it."""
        return self.matrix.T

    def known_prices(self, prices: Mapping[Key, float]) -> Floats:
        """Return known prices of the rows, zero for new ones; of a sum's, for all of its rows."""
        return np.array([prices.get(key, prices.get(summed(key), 0.0)) for key in self.keys])


class _ProgramRows:
    """Rows under construction, as lists of entries."""

    def __init__(self) -> None:
        self._entries: list[tuple[Integers, Integers, Floats]] = []
        self.keys: list[Key] = []
        self.limits: list[float] = []
        self.is_equal: list[bool] = []

    def add(self, key: Key, limit: float = 0.0, *, is_equal: bool = False) -> int:
        self.keys.append(key)
        self.limits.append(limit)
        self.is_equal.append(is_equal)
        return len(self.limits) - 1

    def put(self, row: int, columns: Integers, values: npt.NDArray[Any] | float) -> None:
        self._entries.append(
            (np.full(len(columns), row), columns, np.broadcast_to(values, columns.shape))
        )

    def matrix(self, width: int) -> Any:
        rows, columns, values = (
            np.concatenate(parts) for parts in zip(*self._entries, strict=True)
        )
        library = cast("Any", sparse)
        return library.csc_array((values, (rows, columns)), shape=(len(self.limits), width))


class _RelaxationBuilder:
    def __init__(self, cut: Cut) -> None:
        self.cut = cut
        self.rows = _ProgramRows()
        self.scale = 1.0 / max(1, cut.horizon_cycles)
        sizes = [len(piece) for piece in cut.pieces]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.number = {piece.exit: place for place, piece in enumerate(cut.pieces)}
        self.spans = [_span(piece) for piece in cut.pieces]
        self.is_fine = cut.is_fine
        self.width = int(self.offsets[-1]) + 2 * len(cut.pieces)

    def labels(self, piece: int) -> Integers:
        places: Integers = np.arange(int(self.offsets[piece]), int(self.offsets[piece + 1]))
        return places

    def first(self, piece: int) -> Integers:
        return np.array([self.offsets[-1] + 2 * piece])

    def last(self, piece: int) -> Integers:
        return np.array([self.offsets[-1] + 2 * piece + 1])

    def time(self, origin: Origin) -> Integers:
        piece = self.number[origin[0]]
        return self.first(piece) if origin[1] == "first" else self.last(piece)

    def add_piece(self, place: int) -> None:
        """Add the rows of one piece: one label, and its times (E10)."""
        piece = self.cut.pieces[place]
        row = self.rows.add((RowKind.LABEL, piece.exit), 1.0, is_equal=True)
        self.rows.put(row, self.labels(place), 1.0)
        self._add_times(place, RowKind.LAST)
        if self._streams_out(piece):
            self._add_times(place, RowKind.FIRST)
            row = self.rows.add((RowKind.SPAN, piece.exit))
            self.rows.put(row, self.labels(place), self.spans[place] * self.scale)
            self.rows.put(row, self.first(place), 1.0)
            self.rows.put(row, self.last(place), -1.0)

    def _streams_out(self, piece: Component) -> bool:
        problem = self.cut.problem
        return any(problem.channels[e].streams for e in problem.outs[piece.exit])

    def _add_times(self, place: int, kind: RowKind) -> None:
        piece = self.cut.pieces[place]
        is_last = kind is RowKind.LAST
        form = piece.last if is_last else piece.first
        time = self.last(place) if is_last else self.first(place)
        for column, origin in enumerate(piece.origins):
            row = self.rows.add((kind, piece.exit, *origin))
            cycles = form[:, column]
            if origin[0] >= 0:
                self.rows.put(row, self.time(origin), 1.0)
                cycles = self._without_never(row, piece, form, column)
            self.rows.put(row, time, -1.0)
            self.rows.put(row, self.labels(place), cycles * self.scale)

    def _without_never(self, row: int, piece: Component, form: Integers, column: int) -> Integers:
        """Return coefficients that hold where a label doesn't depend on the origin (E11)."""
        node, which = piece.origins[column]
        cycles = form[:, column].copy()
        never = cycles < NEVER // 2
        if not never.any():
            return cycles
        other = (node, "last" if which == "first" else "first")
        known = np.full(len(cycles), NEVER)
        if other in piece.origins:
            known = form[:, piece.origins.index(other)]
        if which == "last":
            substitute = known - (self.cut.latest(node) - self.cut.known.least((node, "first")))
        else:
            substitute = known + self._add_spans(row, piece, node, cycles)
        far = known < NEVER // 2
        cycles = np.where(never, substitute, cycles)
        return np.where(never & far, -self.cut.latest(node), cycles)

    def _add_spans(self, row: int, piece: Component, node: int, cycles: Integers) -> Integers | int:
        """Let the row wait for the source's span, unless the channel streams; see (E11)."""
        source = self.number[node]
        spans = self.spans[source]
        channels = piece.region.used[node]
        if len(channels) > 1:
            return int(spans.min())
        (channel,) = channels
        walks = self.cut.pieces[source].column(("walk", channel))
        needs = piece.column(("need", channel))
        numbers = np.unique(walks)
        least = np.array([spans[walks == walk].min() for walk in numbers])
        self.rows.put(row, self.labels(source), least[np.searchsorted(numbers, walks)] * self.scale)
        place = np.minimum(np.searchsorted(numbers, needs), len(numbers) - 1)
        streams = (needs != NO_WALK) & (numbers[place] == needs)
        cycles -= np.where(streams, least[place], 0)
        return 0

    def add_needs(self, place: int) -> None:
        """Let a piece stream only what its source walks in the same way (E12)."""
        piece = self.cut.pieces[place]
        for kind, channel in piece.properties:
            if kind != "need":
                continue
            source = self.number[self.cut.problem.channels[channel].producer]
            shared = self._shared(source, place) if self.is_fine else []
            theirs = self._columns(source, [("walk", channel), *shared])
            ours = self._columns(place, [("need", channel), *shared])
            for value, (left, right) in _groups(theirs, ours).items():
                if value[0] == NO_WALK or not len(right):
                    continue
                row = self.rows.add((RowKind.NEED, channel, *value))
                self.rows.put(row, self.labels(place)[right], 1.0)
                self.rows.put(row, self.labels(source)[left], -1.0)

    def _shared(self, one: int, two: int) -> list[Property]:
        """Return the tile classes that two pieces share."""
        others = self.cut.pieces[two].properties
        return [
            name
            for name in self.cut.pieces[one].properties
            if name[0] == "class" and name in others
        ]

    def _columns(self, place: int, names: Sequence[Property]) -> Integers:
        return np.stack([self.cut.pieces[place].column(name) for name in names], axis=1)

    def add_classes(self) -> None:
        """Let pieces take the factors of shared tile classes with equal weights (E12)."""
        for (one, two), shared in self._links().items():
            left, right = self._columns(one, shared), self._columns(two, shared)
            name = (self.cut.pieces[one].exit, self.cut.pieces[two].exit)
            groups = _groups(left, right)
            for value, (ours, theirs) in list(groups.items())[1:]:
                row = self.rows.add((RowKind.CLASS, *name, *value), is_equal=True)
                self.rows.put(row, self.labels(one)[ours], 1.0)
                self.rows.put(row, self.labels(two)[theirs], -1.0)

    def _links(self) -> dict[tuple[int, int], list[Property]]:
        """Return pairs of pieces that connect all users of every tile class, with the classes."""
        links: dict[tuple[int, int], list[Property]] = {}
        groups: dict[Property, dict[int, int]] = {}
        for place, piece in enumerate(self.cut.pieces):
            for name in piece.properties:
                if name[0] == "class":
                    groups.setdefault(name, {})[place] = place
            for source in (self.number[node] for node in piece.region.used):
                shared = self._shared(source, place)
                if shared:
                    links[source, place] = shared
                for name in shared:
                    _unite(groups[name], source, place)
        for name, group in groups.items():
            places = list(group)
            for one, two in pairwise(places):
                if _unite(group, one, two):
                    links.setdefault((one, two), []).append(name)
        return links

    def add_dsps(self) -> None:
        """Bound the DSPs of all, in limits."""
        limit = self.cut.problem.dsp_limit
        dsps = np.concatenate([piece.dsps for piece in self.cut.pieces])
        row = self.rows.add((RowKind.DSPS,), 1.0)
        self.rows.put(row, np.arange(len(dsps)), dsps / limit)


def summed(key: Key) -> Key:
    """Return the name of the row that a row is part of, where there are many labels."""
    return key[:NEED_NAME] if key[0] is RowKind.NEED else key


def _unite(group: dict[int, int], one: int, two: int) -> bool:
    """Put two members into one set; return whether they were not."""
    left, right = group[one], group[two]
    for member, root in group.items():
        if root == right:
            group[member] = left
    return left != right


def _groups(left: Integers, right: Integers) -> dict[tuple[int, ...], tuple[Integers, Integers]]:
    """Return by value of a row: in which places both have it, in the order of the values."""
    values, number = np.unique(np.concatenate([left, right]), axis=0, return_inverse=True)
    number = number.ravel()
    ours = _places(number[: len(left)], len(values))
    theirs = _places(number[len(left) :], len(values))
    keys: list[tuple[int, ...]] = [tuple(value) for value in values.tolist()]
    return dict(zip(keys, zip(ours, theirs, strict=True), strict=True))


def _places(number: Integers, count: int) -> list[Integers]:
    ranked = np.argsort(number, kind="stable")
    return np.split(ranked, np.searchsorted(number[ranked], np.arange(1, count)))


def _span(piece: Component) -> Integers:
    """Return the least time from first to last write of every label."""
    spans = np.where(piece.first < NEVER // 2, -NEVER, piece.last - piece.first).min(axis=1)
    return np.where(spans > -NEVER // 2, 0, spans)


def relaxation(cut: Cut) -> Relaxation:
    """Return the linear relaxation of a problem in pieces."""
    builder = _RelaxationBuilder(cut)
    count = len(cut.pieces)
    for place in range(count):
        builder.add_piece(place)
        builder.add_needs(place)
    builder.add_classes()
    builder.add_dsps()
    costs = np.zeros(builder.width)
    costs[builder.last(count - 1)] = 1.0
    exits = [piece.exit for piece in cut.pieces]
    lower = [(cut.known.least((node, "first")), cut.known.least((node, "last"))) for node in exits]
    upper = [(cut.latest(node),) * 2 for node in exits]
    return Relaxation(
        cut=cut,
        offsets=builder.offsets,
        costs=costs,
        matrix=builder.rows.matrix(builder.width),
        limits=np.array(builder.rows.limits),
        is_equal=np.array(builder.rows.is_equal),
        keys=tuple(builder.rows.keys),
        lower=np.array(lower, dtype=float).ravel() * builder.scale,
        upper=np.array(upper, dtype=float).ravel() * builder.scale,
    )
