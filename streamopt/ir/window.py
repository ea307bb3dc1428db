"""Windows on streams: what a node keeps of an array that it takes once and reads several times.

A node that reads ``X[h + k - 1][w]`` may take row h of X from a stream in iteration h and compute
row ``h - delay``. One that reads ``X[2 * h + k - 1][2 * w]`` takes two rows in iteration h: their
elements come one after another, counted apart from the loops (`Walk`). Rows lie in line buffers
(`streamopt.ir.line_buffer`) until no window reaches them any more. What the node computes is the
same; its nest has ``delay`` more iterations of h.

A node that puts arrays side by side reads ``A[c]`` for ``c < 3`` and ``B[c - 3]`` from there on;
one that pads reads ``X[h - 1]`` inside of the border. Either needs no rows: each element is taken
in the iteration that reads it (`StreamedPart`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access


@dataclass(frozen=True, slots=True)
class Walk:
    """How a window takes the elements of some rows in one iteration of their loop.

    They come one after another from the first iteration of the loops inside on, in even distances;
    each lane takes its own. ``digits`` count them.
    """

    digits: tuple[tuple[str, int], ...]
    """Pairs (iterator, trip count), outermost first: the first counts rows, the others tiles."""
    strides: tuple[tuple[str, int], ...]
    """Pairs (loop, turns), outermost first: how far apart its tiles are. A turn is all iterations
    of the loops that wait."""
    iterations: int
    """Of the loops inside of that of rows."""
    waiting: tuple[str, ...] = ()
    """The innermost loops, in whose first iterations alone elements are taken."""
    every: int = 1
    """Turns from one element to the next; it divides the tiles of the innermost counted loop."""
    apart: int = 1
    """Iterations from one element to the next."""

    @property
    def elements(self) -> int:
        """Return the elements that a lane takes in an iteration of the loop of rows."""
        return prod(extent for _, extent in self.digits)

    @property
    def at_once(self) -> int:
        """Return the elements that a lane takes in one iteration of the nest."""
        return -(-self.elements // self.iterations)

    @property
    def at_first(self) -> tuple[Affine, ...]:
        """Return indices over tile iterators that are 0 where elements are taken."""
        found = [Affine.iterator(name) for name in self.waiting]
        if self.every > 1:
            found.append(Affine.iterator(self.strides[-1][0]).mod(self.every))
        return tuple(found)

    def places(self, turn: Affine) -> dict[str, Affine]:
        """Return by digit its value, over tile iterators, in one of the ``at_once`` turns."""
        count = self.number(turn)
        found: dict[str, Affine] = {}
        inside = self.every
        for name, extent in reversed(self.digits):
            value = count.floordiv(inside)
            is_first = name == self.digits[0][0]
            found[name] = value if is_first else value.mod(extent) if extent > 1 else Affine()
            inside *= extent
        return found

    def number(self, turn: Affine) -> Affine:
        """Return the turn, over tile iterators: `every` of them for each of the elements."""
        total = turn
        for name, by in self.strides:
            total += Affine.iterator(name).scaled(by * self.at_once)
        return total


@dataclass(frozen=True, slots=True)
class Window:
    """An array of which the last rows are kept."""

    taken: Access
    """The element that an iteration takes, by plain iterators: those of the nest as built."""
    shape: tuple[int, ...]
    """Of the array, in elements."""
    dimension: int
    """The one whose elements are rows: the outermost that is read through a window."""
    rows: int
    """Rows that are kept, a power of two; row r lies at ``r mod rows``."""
    plain_loops: frozenset[str]
    """Loops of dimensions that are not read through a window: a row is complete though one of them
    is further out."""
    counted_rows: int = 0
    """Rows that an iteration of their loop takes, by counters of their own (`Walk`); 0 where it
    takes one by the loops of the nest, whose order and lanes are those of the stream."""
    prefilled: int = 0
    """Iterations of its loop whose rows a nest of their own takes before the first; the nest then
    takes those of as many iterations later."""

    @property
    def array(self) -> str:
        """Return the array's name."""
        return self.taken.array

    def __str__(self) -> str:
        """Return the rows that are kept, and the element that an iteration takes."""
        text = f"window of {self.rows} rows on {self.taken}"
        text = f"{text}, {self.counted_rows} taken at once" if self.counted_rows else text
        return f"{text}, {self.rows_before} taken before" if self.prefilled else text

    @property
    def steps(self) -> int:
        """Return the rows that its loop moves on by."""
        return max(1, self.counted_rows)

    @property
    def row_loop(self) -> str:
        """Return the loop whose iterations take a row each."""
        name = self.taken.subscripts[self.dimension].as_iterator()
        assert name is not None, "rows are taken by a plain iterator"
        return name

    @property
    def extents(self) -> dict[str, int]:
        """Return by loop how many elements come along it."""
        pairs = zip(self.taken.subscripts, self.shape, strict=True)
        return {name: extent for s, extent in pairs for name in s.iterators()}

    @property
    def rows_before(self) -> int:
        """Return the rows that are taken before the nest."""
        return self.prefilled * self.steps

    @property
    def ends(self) -> dict[str, int]:
        """Return by loop how many iterations of the nest, from the first, take elements."""
        rows = -(-self.shape[self.dimension] // self.steps) - self.prefilled
        return self.extents | {self.row_loop: rows}

    def outer_ends(self, order: Sequence[str]) -> dict[str, int]:
        """Return the ends of the loops outside of the rows, and of theirs if its last is whole.

        Parameters
        ----------
        order
            Loops of the nest, outermost first.
        """
        outside = {*order[: order.index(self.row_loop)]}
        if self.shape[self.dimension] % self.steps == 0:
            outside.add(self.row_loop)
        return {name: end for name, end in self.ends.items() if name in outside}

    @property
    def last_taken(self) -> tuple[int, int]:
        """Return in which iteration of its loop the last row is taken, and which of these it is."""
        last = self.shape[self.dimension] - 1
        return max(0, last // self.steps - self.prefilled), last % self.steps

    @property
    def taken_beside(self) -> dict[str, int]:
        """Return by loop, but that of rows, how many elements its counter counts."""
        found = self.extents if self.counted_rows else {}
        return {name: extent for name, extent in found.items() if name != self.row_loop}

    def prefill(self, tiles: Mapping[str, Any], built: Mapping[str, int]) -> dict[str, Any]:
        """Return the loops of the nest before, outermost first, and how often each runs.

        Parameters
        ----------
        tiles
            Tiles of each loop as built, outermost first: integers, or integer arrays of one shape.
        built
            Trip count of each loop as built.
        """
        found: dict[str, Any] = {self.row_loop: self.prefilled}
        if self.counted_rows:
            found[counted(self.row_loop)] = self.counted_rows
        extents = self.extents
        for name in tiles:
            if name in extents and name != self.row_loop:
                own = counted(name) if self.counted_rows else name
                found[own] = -(-extents[name] * tiles[name] // built[name])
        return found

    @property
    def prefilled_row(self) -> Affine:
        """Return the row that comes, by the loops of the nest before."""
        row = Affine.iterator(self.row_loop).scaled(self.steps)
        return row + Affine.iterator(counted(self.row_loop)) if self.counted_rows else row

    def taken_at_once(self, tiles: Mapping[str, Any], factors: Mapping[str, Any]) -> Any:
        """Return the elements that a lane takes in an iteration if the loop of rows is outermost.

        Where it is not, those outside of it take all elements anew.

        Parameters
        ----------
        tiles, factors
            Tiles and lanes of each loop as built: integers, or integer arrays of one shape.
        """
        if not self.counted_rows:
            return 1
        inside = [name for name in tiles if name != self.row_loop]
        extents = self.extents
        elements: Any = self.counted_rows
        iterations: Any = 1
        for name in inside:
            iterations = iterations * tiles[name]
            if name in extents:
                elements = elements * -(-extents[name] // factors[name])
        return -(-elements // iterations)

    def walk(self, tiles: Mapping[str, int], factors: Mapping[str, int]) -> Walk:
        """Return how rows are taken that are counted.

        Parameters
        ----------
        tiles
            Tiles of each loop as built, outermost first.
        factors
            Lanes of each loop.
        """
        order = [*tiles]
        inside = order[order.index(self.row_loop) + 1 :]
        extents = self.extents
        digits = [(n, -(-extents[n] // factors[n])) for n in inside if n in extents]
        rows = (counted(self.row_loop), self.counted_rows)
        own = (rows, *((counted(name), extent) for name, extent in digits))
        apart = iterations_apart(prod(n for _, n in own), [tiles[name] for name in inside])
        strides: list[tuple[str, int]] = []
        waiting: list[str] = []
        iterations = turn = 1
        for name in reversed(inside):
            iterations *= tiles[name]
            if apart % iterations == 0:
                turn = iterations
                waiting += [name] * (tiles[name] > 1)
            elif tiles[name] > 1:
                strides.append((name, iterations // tiles[name] // turn))
        pairs = tuple(reversed(strides)), iterations, tuple(reversed(waiting))
        return Walk(own, *pairs, every=apart // turn, apart=apart)


def iterations_apart(elements: Any, tiles: Sequence[Any]) -> Any:
    """Return how many iterations apart elements are taken, as far as all fit: (W9).

    Parameters
    ----------
    elements
        That are taken in the loops inside of that of rows.
    tiles
        Of these loops, outermost first: integers, or integer arrays of one shape, as elements.

    Examples
    --------
    >>> iterations_apart(2048, [4, 256, 128]), iterations_apart(2048, [16, 8, 32, 3, 3])
    (64, 18)
    >>> iterations_apart(5, [4, 7]), iterations_apart(5, [4])
    (1, 1)
    """
    found: Any = 1
    goes_on: Any = True  # to the loops outside, as all of those inside are waited for
    most = prod(tiles) // elements
    for count in reversed(tiles):
        step = _largest_divisor(count, most // found) ** goes_on
        found, goes_on = found * step, goes_on & (step == count)
    return found


def _largest_divisor(number: Any, most: Any) -> Any:
    """Return the largest divisor that is no larger than something, at least 1."""
    if isinstance(number, int):
        return next((n for n in range(min(number, most), 0, -1) if number % n == 0), 1)
    import numpy as np

    limits = np.asarray(most, dtype=np.int64)
    found = np.ones_like(limits)
    for own in np.unique(number).tolist():
        divisors = np.array([n for n in range(1, own + 1) if own % n == 0])
        places = np.searchsorted(divisors, limits, side="right") - 1
        found = np.where(number == own, divisors[np.maximum(0, places)], found)
    return found


def counted(loop: str) -> str:
    """Return the name of the iterator that counts what a window takes along a loop."""
    return f"{loop}.taken"


def prefill_loops(trips: Mapping[str, int]) -> dict[str, int]:
    """Return the loops of a nest that are built: those of several iterations, or the first."""
    several = {name: count for name, count in trips.items() if count > 1}
    return several or dict([*trips.items()][:1])


@dataclass(frozen=True, slots=True)
class Stretch:
    """A loop that has more iterations as built than the node has to compute."""

    loop: str
    iterations: int
    """As built. Iteration i computes what the node says of ``i - delay``, if it says anything."""
    delay: int = 0

    def __str__(self) -> str:
        """Return its iterations, and how much later it computes than it takes elements."""
        late = f", {self.delay} late" if self.delay else ""
        return f"{self.loop} {self.iterations} as built{late}"


@dataclass(frozen=True, slots=True)
class StreamedPart:
    """An array that is taken between two iterations of some loops."""

    taken: Access
    """The element that an iteration takes, by plain iterators counted from the first that does."""
    shape: tuple[int, ...]
    """Of the array, in elements."""
    firsts: tuple[int, ...]
    """By dimension, the first iteration of its loop that takes elements."""

    @property
    def array(self) -> str:
        """Return the array's name."""
        return self.taken.array

    @property
    def spans(self) -> dict[str, tuple[int, int]]:
        """Return by loop its first iteration that takes elements, and the first that no more does.

        A dimension of one element without a loop has none.
        """
        rows = zip(self.taken.subscripts, self.firsts, self.shape, strict=True)
        return {name: (at, at + n) for s, at, n in rows for name in s.iterators()}

    @property
    def ends(self) -> dict[str, int]:
        """Return by loop its first iteration that no more takes elements."""
        return {name: end for name, (_, end) in self.spans.items()}

    @property
    def extents(self) -> dict[str, int]:
        """Return by loop how many elements come along it."""
        return {name: end - first for name, (first, end) in self.spans.items()}

    def within(self, trip_counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
        """Return the spans of the loops that have other iterations too.

        Parameters
        ----------
        trip_counts
            Of the node.
        """
        return {name: span for name, span in self.spans.items() if span != (0, trip_counts[name])}

    def __str__(self) -> str:
        """Return the element that an iteration takes, and when."""
        spans = (f"{name} {first} to {end - 1}" for name, (first, end) in self.spans.items())
        return f"takes {self.taken} in {', '.join(spans)}"
