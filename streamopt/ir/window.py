"""Windows on streams: what a node keeps of an array that it takes once and reads several times.

A node that reads ``X[h + k - 1][w]`` may take row h of X from a stream in iteration h and compute
row ``h - delay``. Rows lie in line buffers (`streamopt.ir.line_buffer`) until no window reaches
them any more. What the node computes is the same; its nest has ``delay`` more iterations of h.
"""

from dataclasses import dataclass

from streamopt.ir.expression import Access


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

    @property
    def array(self) -> str:
        """Return the array's name."""
        return self.taken.array

    def __str__(self) -> str:
        """Return the rows that are kept, and the element that an iteration takes."""
        return f"window of {self.rows} rows on {self.taken}"

    @property
    def row_loop(self) -> str:
        """Return the loop whose iterations take a row each."""
        name = self.taken.subscripts[self.dimension].as_iterator()
        assert name is not None, "rows are taken by a plain iterator"
        return name

    @property
    def extents(self) -> dict[str, int]:
        """Return by loop how many of its iterations, from the first, take elements."""
        pairs = zip(self.taken.subscripts, self.shape, strict=True)
        return {name: extent for s, extent in pairs for name in s.iterators()}


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
