"""Depths that are always enough: a FIFO lane that holds all elements that ever pass through it."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamopt.ir.program import Array

__all__ = ["full_depth_elems"]


def full_depth_elems(array: Array, lanes: tuple[int, ...]) -> int:
    """Return the elements of the fullest lane: the product of extents over lanes, rounded up.

    With this depth no producer ever waits for its consumer, so no schedule can deadlock, and the
    processes may run one after another, as in C simulation. The published designs use it.

    Parameters
    ----------
    lanes
        Streams along each dimension of the array.

    Examples
    --------
    >>> from streamopt.ir.program import Array, Role
    >>> full_depth_elems(Array("E", (180, 190), Role.INTERNAL), (6, 5))
    1140
    """
    return prod(-(-extent // split) for extent, split in zip(array.shape, lanes, strict=True))
