"""The least lengths of visits with which pipelines in turn find all that they read.

Visits are walked in order; each starts as soon as the one before it has started all of its
iterations and nothing that it touches comes too soon: a read after the write before it has landed,
a write after the reads and writes before it. Where that is later, the visits of the pipeline before
are as long from there on [1]. Within a visit nothing waits.

Shorter visits than those walked never are, so every distance that was seen is kept. Elements are
told apart by cells (`streamopt.perf.turns.footprints`), which makes the lengths safe, not least.

[1] Morvan, Derrien and Quinton, Polyhedral bubble insertion, IEEE TCAD 32(3), 2013.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from streamopt.ir.affine import Affine
from streamopt.ir.network import AccessMode, Turn, TurnLoop, turns_among
from streamopt.perf.pipelines.lane_accesses import condition_iterators
from streamopt.perf.turns.footprints import (
    cell_axes,
    coordinates,
    may_hold,
    touched_cells,
)
from streamopt.perf.turns.visits import (
    IDLE,
    IDLE_ITERATIONS,
    LAST,
    VISIT,
    TooManyPointsError,
    bounding,
    iterations_of,
    loops_of,
    visit_counts,
    visits,
)
from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.network import Pipeline, Port, TurnItem, Turns
    from streamopt.perf.turns.footprints import CellAxis, Truths
    from streamopt.perf.turns.visits import LoopPoints, Visits

    _Group: TypeAlias = tuple[bool, int, bool]
    """Whether it reads, the cycle, and `_Touches.meets`."""
    Integers = npt.NDArray[np.int64]

MOST_TOUCHES = 40_000_000
"""Cells that all iterations touch together; beyond, each visit waits for all that is written."""
MOST_CELLS = 40_000_000
"""Of all memories."""

_NEVER = -(2**40)
_NOTHING, _TRASH, _FIRST = 0, 1, 2
"""Cells that are never written, and never read; then those of memories."""


class TimedTurn(NamedTuple):
    """A pipeline that takes turns, with the cycles of its ports."""

    pipeline: Pipeline
    cycles: tuple[int, ...]


class LeastLength(NamedTuple):
    """Iterations of visits at least: of all, and of the last of the loop around."""

    least: int = 1
    last: int = 1


def least_lengths(
    turns: Turns, timed: Sequence[TimedTurn], *, has_last: bool = True
) -> tuple[LeastLength, ...]:
    """Return the iterations that visits of each pipeline in turn last at least.

    Parameters
    ----------
    timed
        Its pipelines, in order.
    has_last
        Whether the last visits of the loop around may be longer than others.
    """
    try:
        return _VisitWalk(_two_of_alike(turns, timed), timed).least_lengths(has_last=has_last)
    except TooManyPointsError:
        return tuple(LeastLength(size) for size in _drained(turns, timed))


def _drained(turns: Turns, timed: Sequence[TimedTurn]) -> tuple[int, ...]:
    """Return lengths with which all that a visit writes has landed before the next one begins."""
    try:
        longest = [int(sizes.max(initial=0)) for sizes, *_ in visit_counts(turns).by_turn]
    except TooManyPointsError:
        hulls = ([loop.trip_count for loop in turn.loops] for turn in turns_among(turns.items))
        longest = [int(np.prod(hull)) for hull in hulls]
    landing = (-(-max(each.cycles, default=0) // turns.ii) for each in timed)
    return tuple(size + cycles for size, cycles in zip(longest, landing, strict=True))


def _two_of_alike(turns: Turns, timed: Sequence[TimedTurn]) -> Turns:
    """Return turns where loops whose iterations are all alike have two.

    What is between two of them, each with the same visits to the same elements, is between any.
    """
    used = bounding(tuple(loops_of(turns.items)))
    for pipeline, _ in timed:
        for port in _kept_ports(pipeline, _written(timed)):
            used.update(name for subscript in port.subscripts for name in subscript.iterators())
            used.update(condition_iterators(port.guard))

    def fewer(item: TurnItem) -> TurnItem:
        if isinstance(item, Turn):
            return item
        loop = item.loop
        if loop.name not in used and not bounding((loop,)):
            first = Affine.of(max(bound.constant for bound in loop.lower))
            last = min(bound.constant for bound in loop.upper)
            end = Affine.of(min(last, first.constant + 2))
            loop = replace(loop, lower=(first,), upper=(end,))
        return TurnLoop(loop, tuple(map(fewer, item.items)))

    return replace(turns, items=tuple(map(fewer, turns.items)))


def _written(timed: Sequence[TimedTurn]) -> set[str]:
    ports = (port for pipeline, _ in timed for port in pipeline.ports)
    return {port.target for port in ports if port.mode is AccessMode.WRITE}


def _kept_ports(pipeline: Pipeline, written: set[str]) -> Iterator[Port]:
    return (port for port in pipeline.ports if port.target in written)


@dataclass(frozen=True, slots=True, eq=False)
class _Touches:
    """Cells that iterations of a pipeline touch in one cycle of theirs.

    Attributes
    ----------
    cells
        By iteration, then each of them.
    meets
        Whether a write of an element may land before an earlier iteration is done with it.
    """

    cycle: int
    meets: bool
    cells: Integers


@dataclass(frozen=True, slots=True, eq=False)
class _Laid:
    """All iterations of a pipeline, visit by visit.

    Attributes
    ----------
    ends
        Iterations of the visits up to each.
    at
        When an iteration starts, in cycles from its visit's start, without warming up.
    """

    ends: Integers
    at: Integers
    warm_up: int
    reads: tuple[_Touches, ...]
    writes: tuple[_Touches, ...]

    def span(self, visit: int) -> slice:
        """Return the iterations of a visit."""
        return slice(int(self.ends[visit - 1]) if visit else 0, int(self.ends[visit]))


class _VisitWalk:
    """Walks the visits once.

    Raises
    ------
    TooManyPointsError
        If there is more than is looked at.
    """

    def __init__(self, turns: Turns, timed: Sequence[TimedTurn]) -> None:
        self._ii = turns.ii
        self._turns = tuple(turns_among(turns.items))
        found = list(visits(turns))
        self._order = _in_order(found)
        points = {each.turn: each.points for each in found if each.turn >= 0}
        self._laid, self._cells = _laid_out(self._turns, points, timed, turns.ii)

    def least_lengths(self, *, has_last: bool) -> tuple[LeastLength, ...]:
        """Return the lengths that the walk finds."""
        landed = np.full(self._cells, _NEVER, np.int64)
        meets = any(own.meets for laid in self._laid.values() for own in laid.writes)
        read = np.full(self._cells if meets else _FIRST, _NEVER, np.int64)
        least = [[1, 1] for _ in self._turns]  # of all, and of the last
        begin = end = before = 0
        longer = [1, 1]
        was_last = 0
        for turn, row, is_last in self._order:
            own = self._laid.get(turn)
            span = own.span(row) if own is not None else slice(0, 0)
            size = span.stop - span.start
            if own is None or size == 0:
                end += IDLE_ITERATIONS
                continue
            begin = max(end, -(-_earliest(own, span, landed, read) // self._ii))
            if begin > end:
                longer[was_last] = max(longer[was_last], begin - before)
            _note(own, span, begin * self._ii, landed, read)
            longer, before, was_last = least[turn], begin, is_last if has_last else 0
            shortest = max(longer) if was_last else longer[0]
            end = begin + max(size + own.warm_up // self._ii, shortest)
        return tuple(LeastLength(all_, max(all_, last)) for all_, last in least)


def _earliest(own: _Laid, span: slice, landed: Integers, read: Integers) -> int:
    """Return the cycle before which a visit must not start."""
    at = own.at[span, None]
    found = _NEVER
    for touches in own.reads:
        waiting = landed[touches.cells[span]] - at
        found = max(found, int(waiting.max()) - touches.cycle)
    for touches in own.writes:
        if touches.meets:
            cells = touches.cells[span]
            waiting = np.maximum(landed[cells], read[cells]) + 1 - at
            found = max(found, int(waiting.max()) - touches.cycle - own.warm_up)
    return found


def _note(own: _Laid, span: slice, begin: int, landed: Integers, read: Integers) -> None:
    """Note when a visit's reads and writes are over; of a cell's several the last counts."""
    at = own.at[span, None] + begin
    for touches in own.writes:
        _put(landed, touches.cells[span], at + (touches.cycle + own.warm_up))
    for touches in own.reads:
        if touches.meets:
            _put(read, touches.cells[span], at + (touches.cycle + own.warm_up))


def _put(times: Integers, cells: Integers, at: Integers) -> None:
    times[cells] = np.maximum(times[cells], at)  # in order: the last of one cell is the latest
    times[_NOTHING] = _NEVER
    times[_TRASH] = _NEVER


def _in_order(found: Sequence[Visits]) -> list[tuple[int, int, int]]:
    """Return of all visits in order: pipeline, place among its visits, whether it is a last one."""
    depth = max((len(each.points.keys) for each in found), default=0)
    keys: list[list[Integers]] = [[] for _ in range(depth)]
    turns: list[Integers] = []
    rows: list[Integers] = []
    last: list[Integers] = []
    for each in found:
        size = each.points.times.size
        for level in range(depth):
            own = each.points.keys
            keys[level].append(own[level] if level < len(own) else np.zeros(size, np.int64))
        turns.append(np.full(size, each.turn, np.int64))
        rows.append(np.arange(size))
        last.append(each.points.values[LAST])
    order = np.lexsort([np.concatenate(level) for level in reversed(keys)])
    spend(WORK.designs.visit * order.size)
    columns = (np.concatenate(column)[order].tolist() for column in (turns, rows, last))
    return list(zip(*columns, strict=True))


def _laid_out(
    turns: Sequence[Turn],
    points: Mapping[int, LoopPoints],
    timed: Sequence[TimedTurn],
    ii: int,
) -> tuple[dict[int, _Laid], int]:
    """Return the iterations of each pipeline with the cells that they touch, and the cells."""
    written = _written(timed)
    users: dict[str, list[tuple[Port, Pipeline]]] = {name: [] for name in written}
    for pipeline, _ in timed:
        for port in _kept_ports(pipeline, written):
            users[port.target].append((port, pipeline))
    axes = {name: cell_axes(own) for name, own in users.items()}
    drafts = {
        place: _draft(turns[place], around, timed[place], axes) for place, around in points.items()
    }
    touches = sum(len(draft.touched) * draft.size for draft in drafts.values())
    if touches > MOST_TOUCHES:
        raise TooManyPointsError
    spend(WORK.designs.touch * touches)
    return _numbered(drafts, axes, ii)


class _Touched(NamedTuple):
    """A cell that iterations touch."""

    memory: str
    is_read: bool
    cycle: int
    cell: tuple[Affine, ...]
    may_hold: Truths


@dataclass(frozen=True, slots=True, eq=False)
class _TouchDraft:
    """Iterations of a pipeline, by visit and in order, and what they touch."""

    turn: Turn
    iterations: LoopPoints
    visits: int
    touched: tuple[_Touched, ...]

    @property
    def size(self) -> int:
        return self.iterations.times.size


def _draft(
    turn: Turn, around: LoopPoints, timed: TimedTurn, axes: Mapping[str, tuple[CellAxis, ...]]
) -> _TouchDraft:
    iterations = iterations_of(turn.loops, around)
    busy = iterations.values[IDLE] == 0
    pipeline = timed.pipeline
    lanes = {lane.name: lane.trip_count for lane in pipeline.lanes}
    found: dict[tuple[object, ...], _Touched] = {}
    for port, cycle in zip(pipeline.ports, timed.cycles, strict=True):
        if port.target not in axes:
            continue
        holds: Truths = busy & may_hold(port.guard, iterations.values, lanes)
        is_read = port.mode is AccessMode.READ
        for cell in touched_cells(port, pipeline, axes[port.target]):
            key = (port.target, is_read, cell, port.guard, cycle)
            found.setdefault(key, _Touched(port.target, is_read, cycle, cell, holds))
    return _TouchDraft(turn, iterations, around.times.size, tuple(found.values()))


def _numbered(
    drafts: Mapping[int, _TouchDraft], axes: Mapping[str, tuple[CellAxis, ...]], ii: int
) -> tuple[dict[int, _Laid], int]:
    """Return the iterations of each pipeline, their cells numbered, and how many there are."""
    places: dict[int, list[tuple[_Touched, list[Integers]]]] = {}
    low = {name: [2**40] * len(own) for name, own in axes.items()}
    high = {name: [-(2**40)] * len(own) for name, own in axes.items()}
    for place, draft in drafts.items():
        places[place] = []
        for touched in draft.touched if draft.size else ():
            name, values = touched.memory, draft.iterations.values
            at = list(coordinates(touched.cell, axes[name], values, draft.size))
            places[place].append((touched, at))
            for axis, along in enumerate(at):
                low[name][axis] = min(low[name][axis], int(along.min()))
                high[name][axis] = max(high[name][axis], int(along.max()))
    first: dict[str, int] = {}
    total = _FIRST
    for name, lowest in low.items():
        first[name] = total
        spans = [max(0, b - a + 1) for a, b in zip(lowest, high[name], strict=True)]
        total += int(np.prod(spans, dtype=object))
        if total > MOST_CELLS:
            raise TooManyPointsError
    meeting = _meeting(drafts.values(), ii)
    laid: dict[int, _Laid] = {}
    for place, draft in drafts.items():
        groups: dict[_Group, list[Integers]] = {}
        for touched, at in places[place]:
            name = touched.memory
            number = np.zeros(draft.size, np.int64)
            for along, a, b in zip(at, low[name], high[name], strict=True):
                number = number * (b - a + 1) + (along - a)
            nothing = _NOTHING if touched.is_read else _TRASH
            number = np.where(touched.may_hold, number + int(first[name]), nothing)
            key = touched.is_read, touched.cycle, name in meeting
            groups.setdefault(key, []).append(number)
        laid[place] = _of_draft(draft, groups, ii)
    return laid, total


def _of_draft(draft: _TouchDraft, groups: Mapping[_Group, list[Integers]], ii: int) -> _Laid:
    visit = draft.iterations.values[VISIT]
    sizes = np.bincount(visit, minlength=draft.visits)
    ends = np.cumsum(sizes)
    at = (np.arange(draft.size) - (ends - sizes)[visit]) * ii
    touches = [
        (is_read, _Touches(cycle, meets, np.stack(cells, axis=1)))
        for (is_read, cycle, meets), cells in sorted(groups.items(), key=lambda item: item[0])
    ]
    return _Laid(
        ends,
        at,
        draft.turn.warm_up * ii,
        tuple(own for is_read, own in touches if is_read),
        tuple(own for is_read, own in touches if not is_read),
    )


def _meeting(drafts: Iterable[_TouchDraft], ii: int) -> set[str]:
    """Return memories where a write may land before an earlier iteration is done with the place."""
    over: dict[str, int] = {}
    landing: dict[str, int] = {}
    for touched in (each for draft in drafts for each in draft.touched):
        name, cycle = touched.memory, touched.cycle
        over[name] = max(cycle, over.get(name, cycle))
        if not touched.is_read:
            landing[name] = min(cycle, landing.get(name, cycle))
    return {name for name, cycle in landing.items() if over[name] + 1 > cycle + ii}
