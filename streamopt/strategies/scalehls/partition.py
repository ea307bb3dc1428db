"""Array partition: equation (1) of [1] V-C2, from the accesses of an unrolled body.

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamopt.strategies.scalehls.addresses import Address, Place

__all__ = ["DimensionPartition", "Fashion", "array_partition", "bank_of", "metric"]


class Fashion(StrEnum):
    """How elements go to banks."""

    CYCLIC = "cyclic"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class DimensionPartition:
    """How one dimension of an array is split."""

    fashion: Fashion
    factor: int


def metric(offsets: Iterable[int]) -> float:
    """Return P of equation (1): accesses over the largest distance of two of them plus one.

    Parameters
    ----------
    offsets
        Distinct indices in one dimension, relative to each other.

    Examples
    --------
    >>> metric([0, 1]), metric([0, 4])
    (1.0, 0.4)
    """
    found = set(offsets)
    return len(found) / (max(found) - min(found) + 1)


def array_partition(addresses: Sequence[Address]) -> tuple[DimensionPartition, ...]:
    """Return the partition of each dimension of an array for all accesses to it.

    Accesses are counted by dimension, as the published partitions are; those whose distance is
    not constant are counted apart, and the largest factor wins.
    """
    dimensions = zip(*addresses, strict=True)
    return tuple(_dimension(set(places)) for places in dimensions)


def _dimension(places: set[Place]) -> DimensionPartition:
    groups: dict[str, set[int]] = {}
    for place in places:
        groups.setdefault(place.moving, set()).add(place.offset)
    widest = max(groups.values(), key=lambda offsets: (len(offsets), metric(offsets)))
    fashion = Fashion.CYCLIC if metric(widest) >= 1 else Fashion.BLOCK
    return DimensionPartition(fashion, len(widest))


def bank_of(address: Address, partition: Sequence[DimensionPartition]) -> int | None:
    """Return the number of the bank that an access goes to; None where it isn't always the same.

    An access whose bank is not known may go to any of them.
    """
    bank = 0
    for place, split in zip(address, partition, strict=True):
        if split.factor == 1:
            continue
        if split.fashion is Fashion.BLOCK or place.step % split.factor != 0:
            return None
        bank = bank * split.factor + place.offset % split.factor
    return bank
