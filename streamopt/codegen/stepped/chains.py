"""Reads at constant distances along the innermost tile loop: a window of registers that moves.

The reads of all lanes at one tile are in a box, which moves on by a constant from tile to tile.
Registers hold the box; what the last tile had already moves inside them, the rest is fetched.
Phases that compute the same use one window in turn: every visit fills it from the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.codegen.layout import extents_text
from streamopt.codegen.processes.guards import all_of
from streamopt.codegen.processes.windows import unrolled
from streamopt.codegen.tree import CppStatement, If, Item, Pragma
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from streamopt.codegen.stepped.indices import IndexNames
    from streamopt.ir.program import Array
    from streamopt.ir.stepping.windows import ChainBox


@dataclass(frozen=True, slots=True)
class ChainWindow:
    """The registers of one chain."""

    name: str
    array: Array
    memory: str
    """Name of the `HeldArray` that it is fetched from."""
    box: ChainBox

    def is_like(self, array: Array, box: ChainBox) -> bool:
        """Return whether the registers of one chain can be those of another, at another time."""
        shapes = [(own.extents, own.along, own.step) for own in (self.box, box)]
        return shapes[0] == shapes[1] and array.element is self.array.element

    def declared(self) -> Iterator[Item]:
        """Yield the registers."""
        extents = extents_text(self.box.extents)
        yield CppStatement(f"{self.array.element} {self.name}{extents} = {{}};")
        yield Pragma(f"array_partition variable={self.name} type=complete dim=0")

    def place(self, access: Access, lanes: Mapping[str, str]) -> str:
        """Return the register of a read.

        Parameters
        ----------
        lanes
            The lane iterator of each loop that has lanes.
        """
        return self.name + "".join(f"[{gap}]" for gap in self.box.place(access, lanes))

    def moves(self, unique: Callable[[str], str]) -> Iterator[Item]:
        """Yield the loops that move on by a tile what stays in the box."""
        box = self.box
        at = [unique(f"at_{dimension}") for dimension in range(len(box.extents))]
        ahead = [f"{name} + {box.step}" if d == box.along else name for d, name in enumerate(at)]
        kept = [own - box.step * (d == box.along) for d, own in enumerate(box.extents)]
        body = [CppStatement(f"{self._register(at)} = {self._register(ahead)};")]
        yield _around(at, kept, body)

    def fetches(
        self, unique: Callable[[str], str], names: IndexNames, element: Callable[..., str]
    ) -> Iterator[Item]:
        """Yield the loops that fetch what is new in the box.

        Parameters
        ----------
        names
            Iterators of tiles.
        element
            From an access and names to the C++ of an element in memory.
        """
        box = self.box
        at = [unique(f"at_{dimension}") for dimension in range(len(box.extents))]
        known = box.extents[box.along] - box.step
        new = [box.step if d == box.along else own for d, own in enumerate(box.extents)]
        for name, extent in zip(at, new, strict=True):
            names = names.named(name, Affine.iterator(name), (0, extent - 1))
        gaps = [Affine.iterator(n) + Affine.of(known * (d == box.along)) for d, n in enumerate(at)]
        subscripts = tuple(c + gap for c, gap in zip(box.corner, gaps, strict=True))
        inside = [
            condition
            for subscript, extent in zip(subscripts, self.array.shape, strict=True)
            for text in (names.text(subscript),)
            for condition in (f"{text} >= 0", f"{text} < {extent}")
        ]
        source = element(Access(self.array.name, subscripts), names)
        fetched = CppStatement(f"{self._register(map(str, gaps))} = {source};")
        yield _around(at, new, [If(all_of(inside), (fetched,))])

    def _register(self, places: Iterable[str]) -> str:
        return self.name + "".join(f"[{place}]" for place in places)


def _around(at: Sequence[str], extents: Sequence[int], body: Sequence[Item]) -> Item:
    """Return unrolled loops around a body."""
    for name, extent in zip(reversed(at), reversed(extents), strict=True):
        body = [unrolled(name, extent, body)]
    (found,) = body
    return found
