"""Extents of an array in a memory of the design, with words that no element has.

The word of an element in its bank is ``(i * d1 + j) * d2 + ...`` with the extents ``d`` of a bank.
A few idle words spare a multiplier: of ``d`` = 13 each address takes a product, of 14 a shift and a
subtraction.
"""

from collections.abc import Sequence
from itertools import count

from streamopt.analysis.addresses.signed_digits import needs_multiplier
from streamopt.ir.network import Memory, Place

IDLE = 8
"""Words of a dimension for each idle one, at least."""


def bank_extents(memory: Memory) -> tuple[int, ...]:
    """Return the extents of one bank of a cyclically partitioned array.

    A resident one has a few idle words where these spare a multiplier.
    """
    shape, factors = memory.shape, memory.factors
    if memory.place is Place.RESIDENT:
        shape = padded_shape(shape, factors)
    return tuple(-(-n // f) for n, f in zip(shape, factors, strict=True))


def padded_shape(shape: Sequence[int], factors: Sequence[int]) -> tuple[int, ...]:
    """Return extents whose banks need no multiplier in an address, where few words are idle.

    Parameters
    ----------
    shape
        Of the array.
    factors
        Banks along each dimension, in turn.

    Examples
    --------
    >>> padded_shape((64, 64, 3, 3), (1, 5, 1, 1))
    (64, 70, 3, 3)
    """
    found: list[int] = []
    is_added = False
    for extent, banks in zip(shape, factors, strict=True):
        words = -(-extent // banks)
        padded = next(n for n in count(words) if not needs_multiplier(n))
        is_padded = is_added and words < padded and (padded - words) * IDLE <= words
        found.append(padded * banks if is_padded else extent)
        is_added |= words > 1
    return tuple(found)
