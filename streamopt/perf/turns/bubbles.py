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

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from streamopt.ir.affine import Affine
from streamopt.ir.network import Turn, TurnLoop, turns_among
from streamopt.ir.stepping.steps import bounding
from streamopt.perf.pipelines.lane_accesses import condition_iterators
from streamopt.perf.turns.exact import ExactElements
from streamopt.perf.turns.layout import (
    FIRST,
    NOTHING,
    TRASH,
    kept_ports,
    laid_out,
    written_memories,
)
from streamopt.perf.turns.visits import (
    IDLE_ITERATIONS,
    LAST,
    TooManyPointsError,
    loops_of,
    visit_counts,
    visits,
)
from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from streamopt.ir.network import TurnItem, Turns
    from streamopt.perf.turns.layout import LaidTurn, TimedTurn
    from streamopt.perf.turns.visits import Visits

    Integers = npt.NDArray[np.int64]

MOST_BUBBLES = 0.15
"""Share of all iterations from which on elements are told apart one by one; an estimate."""

_NEVER = -(2**40)


class LeastLength(NamedTuple):
    """Iterations of visits at least: of all, and of the last of the loop around."""

    least: int = 1
    last: int = 1


def least_lengths(turns: Turns, timed: Sequence[TimedTurn]) -> tuple[LeastLength, ...]:
    """Return the iterations that visits of each pipeline in turn last at least.

    Parameters
    ----------
    timed
        Its pipelines, in order.
    """
    few = _two_of_alike(turns, timed)
    try:
        walk = _VisitWalk(few, timed)
        found = walk.least_lengths()
    except TooManyPointsError:
        return tuple(LeastLength(size) for size in _drained(turns, timed))
    counts = visit_counts(few)
    plain = counts.total([1] * len(found))
    longer = counts.total([own.least for own in found], [own.last for own in found])
    if longer <= plain * (1 + MOST_BUBBLES):
        return found
    try:
        return walk.least_lengths(walk.elements(timed))
    except TooManyPointsError:
        return found


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
    used = set(bounding(loops_of(turns.items)))
    for pipeline, _ in timed:
        for port in kept_ports(pipeline, written_memories(timed)):
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
        self._points = {each.turn: each.points for each in found if each.turn >= 0}
        self._laid, self._cells = laid_out(self._turns, self._points, timed, turns.ii)
        spend(WORK.designs.visit * len(self._order))  # where there aren't too many touches

    def elements(self, timed: Sequence[TimedTurn]) -> ExactElements:
        """Return the elements that are told apart one by one."""
        return ExactElements(self._turns, self._points, timed, self._ii)

    def least_lengths(self, elements: ExactElements | None = None) -> tuple[LeastLength, ...]:
        """Return the lengths that the walk finds."""
        landed = np.full(self._cells, _NEVER, np.int64)
        meets = any(own.meets for laid in self._laid.values() for own in laid.writes)
        read = np.full(self._cells if meets else FIRST, _NEVER, np.int64)
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
            begin = max(end, -(-_first_read(own, span, landed) // self._ii))
            if begin > end and elements is not None:
                late = _too_soon(own, span, landed, end * self._ii)
                waits = [elements.earliest(turn, cycle, rows) for cycle, rows in late]
                begin = max(end, -(-max(waits) // self._ii))
            begin = max(begin, -(-_first_write(own, span, landed, read) // self._ii))
            if begin > end:
                longer[was_last] = max(longer[was_last], begin - before)
            _note(own, span, begin * self._ii, landed, read)
            if elements is not None:
                elements.note(turn, span, begin * self._ii)
            longer, before, was_last = least[turn], begin, is_last
            shortest = max(longer) if was_last else longer[0]
            end = begin + max(size, shortest)
        return tuple(LeastLength(all_, max(all_, last)) for all_, last in least)


def _first_read(own: LaidTurn, span: slice, landed: Integers) -> int:
    """Return the cycle before which a visit would read something too soon."""
    at = own.at[span, None]
    found = _NEVER
    for touches in own.reads:
        waiting = landed[touches.cells[span]] - at
        found = max(found, int(waiting.max()) - touches.cycle)
    return found


def _too_soon(
    own: LaidTurn, span: slice, landed: Integers, begin: int
) -> Iterator[tuple[int, Integers]]:
    """Yield (cycle, iterations) that may read something too soon in a visit from a cycle on."""
    limit = own.at[span] + begin
    for touches in own.reads:
        is_late = landed[touches.cells[span]].max(axis=1) > limit + touches.cycle
        if is_late.any():
            yield touches.cycle, np.flatnonzero(is_late) + span.start


def _first_write(own: LaidTurn, span: slice, landed: Integers, read: Integers) -> int:
    """Return the cycle before which a visit would overwrite something too soon."""
    at = own.at[span, None]
    found = _NEVER
    for touches in own.writes:
        if touches.meets:
            cells = touches.cells[span]
            waiting = np.maximum(landed[cells], read[cells]) + 1 - at
            found = max(found, int(waiting.max()) - touches.cycle)
    return found


def _note(own: LaidTurn, span: slice, begin: int, landed: Integers, read: Integers) -> None:
    """Note when a visit's reads and writes are over; of a cell's several the last counts."""
    at = own.at[span, None] + begin
    for touches in own.writes:
        _put(landed, touches.cells[span], at + touches.cycle)
    for touches in own.reads:
        if touches.meets:
            _put(read, touches.cells[span], at + touches.cycle)


def _put(times: Integers, cells: Integers, at: Integers) -> None:
    times[cells] = np.maximum(times[cells], at)  # in order: the last of one cell is the latest
    times[NOTHING] = _NEVER
    times[TRASH] = _NEVER


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
    columns = (np.concatenate(column)[order].tolist() for column in (turns, rows, last))
    return list(zip(*columns, strict=True))
