"""Layouts in which one copy of an array serves phases that walk it along different dimensions.

Before::

    in order j: any order of i: A[i][j]     banks by i
    in order i: any order of j: A[i][j]     banks by j: another copy, or each lane asks one bank

After::

    A[i][j] in bank (i + j) mod 64

Lanes along any dimension find banks of their own, turned by as much as the other index says.
"""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.stepping.stepped import HeldDimension

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

URAM_WORDS = 4096
"""Of an UltraRAM; banks with more words are block RAMs."""
MORE_BANKS = (1, 2)
"""Times the fewest banks: they are shorter, and hold what suits a block of memory better."""
PARTS = (1, 2, 4)
"""Into which neighbours along a dimension are split beside, for reads that are one apart."""


def skewed_layouts(
    shape: Sequence[int], lanes: int
) -> Iterator[tuple[tuple[HeldDimension, ...], tuple[int, ...]]]:
    """Yield dimensions of memories, the bank first, with their partition factors.

    Banks are a power of two, so that which one it is takes no division.

    Parameters
    ----------
    lanes
        Which find banks of their own.
    """
    if lanes == 1:
        return
    for more in MORE_BANKS:
        banks = more << (lanes - 1).bit_length()
        for one, other in combinations(range(len(shape)), 2):
            if banks > min(shape[one], shape[other]):
                continue
            bank = HeldDimension(one, banks, skew=((other, 1, 1),))
            for short in (one, other):
                rest = [
                    HeldDimension(at, divisor=banks if at == short else 1)
                    for at in range(len(shape))
                ]
                for part in PARTS:
                    for split in range(len(shape)) if part > 1 else (0,):
                        parts = [part if at == split else 1 for at in range(len(shape))]
                        yield (bank, *rest), (banks, *parts)


def cost_of(
    shape: Sequence[int], held: Sequence[HeldDimension], factors: Sequence[int]
) -> tuple[int, bool, int]:
    """Return a key: words, rounded up to powers of two; whether no UltraRAM holds a bank; banks."""
    extents = [own.extent(shape) for own in held]
    words = prod(-(-n // f) for n, f in zip(extents, factors, strict=True))
    banks = prod(factors)
    return banks << (words - 1).bit_length(), words > URAM_WORDS, banks
