"""The registers of a chain of reads: a box of elements that moves on with every tile."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.expression import Access
    from streamopt.ir.stepping.stepped import ReuseChain


@dataclass(frozen=True, slots=True)
class ChainBox:
    """The elements that all lanes read at one tile."""

    corner: tuple[Affine, ...]
    """Its lowest element, by dimension of the array, over tiles."""
    extents: tuple[int, ...]
    """Elements along each dimension."""
    along: int
    """The dimension along which it moves."""
    step: int
    """Elements by which it moves on with each tile, fewer than it has along that dimension."""

    @property
    def elems(self) -> int:
        """Return how many elements it has."""
        return prod(self.extents)

    def place(self, access: Access, lanes: Mapping[str, str]) -> tuple[Affine, ...]:
        """Return where a read is inside the box.

        Parameters
        ----------
        lanes
            The lane iterator of each loop that has lanes.
        """
        inside = {name: Affine() for s in access.subscripts for name in s.iterators()}
        inside |= {name: Affine.iterator(lane) for name, lane in lanes.items()}
        return tuple(
            subscript.substitute(inside) - Affine.of(corner.constant)
            for subscript, corner in zip(access.subscripts, self.corner, strict=True)
        )


def chain_box(chain: ReuseChain, lanes: Mapping[str, int]) -> ChainBox:
    """Return the box of a chain's reads, whose subscripts differ in constants alone."""
    tiles = {loop: Affine.iterator(loop).scaled(count) for loop, count in lanes.items()}
    corner: list[Affine] = []
    extents: list[int] = []
    first = chain.reads[0].subscripts
    for dimension, subscript in enumerate(first):
        own = [access.subscripts[dimension].constant for access in chain.reads]
        spread = [c * (lanes.get(loop, 1) - 1) for loop, c in subscript.factors.items()]
        low = min(own) + sum(min(0, s) for s in spread)
        high = max(own) + sum(max(0, s) for s in spread)
        moving = subscript - Affine.of(subscript.constant)
        corner.append(moving.substitute(tiles) + Affine.of(low))
        extents.append(high - low + 1)
    (along,) = (at for at, s in enumerate(first) if chain.loop in s.iterators())
    step = first[along].factors[chain.loop] * lanes.get(chain.loop, 1)
    return ChainBox(tuple(corner), tuple(extents), along, step)
