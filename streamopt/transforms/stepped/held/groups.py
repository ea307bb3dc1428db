"""Copies of one kind, of a whole array or of a slice of it, and the accesses that they serve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.transforms.stepped.copies import blocks_of

if TYPE_CHECKING:
    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.stepping.stepped import HeldDimension
    from streamopt.transforms.stepped.copies import ServedCopies
    from streamopt.transforms.stepped.held.edges import EdgeMemory
    from streamopt.transforms.stepped.slices import Slice

    Read = tuple[str, Access]
    """A phase and what it reads."""


@dataclass(frozen=True, slots=True)
class CopyGroup:
    """Copies of one kind: of the whole array, or of a slice of it.

    Attributes
    ----------
    writes
        Triples (phase, statement, guard beside the statement's).
    is_outside
        Whether it is the array where it comes from or goes to.
    edges
        Memories beside them, for the lanes at the edges of tiles.
    """

    reads: tuple[Read, ...]
    writes: tuple[tuple[str, int, Condition | None], ...]
    shape: tuple[int, ...]
    copies: ServedCopies
    held: tuple[HeldDimension, ...]
    slice: Slice | None = None
    is_outside: bool = False
    edges: tuple[EdgeMemory, ...] = ()

    @property
    def blocks(self) -> int:
        """Return its block RAMs."""
        edges = sum(blocks_of(edge.shape, edge.factors) for edge in self.edges)
        return sum(blocks_of(self.shape, factors) for factors in self.copies.factors) + edges

    @property
    def is_skewed(self) -> bool:
        """Return whether neighbours along several dimensions are in different banks."""
        return any(own.skew for own in self.held)

    @property
    def is_registers(self) -> bool:
        """Return whether each element is a register."""
        return self.copies.factors == (self.shape,)
