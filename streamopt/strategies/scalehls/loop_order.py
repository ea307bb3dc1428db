"""Loop order: loops that carry a dependence go outwards, which makes it longer ([1] V-B2).

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.strategies.scalehls.band import Band

__all__ = ["optimized_order", "permutation_map", "permuted"]


def optimized_order(band: Band) -> Band:
    """Return the band with each loop that carries a dependence moved to the outermost place.

    They are moved one after another, the outermost first, so that the last is outermost then. All
    orders of a nest are legal where only its reductions carry dependences; a sequential nest stays
    as it is.
    """
    if band.is_sequential:
        return band
    order = list(band.order)
    for name in band.carrying_loops():
        order.remove(name)
        order.insert(0, name)
    return permuted(band, permutation_map(band.order, order))


def permutation_map(before: Sequence[str], after: Sequence[str]) -> tuple[int, ...]:
    """Return the new position of each loop.

    Examples
    --------
    >>> permutation_map("ijk", "kij")
    (1, 2, 0)
    """
    return tuple(after.index(name) for name in before)


def permuted(band: Band, places: Sequence[int]) -> Band:
    """Return the band whose i-th loop is at the i-th of the places, counted from outside."""
    loops = sorted(zip(places, band.loops, strict=True), key=lambda pair: pair[0])
    return replace(band, loops=tuple(loop for _, loop in loops))
