"""How arrays outside are packed into words."""

from dataclasses import dataclass
from math import prod

from streamopt.analysis.access_order import as_digits
from streamopt.ir.expression import Access
from streamopt.ir.ports import Words, words_of
from streamopt.ir.program import Array
from streamopt.ir.scheduled import ScheduledNode


@dataclass(frozen=True, slots=True)
class Packing:
    """Layout of an array outside the chip: words of the lanes of one tile iteration in sequence.

    Element ``[i][k]`` with 2 x 3 lanes and the tile loops in the order ``k, i``::

        iteration = (k / 3) * (I / 2) + i / 2       lane = (k % 3) * 2 + i % 2
        element = iteration * stride + lane          stride: all words of an iteration

    The mover then reads one word after the other, whatever the loop order, and the host brings the
    array into that order once. An array in several memories has its first lanes in the first one::

        memory = lane / (lanes of a memory)          element = iteration * stride + the rest
    """

    extents: tuple[int, ...]
    order: tuple[int, ...]
    """Dimensions, that of the outermost tile loop first."""
    lanes: tuple[int, ...]
    """Elements of an iteration along each dimension."""
    words: Words
    """Of one iteration, in each memory."""
    times: int = 1
    """That the words are read in sequence."""

    @property
    def iterations(self) -> int:
        """Return the tile iterations."""
        return prod(-(-n // lanes) for n, lanes in zip(self.extents, self.lanes, strict=True))

    @property
    def total_words(self) -> int:
        """Return the words of the whole array in one memory."""
        return self.iterations * self.words.count

    @property
    def moved_words(self) -> int:
        """Return the words that are read of one memory, again and again ones too."""
        return self.total_words * self.times

    @property
    def all_words(self) -> int:
        """Return the words of the whole array in all memories."""
        return self.total_words * self.words.memories

    @property
    def total_elems(self) -> int:
        """Return the elements that the words in one memory have room for."""
        return self.iterations * self.words.stride_elems


def packing_of(array: Array, access: Access, mover: ScheduledNode, channels: int) -> Packing:
    """Return the packing of an array by the loops of its mover, over so many channels.

    A dimension that the mover walks in digits is one for each digit there. Lanes of loops that
    don't walk the array take the same element.
    """
    digits, extents = as_digits(access, array.shape, mover.node.trip_counts)
    order: list[int] = []
    lanes = [1] * len(extents)
    dimension_of = {s.as_iterator(): at for at, s in enumerate(digits.subscripts)}
    for loop in mover.loops:
        dimension = dimension_of.get(loop.name)
        if dimension is not None:
            order.append(dimension)
            lanes[dimension] = loop.unroll
    rest = [at for at in range(len(extents)) if at not in order]
    words = words_of(prod(lanes), array.element.outside_bits, channels)
    times = prod(loop.tiles for loop in mover.loops if loop.name not in dimension_of)
    return Packing(extents, (*rest, *order), tuple(lanes), words, times)
