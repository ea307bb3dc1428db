"""Lanes that find neighbouring banks, from a bank on that moves: all of them are turned at once.

Before::

    lane l reads bank (j + l) mod 64        a multiplexer of 64 banks for each lane

After::

    bank b goes to lane (b - j) mod 64      6 steps, which turn all values by 1, 2, 4, ... or not
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine, Mod

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.network import Memory


@dataclass(frozen=True, slots=True)
class TurnedLanes:
    """Lanes that are turned to the banks of a memory."""

    dimension: int
    """Of the memory: the one with an element a bank."""
    lane: str
    """The iterator whose values are in neighbouring banks."""
    banks: int
    """A power of two."""
    place: Affine
    """Its bank modulo that."""


def is_skewed(subscripts: Sequence[Affine], memory: Memory) -> bool:
    """Return whether what says the bank of a memory is about several dimensions of an array."""
    rows = zip(subscripts, memory.shape, memory.factors, strict=True)
    for subscript, extent, banks in rows:
        match subscript.terms, subscript.constant:
            case ((Mod(value, divisor), 1),), 0 if divisor == banks == extent:
                moved = {name.partition(".")[0] for name in value.iterators()}
                if len(moved) > 1:
                    return True
            case _:
                pass
    return False


def turned_lanes(
    subscripts: Sequence[Affine],
    shape: Sequence[int],
    factors: Sequence[int],
    lanes: Mapping[str, int],
) -> TurnedLanes | None:
    """Return how the lanes of an access are turned; None if they aren't.

    Parameters
    ----------
    lanes
        Lanes by iterator.
    """
    used = {name for s in subscripts for name in s.iterators() if lanes.get(name, 1) > 1}
    if len(used) != 1:
        return None
    (lane,) = used
    for at, (subscript, extent, banks) in enumerate(zip(subscripts, shape, factors, strict=True)):
        match subscript.terms, subscript.constant:
            case ((Mod(value, divisor), 1),), 0 if divisor == banks == extent:
                pass
            case _:
                continue
        is_binary = banks & (banks - 1) == 0
        rest = value - Affine.iterator(lane)
        is_moving = any(by % banks for _, by in rest.terms)
        if is_binary and is_moving and value.factors.get(lane) == 1 and lanes[lane] <= banks:
            return TurnedLanes(at, lane, banks, value)
    return None
