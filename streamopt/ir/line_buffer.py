"""Line buffers: the memory behind a window, in banks of one read and one write a cycle.

Each place that an iteration reads has a bank of its own, and each element is stored in the banks
of all places that will read it. So a bank is read at one word in an iteration, whichever lanes
there are, and its index is a constant once lanes are unrolled. Where an iteration reads several
rows, each row that is kept lies in banks of its own; all answer at the same word, and
multiplexers choose, as in the line buffers of AMD's Vitis Vision library.
"""

from dataclasses import dataclass

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Compare


@dataclass(frozen=True, slots=True)
class KeptRows:
    """The rows of a line buffer."""

    count: int
    """Rows that are kept, a power of two; row r lies at ``r mod count``."""
    places: int
    """Rows that an iteration reads, ``step`` apart from ``first`` on. Where it is one row, rows are
    words of a bank; where they are several, rows have banks of their own."""
    step: int
    # first, taken: the first row that is read and the one that comes, by tile iterators, never
    # negative
    first: Affine
    taken: Affine

    @property
    def have_banks(self) -> bool:
        """Return whether rows lie in banks of their own."""
        return self.places > 1


@dataclass(frozen=True, slots=True)
class LineRead:
    """The register of a window that an access reads."""

    access: Access
    row: Affine
    """Place among the rows that an iteration reads, by lane iterators alone."""
    slots: tuple[Affine, ...]
    """Place along each dimension of `LineBuffer.slots`, by lane iterators and those of ``taps``."""
    taps: tuple[tuple[str, int], ...]
    """Pairs (tile iterator, trip count) of loops over taps that choose among places."""


@dataclass(frozen=True, slots=True)
class LineStore:
    """One copy of what a lane takes."""

    # slots, words: bank, by lane iterators, and word in it, by tile iterators; the row is the one
    # that comes
    slots: tuple[Affine, ...]
    words: tuple[Affine, ...]
    limits: tuple[Compare, ...]
    """Conditions under which some place reads the copy; none for always."""


@dataclass(frozen=True, slots=True)
class LineBuffer:
    """The rows that a window keeps, for the accesses that move alike.

    Iterators of tile loops have the names of the loops, those of lanes ``<loop>.lane``.
    """

    array: str
    rows: KeptRows
    slots: tuple[int, ...]
    """Places that an iteration reads in one row, along each dimension that has several."""
    together: tuple[bool, ...]
    """For each dimension of places, whether an iteration that stores one of them stores all."""
    words: tuple[int, ...]
    """Extents of a bank beside the rows, without those of 1."""
    address: tuple[Affine, ...]
    """Word of every bank that an iteration reads, by tile iterators."""
    stores: tuple[LineStore, ...]
    reads: tuple[LineRead, ...]
    distance: int
    """Iterations between the store of an element and its first read, at least."""

    def __str__(self) -> str:
        """Return its places, and the size of a bank."""
        places = " x ".join(map(str, (self.rows.places, *self.slots)))
        words = " x ".join(map(str, (self.rows.count, *self.words)))
        return f"line buffer of {self.array}: {places} places, {words} words of rows"

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the extents of the memory: banks first, and a power of two of rows last."""
        if self.rows.have_banks:
            return (self.rows.count, *self.slots, *self.words)
        return (*self.slots, *self.words, self.rows.count)

    @property
    def factors(self) -> tuple[int, ...]:
        """Return the banks along each dimension of the memory."""
        banks = (self.rows.count, *self.slots) if self.rows.have_banks else self.slots
        return banks + (1,) * (len(self.shape) - len(banks))

    @property
    def chosen(self) -> tuple[int, ...]:
        """Return the dimensions of the memory along which multiplexers choose among banks."""
        first, rows = int(self.rows.have_banks), (0,) * self.rows.have_banks
        found: set[int] = set()
        for read in self.reads:
            taps = dict(read.taps).keys()
            found |= {at for at, slot in enumerate(read.slots) if taps & {*slot.iterators()}}
        return (*rows, *(at + first for at in sorted(found)))

    @property
    def in_words(self) -> tuple[int, ...]:
        """Return the dimensions of the memory whose banks are parts of one word."""
        first = int(self.rows.have_banks)
        return tuple(at for at, together in enumerate(self.together, start=first) if together)

    def place(
        self, row: Affine, slots: tuple[Affine, ...], words: tuple[Affine, ...]
    ) -> tuple[Affine, ...]:
        """Return the subscripts of an element in the memory."""
        row = row.mod(self.rows.count)
        return (row, *slots, *words) if self.rows.have_banks else (*slots, *words, row)

    def read_place(self, read: LineRead) -> tuple[Affine, ...]:
        """Return the subscripts of the element that an access reads."""
        row = self.rows.first + read.row.scaled(self.rows.step)
        return self.place(row, read.slots, self.address)
