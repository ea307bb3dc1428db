"""Channels to memory off the chip, and which array goes where."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType

ONE_PART: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MemoryChannel:
    """A channel that works independently of the others."""

    name: str
    """As the vendor's linker calls it: ``HBM[3]``."""
    bytes_per_s: int
    """At most; 0 if nobody said."""
    latency_ns: float = 0.0
    """From a request to its first word; 0 if nobody said."""
    size_bytes: int = 0
    """That it holds; 0 if nobody said."""

    def bytes_per_cycle(self, clock_ns: float) -> float:
        """Return the bytes that it delivers in a cycle of the design's clock."""
        return self.bytes_per_s * clock_ns * 1e-9

    def latency_cycles(self, clock_ns: float) -> int:
        """Return the cycles of the design's clock from a request to its first word."""
        return ceil(self.latency_ns / clock_ns)


MOST_PORTS = 32
"""Of a design, to memory off the chip: the HBM of an UltraScale+ device has so many (AMD PG276)."""


def fewest_parts(
    sizes_bytes: Mapping[str, int], bytes_per_cycle: float, within_cycles: int
) -> dict[str, int]:
    """Return the fewest channels that each array comes over within a time, if they are its own."""
    each = bytes_per_cycle * within_cycles
    return {name: max(1, ceil(size / each)) for name, size in sizes_bytes.items()}


def quickest_cycles(
    sizes_bytes: Mapping[str, int], bytes_per_cycle: float, channels: int, ports: int
) -> int:
    """Return the cycles in which no choice of channels moves all arrays: (B5).

    Parameters
    ----------
    channels
        That there are; each delivers so many bytes a cycle.
    ports
        At most, of all arrays together: an array has one to each channel that holds some of it.

    Examples
    --------
    >>> quickest_cycles({"A": 640_000, "x": 1600}, 64.0, 32, 32)
    323
    >>> quickest_cycles({"A": 640_000, "B": 640_000, "x": 640}, 64.0, 4, 32)
    5003
    """
    most, together = max(ports, len(sizes_bytes)), channels * bytes_per_cycle
    low = max(1, ceil(sum(sizes_bytes.values()) / together))
    high = max(low, ceil(max(sizes_bytes.values(), default=0) / bytes_per_cycle))
    while low < high:
        middle = (low + high) // 2
        if sum(fewest_parts(sizes_bytes, bytes_per_cycle, middle).values()) <= most:
            high = middle
        else:
            low = middle + 1
    return low


def balanced(
    sizes_bytes: Mapping[str, int],
    channels: Sequence[str],
    fixed: Mapping[str, tuple[str, ...]],
    parts: Mapping[str, int] = ONE_PART,
) -> dict[str, tuple[str, ...]]:
    """Return channels for each array, such that the fullest channel holds little.

    The largest parts first, each on the channel with the fewest bytes so far that holds no other
    part of its array: for whole arrays no worse than 4/3 of the best (Graham, 1969). Ties go by
    the order of the channels.

    Parameters
    ----------
    fixed
        Channels that were asked for, by array.
    parts
        Channels that an array is spread over, 1 if nothing is said; never more than there are.

    Examples
    --------
    >>> balanced({"A": 8, "B": 5, "C": 4}, ["HBM[0]", "HBM[1]"], {})
    {'A': ('HBM[0]',), 'B': ('HBM[1]',), 'C': ('HBM[1]',)}
    >>> balanced({"A": 8, "B": 5}, ["HBM[0]", "HBM[1]"], {}, {"A": 2})
    {'B': ('HBM[0]',), 'A': ('HBM[0]', 'HBM[1]')}
    """
    found = {name: fixed[name] for name in sizes_bytes if name in fixed}
    load: Counter[str] = Counter()
    for name, own in found.items():
        load.update(dict.fromkeys(own, sizes_bytes[name] // len(own)))
    counts = {name: min(parts.get(name, 1), len(channels)) for name in sizes_bytes}
    free = [name for name in sizes_bytes if name not in found and counts[name]]
    for name in sorted(free, key=lambda n: -sizes_bytes[n] // counts[n]):
        emptiest = sorted(channels, key=load.__getitem__)[: counts[name]]
        found[name] = tuple(name for name in channels if name in emptiest)
        load.update(dict.fromkeys(emptiest, sizes_bytes[name] // counts[name]))
    return found
