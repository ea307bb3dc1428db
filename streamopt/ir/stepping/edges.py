"""Lanes at the edge of a tile, whose reads are served by memories of their own.

Before: 16 lanes of ``i``, with ``A[i][j]`` in bank ``i % 16``; they read ``A[i - 1][j]`` and
``A[i + 1][j]``, so that one bank has rows ``16 * tile`` and ``16 * tile + 16``: two copies serve
them
After:  lane 0 reads ``above[tile - 1][j]``, and lane 15 ``below[tile + 1][j]``: the rows that
lanes 15 and 0 of all tiles write. Of all others, each bank has one
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine, FloorDiv

if TYPE_CHECKING:
    from streamopt.ir.expression import Access


@dataclass(frozen=True, slots=True)
class FixedLane:
    """One lane of a loop, in all of its tiles."""

    loop: str
    count: int
    """Lanes of the loop."""
    lane: int

    @property
    def place(self) -> Affine:
        """Return its iterator, over that of the tile, which has the loop's name."""
        return Affine.iterator(self.loop).scaled(self.count) + Affine.of(self.lane)


def divided(value: Affine) -> Affine:
    """Return an index in which quotients are without the terms that are divided exactly."""
    total = Affine.of(value.constant)
    for atom, factor in value.terms:
        term = Affine(((atom, 1),))
        if isinstance(atom, FloorDiv):
            number, inside = atom.divisor, atom.value
            whole = tuple((one, by // number) for one, by in inside.terms if by % number == 0)
            rest = tuple((one, by) for one, by in inside.terms if by % number)
            quotient, constant = divmod(inside.constant, number)
            term = Affine(whole, quotient) + Affine(rest, constant).floordiv(number)
        total += term.scaled(factor)
    return total


@dataclass(frozen=True, slots=True)
class EdgeRead:
    """A read of one lane that a memory of its own serves."""

    access: Access
    at: FixedLane
    memory: str
    """Name of the `HeldArray`."""
