"""Channels to memory off the chip, and which array goes where."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["MemoryChannel", "balanced"]


@dataclass(frozen=True, slots=True)
class MemoryChannel:
    """A channel that works independently of the others.

    Attributes
    ----------
    name
        As the vendor's linker calls it: ``HBM[3]``.
    bytes_per_s
        At most; 0 if nobody said.
    """

    name: str
    bytes_per_s: int

    def bytes_per_cycle(self, clock_ns: float) -> float:
        """Return what it delivers in a cycle of the design's clock."""
        return self.bytes_per_s * clock_ns * 1e-9


def balanced(
    sizes_bytes: Mapping[str, int], channels: Sequence[str], fixed: Mapping[str, str]
) -> dict[str, str]:
    """Return a channel for each array, such that the fullest channel holds little.

    The largest array first, each on the channel with the fewest bytes so far: no worse than 4/3
    of the best (Graham, 1969). Ties go by the order of the channels.

    Parameters
    ----------
    fixed
        Channels that were asked for, by array.

    Examples
    --------
    >>> balanced({"A": 8, "B": 5, "C": 4}, ["HBM[0]", "HBM[1]"], {})
    {'A': 'HBM[0]', 'B': 'HBM[1]', 'C': 'HBM[1]'}
    """
    found = {name: fixed[name] for name in sizes_bytes if name in fixed}
    load: Counter[str] = Counter()
    for name, channel in found.items():
        load[channel] += sizes_bytes[name]
    free = sorted(
        (name for name in sizes_bytes if name not in found), key=lambda n: -sizes_bytes[n]
    )
    for name in free if channels else ():
        found[name] = min(channels, key=load.__getitem__)
        load[found[name]] += sizes_bytes[name]
    return found
