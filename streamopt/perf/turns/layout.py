"""All iterations of pipelines in turn, visit by visit, with the cells that they touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from streamopt.ir.network import AccessMode
from streamopt.perf.turns.footprints import cell_axes, coordinates, may_hold, touched_cells
from streamopt.perf.turns.visits import IDLE, VISIT, TooManyPointsError, iterations_of
from streamopt.work import TUNING as WORK
from streamopt.work import spend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.affine import Affine
    from streamopt.ir.network import Pipeline, Port, Turn
    from streamopt.perf.turns.footprints import CellAxis, Truths
    from streamopt.perf.turns.visits import LoopPoints

    _Group: TypeAlias = tuple[bool, int, bool]
    """Whether it reads, the cycle, and `Touches.meets`."""
    Integers = npt.NDArray[np.int64]

MOST_TOUCHES = 40_000_000
"""Cells that all iterations touch together; beyond, each visit waits for all that is written."""
MOST_CELLS = 40_000_000
"""Of all memories."""

NOTHING, TRASH, FIRST = 0, 1, 2
"""Cells that are never written, and never read; then those of memories."""


class TimedTurn(NamedTuple):
    """A pipeline that takes turns, with the cycles of its ports."""

    pipeline: Pipeline
    cycles: tuple[int, ...]


def written_memories(timed: Sequence[TimedTurn]) -> set[str]:
    """Return the memories that pipelines in turn write."""
    ports = (port for pipeline, _ in timed for port in pipeline.ports)
    return {port.target for port in ports if port.mode is AccessMode.WRITE}


def kept_ports(pipeline: Pipeline, written: set[str]) -> Iterator[Port]:
    """Return the ports of a pipeline that go to some memories."""
    return (port for port in pipeline.ports if port.target in written)


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """Cells that iterations of a pipeline touch in one cycle of theirs."""

    cycle: int
    meets: bool
    """Whether a write of an element may land before an earlier iteration is done with it."""
    cells: Integers
    """By iteration, then each of them."""


@dataclass(frozen=True, slots=True, eq=False)
class LaidTurn:
    """All iterations of a pipeline, visit by visit."""

    ends: Integers
    """Iterations of the visits up to each."""
    at: Integers
    """When an iteration starts, in cycles from its visit's start."""
    reads: tuple[Touches, ...]
    writes: tuple[Touches, ...]

    def span(self, visit: int) -> slice:
        """Return the iterations of a visit."""
        return slice(int(self.ends[visit - 1]) if visit else 0, int(self.ends[visit]))


def laid_out(
    turns: Sequence[Turn],
    points: Mapping[int, LoopPoints],
    timed: Sequence[TimedTurn],
    ii: int,
) -> tuple[dict[int, LaidTurn], int]:
    """Return the iterations of each pipeline with the cells that they touch, and the cells."""
    written = written_memories(timed)
    users: dict[str, list[tuple[Port, Pipeline]]] = {name: [] for name in written}
    for pipeline, _ in timed:
        for port in kept_ports(pipeline, written):
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
) -> tuple[dict[int, LaidTurn], int]:
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
    total = FIRST
    for name, lowest in low.items():
        first[name] = total
        spans = [max(0, b - a + 1) for a, b in zip(lowest, high[name], strict=True)]
        total += int(np.prod(spans, dtype=object))
        if total > MOST_CELLS:
            raise TooManyPointsError
    meeting = _meeting(drafts.values(), ii)
    laid: dict[int, LaidTurn] = {}
    for place, draft in drafts.items():
        groups: dict[_Group, list[Integers]] = {}
        for touched, at in places[place]:
            name = touched.memory
            number = np.zeros(draft.size, np.int64)
            for along, a, b in zip(at, low[name], high[name], strict=True):
                number = number * (b - a + 1) + (along - a)
            nothing = NOTHING if touched.is_read else TRASH
            number = np.where(touched.may_hold, number + int(first[name]), nothing)
            key = touched.is_read, touched.cycle, name in meeting
            groups.setdefault(key, []).append(number)
        laid[place] = _of_draft(draft, groups, ii)
    return laid, total


def _of_draft(draft: _TouchDraft, groups: Mapping[_Group, list[Integers]], ii: int) -> LaidTurn:
    visit = draft.iterations.values[VISIT]
    sizes = np.bincount(visit, minlength=draft.visits)
    ends = np.cumsum(sizes)
    at = (np.arange(draft.size) - (ends - sizes)[visit]) * ii
    touches = [
        (is_read, Touches(cycle, meets, np.stack(cells, axis=1)))
        for (is_read, cycle, meets), cells in sorted(groups.items(), key=lambda item: item[0])
    ]
    return LaidTurn(
        ends,
        at,
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
