"""Where the accesses of a pipeline find their elements, and in which lanes they happen when."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import product

from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Compare,
    CompareOp,
    Condition,
    Index,
    Literal,
    Logic,
    LogicOp,
    all_of,
)
from streamopt.ir.network import AccessMode, Fifo, Memory, PartialTile, Pipeline, Place, Port
from streamopt.ir.program import Loop
from streamopt.ir.scheduled import ScheduledNode
from streamopt.rtl.kernel.conditions import (
    NEVER,
    TileCondition,
    UnknownConditionError,
    iterators_in,
    over_tiles,
)
from streamopt.rtl.kernel.kernel import LaneConditions
from streamopt.rtl.kernel.lane_places import HeldPlace, lane_places
from streamopt.rtl.kernel.places import (
    BankPlace,
    StreamPlace,
    place_in_memory,
    place_in_streams,
)
from streamopt.rtl.kernel.refusals import refused
from streamopt.rtl.kernel.subscripts import UnknownPlaceError


class PortAccesses:
    """Places and conditions of the accesses of one pipeline."""

    def __init__(
        self, scheduled: ScheduledNode, pipeline: Pipeline, memories: Mapping[str, Memory]
    ) -> None:
        self._scheduled, self._pipeline, self._memories = scheduled, pipeline, memories
        self._trips = {loop.name: loop.trip_count for loop in pipeline.lanes}

    def streams(self, port: Port, fifo: Fifo) -> tuple[StreamPlace, TileCondition]:
        """Return the streams of an access, and when it happens: in its first lane, if in any.

        A guard that lanes are in holds in all of them at once, as of lanes in one part of an array.
        """
        try:
            place = place_in_streams(
                fifo, port.subscripts, self._pipeline.tiles, self._pipeline.lanes
            )
        except UnknownPlaceError as problem:
            raise refused(str(problem), self._scheduled) from None
        if len({*self._guarded(port.guard, place.lanes).values()}) > 1:
            raise refused("lanes of a stream are guarded apart", self._scheduled)
        return place, self.anywhere(port.guard)

    def is_in_words(self, port: Port) -> bool:
        """Return whether all lanes of an access count along its memory in one way."""
        loops = self._pipeline.tiles, self._pipeline.lanes
        try:
            place_in_memory(self._memories[port.target], port.subscripts, *loops)
        except UnknownPlaceError:
            return False
        return True

    def each(
        self, port: Port, more: Collection[str] = ()
    ) -> tuple[tuple[HeldPlace, ...], tuple[str, ...]]:
        """Return the places of an access, one for each iteration of lanes, and these lanes.

        Parameters
        ----------
        more
            Lanes besides those of its subscripts.
        """
        names = {name for subscript in port.subscripts for name in subscript.iterators()}
        loops = [lane for lane in self._pipeline.lanes if lane.name in names.union(more)]
        memory, tiles = self._memories[port.target], self._pipeline.tiles
        places = lane_places(memory, port.subscripts, tiles, loops)
        return places, tuple(loop.name for loop in loops)

    def elements(self, port: Port) -> tuple[BankPlace, LaneConditions]:
        """Return the elements of an access, and when it happens in each of its lanes.

        Lanes in which it never happens have no elements.
        """
        memory = self._memories[port.target]
        try:
            place = place_in_memory(
                memory, port.subscripts, self._pipeline.tiles, self._pipeline.lanes
            )
        except UnknownPlaceError as problem:
            raise refused(str(problem), self._scheduled) from None
        is_kept = memory.place is Place.LOCAL and not {*place.lanes} & iterators_in(port.guard)
        whens = self.by_lane(port.guard, place.lanes, idles=not is_kept)
        if len(whens) > 1:
            place = place.without({at for at, when in enumerate(whens) if when == NEVER})
        if port.mode is AccessMode.WRITE and len(place.parts()) > 1:
            raise refused(f"a bank of {memory.name} is written twice at once", self._scheduled)
        return place, whens

    def anywhere(self, guard: Condition | None) -> TileCondition:
        """Return when a guard holds in some lane."""
        (when,) = self.by_lane(guard, ())
        return when

    def by_lane(
        self, guard: Condition | None, lanes: Sequence[str], *, idles: bool = True
    ) -> LaneConditions:
        """Return when a guard holds in each of some lanes, in any of the others.

        Parameters
        ----------
        idles
            Whether lanes that have no iteration in a partial tile do nothing there.
        """
        pipeline, trips = self._pipeline, self._trips
        asked = iterators_in(guard)
        told = asked | {*lanes} if idles else asked
        partial = [p for p in pipeline.partial_tiles if p.lane in told]
        deciding = [n for n in lanes if n in asked or any(p.lane == n for p in partial)]
        parts = [*map(_busy, partial)] if guard is None else [guard, *map(_busy, partial)]
        found = self._guarded(all_of(parts) if parts else None, lanes)
        if len({*found.values()}) == 1:
            return (next(iter(found.values())),)
        return tuple(
            found[tuple(at for name, at in zip(lanes, point, strict=True) if name in deciding)]
            for point in product(*(range(trips[name]) for name in lanes))
        )

    def _guarded(
        self, guard: Condition | None, lanes: Sequence[str]
    ) -> Mapping[tuple[int, ...], TileCondition]:
        """Return where a guard holds by iterations of those lanes in it, in any of the others."""
        asked, pipeline = iterators_in(guard), self._pipeline
        others = tuple(p for p in pipeline.lanes if p.name in asked and p.name not in lanes)
        deciding = tuple((name, self._trips[name]) for name in lanes if name in asked)
        try:
            return _at_points(guard, pipeline.tiles, others, deciding)
        except UnknownConditionError:
            raise refused("a guard has quotients of quotients", self._scheduled) from None


@lru_cache(maxsize=1024)
def _at_points(
    condition: Condition | None,
    tiles: tuple[Loop, ...],
    lanes: tuple[Loop, ...],
    deciding: tuple[tuple[str, int], ...],
) -> Mapping[tuple[int, ...], TileCondition]:
    """Return where a condition holds by iterations of deciding lanes, in any of some others.

    A search asks so of the same nests again and again.
    """
    names = [name for name, _ in deciding]
    return {
        point: over_tiles(condition, tiles, lanes, dict(zip(names, point, strict=True)))
        for point in product(*(range(count) for _, count in deciding))
    }


def _busy(part: PartialTile) -> Condition:
    """Return the condition that a lane has an iteration."""
    return Logic(
        LogicOp.OR,
        (
            Compare(CompareOp.LT, Index(Affine.iterator(part.lane)), Literal(part.last_lanes)),
            Compare(CompareOp.LT, Index(Affine.iterator(part.tile)), Literal(part.last_tile)),
        ),
    )
