"""Reads at constant distances along the innermost tile loop: a window of registers that moves.

The reads of all lanes at one tile are in a box, which moves on by a constant from tile to tile.
Registers hold the box; what the last tile had already moves inside them, the rest is fetched.
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
    from collections.abc import Callable, Iterator, Mapping

    from streamopt.codegen.stepped.indices import IndexNames
    from streamopt.codegen.stepped.lanes import LanedVisit
    from streamopt.ir.program import Array
    from streamopt.ir.stepping.stepped import ReuseChain


@dataclass(frozen=True, slots=True)
class ChainWindow:
    """The registers of one chain.

    Attributes
    ----------
    memory
        Name of the `HeldArray` that it is fetched from.
    corner
        The box's lowest element, by dimension of the array, over tiles.
    extents
        Of the box.
    moves
        Elements by which it moves on with each tile.
    """

    name: str
    array: Array
    memory: str
    corner: tuple[Affine, ...]
    extents: tuple[int, ...]
    moves: tuple[int, ...]

    def declared(self) -> Iterator[Item]:
        """Yield the registers."""
        yield CppStatement(f"{self.array.element} {self.name}{extents_text(self.extents)} = {{}};")
        yield Pragma(f"array_partition variable={self.name} type=complete dim=0")

    def place(self, access: Access, lanes: Mapping[str, str]) -> str:
        """Return the register of a read.

        Parameters
        ----------
        lanes
            The lane iterator of each loop that has lanes.
        """
        inside = {name: Affine() for s in access.subscripts for name in s.iterators()}
        inside |= {name: Affine.iterator(lane) for name, lane in lanes.items()}
        gaps = (
            subscript.substitute(inside) - Affine.of(corner.constant)
            for subscript, corner in zip(access.subscripts, self.corner, strict=True)
        )
        return self.name + "".join(f"[{gap}]" for gap in gaps)

    def fetches(
        self, unique: Callable[[str], str], names: IndexNames, element: Callable[..., str]
    ) -> Iterator[Item]:
        """Yield the loops that move the box on by a tile.

        Parameters
        ----------
        names
            Iterators of tiles.
        element
            From an access and names to the C++ of an element in memory.
        """
        at = [unique(f"at_{dimension}") for dimension in range(len(self.extents))]
        here = "".join(f"[{name}]" for name in at)
        there = "".join(
            f"[{name} + {by}]" if by else f"[{name}]"
            for name, by in zip(at, self.moves, strict=True)
        )
        moving = [d for d, by in enumerate(self.moves) if by]
        ends = {d: self.extents[d] - self.moves[d] for d in moving}
        known = " && ".join(f"{at[d]} < {ends[d]}" for d in moving)
        new = " || ".join(f"{at[d]} >= {ends[d]}" for d in moving)
        inner = names
        for name, extent in zip(at, self.extents, strict=True):
            inner = inner.named(name, Affine.iterator(name), (0, extent - 1))
        subscripts = tuple(c + Affine.iterator(n) for c, n in zip(self.corner, at, strict=True))
        inside = [
            condition
            for subscript, extent in zip(subscripts, self.array.shape, strict=True)
            for text in (inner.text(subscript),)
            for condition in (f"{text} >= 0", f"{text} < {extent}")
        ]
        source = element(Access(self.array.name, subscripts), inner)
        body: list[Item] = []
        if min(ends.values(), default=0) > 0:
            body.append(If(known, (CppStatement(f"{self.name}{here} = {self.name}{there};"),)))
        else:
            new = ""
        bracketed = f"({new})" if " || " in new else new
        fetched = CppStatement(f"{self.name}{here} = {source};")
        body.append(If(all_of([bracketed, *inside]), (fetched,)))
        for name, extent in zip(reversed(at), reversed(self.extents), strict=True):
            body = [unrolled(name, extent, body)]
        yield from body


def chain_window(
    chain: ReuseChain, visit: LanedVisit, array: Array, name: str
) -> ChainWindow | None:
    """Return the registers of a chain; None where its reads don't move alike, or not forward."""
    lanes = dict(visit.phase.lanes)
    tiles = {loop: Affine.iterator(loop).scaled(count) for loop, count in lanes.items()}
    first = chain.reads[0]
    if not all(s.is_linear for access in chain.reads for s in access.subscripts):
        return None
    corner: list[Affine] = []
    extents: list[int] = []
    for dimension, subscript in enumerate(first.subscripts):
        moving = subscript - Affine.of(subscript.constant)
        own = [access.subscripts[dimension] for access in chain.reads]
        if any((other - moving).terms for other in own):
            return None
        spread = [c * (lanes.get(loop, 1) - 1) for loop, c in moving.factors.items()]
        low = min(o.constant for o in own) + sum(min(0, s) for s in spread)
        high = max(o.constant for o in own) + sum(max(0, s) for s in spread)
        corner.append(moving.substitute(tiles) + Affine.of(low))
        extents.append(high - low + 1)
    step = lanes.get(chain.loop, 1)
    moves = tuple(s.factors.get(chain.loop, 0) * step for s in first.subscripts)
    if min(moves) < 0 or not any(moves):
        return None
    return ChainWindow(name, array, chain.memory, tuple(corner), tuple(extents), moves)
