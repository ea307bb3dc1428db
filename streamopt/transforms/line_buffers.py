"""How windows are laid out in line buffers, for the lanes and the loop order of a node.

Along a dimension an iteration reads elements at ``tile part + lane part``: by tile iterators, and
by lanes and constants. Each value p of the lane part is a place with a bank of its own. With g the
greatest common divisor of all steps of tile iterators, those of the loop that takes elements too,
that bank holds the elements that are p modulo g, at word ``(element - p) / g``; only places and
words that are read are kept. A loop over taps beside lanes would make g small: it chooses among
places instead. (W7) and (W8) of ``models/formulations/opt6.md``.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import gcd

from streamopt.analysis.addresses.signed_digits import signed_digits
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Compare, CompareOp, Index, Literal
from streamopt.ir.graph import Node
from streamopt.ir.line_buffer import KeptRows, LineBuffer, LineRead, LineStore
from streamopt.ir.program import Array
from streamopt.ir.scheduled import TiledLoop
from streamopt.ir.window import Walk, Window, counted

Loops = Mapping[str, TiledLoop]

MOST_BITS = 18
"""Of elements that lie side by side: a block RAM brings 36 bits at once (AMD UG573)."""


def line_buffers(
    node: Node, loops: Sequence[TiledLoop], arrays: Mapping[str, Array]
) -> tuple[LineBuffer, ...]:
    """Return the line buffers of a node's windows: one for all accesses that move alike.

    Parameters
    ----------
    loops
        As scheduled, outermost first.
    """
    by_name = {loop.name: loop for loop in loops}
    found: list[LineBuffer] = []
    for window in node.windows:
        groups: dict[tuple[Affine, ...], list[Access]] = {}
        for access in node.reads_of(window.array):
            moved = tuple(tile_and_lane(s, by_name)[0] for s in access.subscripts)
            groups.setdefault(moved, []).append(access)
        is_narrow = arrays[window.array].element.bits <= MOST_BITS
        for group in groups.values():
            lines = _LineLayout(node, window, by_name, group).buffer()
            together = tuple(own and is_narrow for own in lines.together)
            found.append(replace(lines, together=together))
    return tuple(found)


def window_walk(window: Window, loops: Iterable[TiledLoop]) -> Walk:
    """Return how rows that are counted come in, for loops as scheduled, outermost first."""
    loops = [*loops]
    tiles = {loop.name: loop.tiles for loop in loops}
    return window.walk(tiles, {loop.name: loop.unroll for loop in loops})


def tile_and_lane(subscript: Affine, loops: Loops) -> tuple[Affine, Affine]:
    """Return the tile part and the lane part of a subscript; constants are in the lane part."""
    tile, lane = Affine(), Affine.of(subscript.constant)
    for name, by in subscript.factors.items():
        loop = loops[name]
        if loop.tiles > 1:
            tile += Affine.iterator(name).scaled(by * loop.unroll)
        if loop.unroll > 1:
            lane += Affine.iterator(f"{name}.lane").scaled(by)
    return tile, lane


def choosing_taps(
    tile: Affine, lane: Affine, taken_steps: Iterable[int], own: Collection[str]
) -> Affine:
    """Return the part of a tile part that chooses among places, so that banks keep fewer copies.

    Parameters
    ----------
    tile, lane
        Both parts of the subscript of an access.
    taken_steps
        By what tile iterators move the element that is taken.
    own
        Loops that move it; others walk taps.
    """
    taps = {name: by for name, by in tile.factors.items() if name not in own}
    apart = gcd(*taken_steps, *(by for name, by in tile.factors.items() if name in own))
    if len(taps) != 1 or not lane.terms:
        return Affine()
    ((name, by),) = taps.items()
    return Affine() if apart and apart == gcd(apart, by) else Affine.iterator(name).scaled(by)


@dataclass(frozen=True, slots=True)
class _Axis:
    """A dimension of the array beside the rows."""

    slots: int
    words: int
    address: Affine
    reads: tuple[Affine, ...]
    stores: tuple[tuple[Affine, Affine, tuple[Compare, ...]], ...]
    """Copies: place, word, and the conditions under which both exist."""
    late_tiles: int
    """Tiles by which an element is read before the tile that takes it, at most."""
    together: bool
    """Whether all places are stored in one iteration, at one word."""


class _LineLayout:
    """The line buffer of accesses that move alike; used once."""

    def __init__(
        self, node: Node, window: Window, loops: Loops, accesses: Sequence[Access]
    ) -> None:
        self.window = window
        self.loops = loops
        self.accesses = accesses
        self.delays = node.delays
        self.tiles = {loop.name: loop.tiles for loop in loops.values()}
        self.lanes = {f"{loop.name}.lane": loop.unroll for loop in loops.values()}
        order = [*loops]
        self.outside = {*order[: order.index(window.row_loop)]}
        self.walk = window_walk(window, loops.values()) if window.counted_rows else None
        if self.walk is not None:
            self.tiles |= dict(self.walk.digits)

    def buffer(self) -> LineBuffer:
        """Return the line buffer."""
        row = self.window.dimension
        dimensions = [at for at in range(len(self.window.shape)) if at != row]
        axes = [self._axis(at) for at in dimensions]
        rows, places = self._rows()
        worded = _by_products(axes)
        reads: list[LineRead] = []
        for at, (access, place) in enumerate(zip(self.accesses, places, strict=True)):
            slots = tuple(axis.reads[at] for axis in axes if axis.slots > 1)
            names = dict.fromkeys(name for slot in slots for name in slot.iterators())
            taps = tuple((name, self.tiles[name]) for name in names if name not in self.lanes)
            reads.append(LineRead(access, place, slots, taps))
        return LineBuffer(
            self.window.array,
            rows,
            tuple(axis.slots for axis in axes if axis.slots > 1),
            tuple(axis.together for axis in axes if axis.slots > 1),
            tuple(axes[at].words for at in worded),
            tuple(axes[at].address for at in worded),
            tuple(_stores(axes, worded)),
            tuple(reads),
            self._distance(axes),
        )

    def _rows(self) -> tuple[KeptRows, tuple[Affine, ...]]:
        """Return the rows, and the place of each access among those that are read."""
        count, at = self.window.rows, self.window.dimension
        late = self.delays.get(self.window.row_loop, 0)
        parts = [tile_and_lane(access.subscripts[at], self.loops) for access in self.accesses]
        tile, lanes = parts[0][0], [lane for _, lane in parts]
        values = self._values(lanes)
        step = gcd(*(value - values[0] for value in values)) or 1
        first = tile + Affine.of(values[0] - late * self.window.steps)
        rounds = -(min(0, first.bounds(self.tiles)[0]) // count)
        first += Affine.of(rounds * count)
        taken = self._taken(at)[0] + Affine.of(self.window.rows_before)
        rows = KeptRows(count, (values[-1] - values[0]) // step + 1, step, first, taken)
        return rows, tuple(_over(lane - Affine.of(values[0]), step) for lane in lanes)

    def _taken(self, at: int) -> tuple[Affine, Affine]:
        """Return the tile part and the lane part of what is taken, by what counts it."""
        subscript = self.window.taken.subscripts[at]
        tile, lane = tile_and_lane(subscript, self.loops)
        if self.walk is None or not subscript.terms:
            return tile, lane
        (name,) = subscript.iterators()
        if at == self.window.dimension:
            return tile.scaled(self.window.steps) + Affine.iterator(counted(name)), lane
        if name in self.outside:
            return tile, lane
        moves = self.tiles[counted(name)] > 1
        digit = Affine.iterator(counted(name)) if moves else Affine()
        return digit.scaled(self.loops[name].unroll), lane

    def _axis(self, at: int) -> _Axis:
        taken, taken_lane = self._taken(at)
        parts = [tile_and_lane(access.subscripts[at], self.loops) for access in self.accesses]
        tile, lanes = parts[0][0], [lane for _, lane in parts]
        own = {*self.window.taken.subscripts[at].iterators()}
        if own <= self.window.plain_loops & self.outside:
            taken = tile = Affine()  # the rows of one of its tiles are kept at a time
        taps = choosing_taps(tile, lanes[0], taken.factors.values(), own)
        tile, lanes = tile - taps, [lane + taps for lane in lanes]
        values = self._values(lanes)
        unroll = taken_lane.bounds(self.lanes)[1] + 1
        steps = [*taken.factors.values(), *tile.factors.values()]
        apart = gcd(*steps) or 1 + max(values[-1], unroll - 1) - min(values[0], 0)
        step = gcd(*(value - values[0] for value in values)) or 1
        slots = (values[-1] - values[0]) // step + 1
        skip = max(1, gcd(*tile.factors.values()) // apart)  # words that are read are so far apart
        low, high = _over(tile, apart * skip).bounds(self.tiles)
        stores: list[tuple[Affine, Affine, tuple[Compare, ...]]] = []
        lowest, highest = -((unroll - 1 - values[0]) // apart), values[-1] // apart
        for copy in range(lowest, highest + 1):
            slot, placed = _every(taken_lane, values[0] - copy * apart, step)
            there, is_read = _every(_over(taken, apart), copy, skip)
            there -= Affine.of(low)
            limits = [is_read, placed, self._limits(slot, slots, self.lanes)]
            limits.append(self._limits(there, high - low + 1, self.tiles))
            if None not in limits:
                stores.append((slot, there, tuple(c for part in limits for c in part or ())))
        reads = tuple(_over(lane - Affine.of(values[0]), step) for lane in lanes)
        late = (values[-1] + tile.bounds(self.tiles)[1] - taken.bounds(self.tiles)[1]) // unroll
        address = _over(tile, apart * skip) - Affine.of(low)
        names = [n for n in own if _is_whole(self.loops[n], slots, self.window.shape[at])]
        together = len(stores) == 1 and any(_has_all_lanes(*stores[0], name) for name in names)
        return _Axis(slots, high - low + 1, address, reads, tuple(stores), max(0, late), together)

    def _values(self, lanes: Sequence[Affine]) -> list[int]:
        """Return the values that lane parts take, in ascending order."""
        found: set[int] = set()
        for lane in lanes:
            values = {lane.constant}
            for name, by in lane.factors.items():
                trips = self.lanes.get(name) or self.tiles[name]
                values = {value + by * n for value in values for n in range(trips)}
            found |= values
        return sorted(found)

    @staticmethod
    def _limits(
        value: Affine, extent: int, trip_counts: Mapping[str, int]
    ) -> tuple[Compare, ...] | None:
        """Return the conditions that a value is within an extent; None if it never is."""
        low, high = value.bounds(trip_counts)
        if low >= extent or high < 0:
            return None
        found: list[Compare] = []
        moving, by = Index(value - Affine.of(value.constant)), value.constant
        if low < 0:
            found.append(Compare(CompareOp.GE, moving, Literal(-by)))
        if high >= extent:
            found.append(Compare(CompareOp.LT, moving, Literal(extent - by)))
        return tuple(found)

    def _distance(self, axes: Sequence[_Axis]) -> int:
        """Return the iterations from the store of an element to its first read, at least."""
        strides: dict[str, int] = {}
        inside = 1
        for name in reversed([*self.loops]):
            strides[name] = inside
            inside *= self.tiles[name]
        if self.walk is not None:
            return self._counted_distance(self.walk, strides)
        at, rows = self.window.dimension, self.window.row_loop
        own = Affine.iterator(rows)
        built = {loop.name: loop.tiles * loop.unroll for loop in self.loops.values()}
        ahead = max((a.subscripts[at] - own).bounds(built)[1] for a in self.accesses)
        late = self.delays.get(rows, 0) + self.window.prefilled
        distance = strides[rows] * (late - ahead)
        beside = [s for place, s in enumerate(self.window.taken.subscripts) if place != at]
        for subscript, axis in zip(beside, axes, strict=True):
            distance -= sum(strides[name] * axis.late_tiles for name in subscript.iterators())
        return max(1, distance)

    def _counted_distance(self, walk: Walk, strides: Mapping[str, int]) -> int:
        """Return the iterations from store to read where stores are counted: exactly.

        Both are sums over dimensions, which share no loop.
        """
        digits: dict[str, int] = {}
        inside = walk.apart
        for name, extent in reversed(walk.digits):
            digits[name] = inside
            inside *= extent
        least = 0
        for at, subscript in enumerate(self.window.taken.subscripts):
            if self.outside.isdisjoint(subscript.iterators()):
                stored = self._stored(at, digits, strides)
                reads = self._first_reads(at, strides).items()
                apart = [read - stored[element] for element, read in reads if element in stored]
                least += min(apart, default=0)
        return max(1, least // walk.at_once)

    def _stored(
        self, at: int, digits: Mapping[str, int], strides: Mapping[str, int]
    ) -> dict[int, int]:
        """Return by index along a dimension what it adds to the number of its store."""
        own, each = self.window.taken.subscripts[at], self.walk.at_once if self.walk else 1
        if not own.terms:
            return {0: 0}
        (name,) = own.iterators()
        digit, extent = digits[counted(name)], self.window.shape[at]
        if at == self.window.dimension:
            steps, block = self.window.steps, strides[name] * each
            before = self.window.prefilled
            return {n: (n // steps - before) * block + n % steps * digit for n in range(extent)}
        return {n: n // self.loops[name].unroll * digit for n in range(extent)}

    def _first_reads(self, at: int, strides: Mapping[str, int]) -> dict[int, int]:
        """Return by index along a dimension what it adds, in stores, to its earliest read."""
        each = self.walk.at_once if self.walk else 1
        found: dict[int, int] = {}
        for subscript in {access.subscripts[at] for access in self.accesses}:
            ways = {subscript.constant: 0}
            for name, by in subscript.factors.items():
                loop, late = self.loops[name], self.delays.get(name, 0)
                moved: dict[int, int] = {}
                for index in range(loop.trip_count - late):
                    when = (index + late) // loop.unroll * strides[name] * each
                    for value, before in ways.items():
                        place = value + by * index
                        moved[place] = min(moved.get(place, before + when), before + when)
                ways = moved
            for value, when in ways.items():
                found[value] = min(found.get(value, when), when)
        return found


def _is_whole(loop: TiledLoop, places: int, extent: int) -> bool:
    """Return whether all tiles of a loop have a lane for each place."""
    return loop.unroll == places and extent % places == 0 and not loop.is_partial


def _has_all_lanes(place: Affine, word: Affine, limits: Iterable[Compare], loop: str) -> bool:
    """Return whether each lane of a loop stores a place, all at one word under one condition."""
    lane = f"{loop}.lane"
    sides = [condition.left.value for condition in limits if isinstance(condition.left, Index)]
    return place == Affine.iterator(lane) and not any(lane in s.iterators() for s in (word, *sides))


def _every(value: Affine, first: int, step: int) -> tuple[Affine, tuple[Compare, ...] | None]:
    """Return the number of a value among those ``step`` apart from the first on.

    With it comes the condition that the value is one of these; None if it never is.
    """
    rounds, rest = divmod(first, step)
    number = value.floordiv(step) - Affine.of(rounds)
    if not value.terms:
        return number, None if (value.constant - rest) % step else ()
    is_there = Compare(CompareOp.EQ, Index(value.mod(step)), Literal(rest))
    return number, (is_there,) if step > 1 else ()


def _over(value: Affine, divisor: int) -> Affine:
    """Return a sum divided by a divisor of all that is in it."""
    terms = tuple((atom, by // divisor) for atom, by in value.terms)
    return Affine(terms, value.constant // divisor)


def _by_products(axes: Sequence[_Axis]) -> list[int]:
    """Return the places of the axes that have words, those first whose extent has most digits.

    The first extent is no factor of an address.
    """
    worded = [at for at, axis in enumerate(axes) if axis.words > 1]
    return sorted(worded, key=lambda at: -signed_digits(axes[at].words))


def _stores(axes: Sequence[_Axis], worded: Sequence[int]) -> Iterator[LineStore]:
    """Yield the copies of an element: each along one dimension with each along the others."""
    for copies in product(*(axis.stores for axis in axes)):
        pairs = [*zip(axes, copies, strict=True)]
        yield LineStore(
            tuple(slot for axis, (slot, _, _) in pairs if axis.slots > 1),
            tuple(copies[at][1] for at in worded),
            tuple(limit for _, (_, _, limits) in pairs for limit in limits),
        )
