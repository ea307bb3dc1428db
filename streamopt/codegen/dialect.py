"""Which library the emitted C++ has its streams from."""

from collections.abc import Sequence
from enum import StrEnum
from math import prod


class Dialect(StrEnum):
    """A library of streams and words."""

    HLS = "hls::vector"
    """AMD's: arrays of ``hls::stream``."""
    TAPA = "tapa::vec_t"
    """TAPA's: groups of streams along one dimension."""
    NATIVE = "std::array"
    """That of C++: arrays of streams between threads."""

    def buffer_trace(self, name: str) -> str:
        """Return the name by which a buffer is traced: in TAPA, a stream carries it over."""
        return name if self is Dialect.HLS else f"{name}_tokens"

    def stream(self, name: str, lanes: Sequence[str], counts: Sequence[int]) -> str:
        """Return one stream of a group.

        Parameters
        ----------
        lanes
            Index along each dimension of the group.
        counts
            Streams along each dimension.

        Examples
        --------
        >>> Dialect.HLS.stream("C", ["i", "j"], [2, 3])
        'C[i][j]'
        >>> Dialect.TAPA.stream("C", ["i", "j"], [2, 3])
        'C[i * 3 + j]'
        """
        if self is not Dialect.TAPA:
            return name + ("".join(f"[{lane}]" for lane in lanes) or "[0]")
        if prod(counts) == 1:
            return name
        place = ""
        for lane, count in zip(lanes, counts, strict=True):
            if count > 1:
                before = f"({place})" if "+" in place else place
                place = f"{before} * {count} + {lane}" if place else lane
        return f"{name}[{place}]"
