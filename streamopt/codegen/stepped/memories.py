"""The memories inside a stepped node: their declarations, and writes of many lanes to them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from streamopt.codegen.layout import extents_text
from streamopt.codegen.processes.loops import partition_pragmas
from streamopt.codegen.tree import CppStatement, Item, Pragma
from streamopt.ir.affine import Iter, Mod
from streamopt.ir.expression import equations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from streamopt.codegen.stepped.indices import IndexNames
    from streamopt.codegen.stepped.lanes import LanedVisit
    from streamopt.ir.affine import Affine
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.stepping.edges import FixedLane
    from streamopt.ir.stepping.stepped import HeldArray, Mirror


@dataclass(frozen=True, slots=True)
class CppMemory:
    """A memory with its C++ name."""

    held: HeldArray
    name: str
    element: ElementType
    outside: Callable[[str], Sequence[str]] | None = None
    """Of an array outside: from the text of subscripts to its elements, one for each that takes a
    value."""

    @property
    def is_registers(self) -> bool:
        """Return whether each element is a register."""
        return self.held.factors == self.held.shape

    def declared(self) -> Iterator[Item]:
        """Yield the array and how it is split; nothing of one that is outside."""
        if self.held.is_outside:
            return
        start = " = {}" if self.is_registers else ""
        yield CppStatement(f"{self.element} {self.name}{extents_text(self.held.shape)}{start};")
        if self.is_registers and prod(self.held.shape) > 1:
            yield Pragma(f"array_partition variable={self.name} type=complete dim=0")
        elif not self.is_registers:
            yield from partition_pragmas(self.name, self.held.factors)

    def element_text(self, access: Access, names: IndexNames) -> str:
        """Return the C++ of an element of the array."""
        return self.placed_text(self.held.places(access), names)

    def placed_text(self, places: Sequence[Affine], names: IndexNames) -> str:
        """Return the C++ of an element by its place in the memory."""
        subscripts = "".join(f"[{names.text(place)}]" for place in places)
        if self.outside is not None:
            return " = ".join(self.outside(subscripts))
        return self.name + subscripts

    def lane_text(self, access: Access, at: FixedLane, visit: LanedVisit) -> str:
        """Return the C++ of an element that one lane of a loop touches, in any tile."""
        tiles = visit.state.names
        names = visit.names.named(at.loop, tiles.values[at.loop], tiles.reach[at.loop])
        return self.placed_text(self.held.lane_places(access, at), names)


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """A write of a statement to a memory.

    Attributes
    ----------
    place
        Of the phase in its group.
    chosen
        Loops of whose lanes one is chosen for it; empty where each lane writes itself.
    """

    place: int
    mirror: Mirror
    chosen: tuple[str, ...]


def registers(name: str, element: str, extents: Sequence[int]) -> Iterator[Item]:
    """Yield an array of registers that an iteration has for itself."""
    yield CppStatement(f"{element} {name}{extents_text((*extents,))};")
    yield Pragma(f"array_partition variable={name} type=complete dim=0")


def choosing_lanes(
    held: HeldArray, access: Access, guards: Sequence[Condition], lanes: Mapping[str, int]
) -> tuple[str, ...]:
    """Return the loops of whose lanes one at most writes to a memory, chosen before it is written.

    Otherwise each lane would be a writer of a bank of its own right, and a bank has two ports.

    Parameters
    ----------
    guards
        All of which hold where lanes write.
    lanes
        Lanes by loop.
    """
    places = held.places(access)
    strides = [_strides(p, f, lanes) for p, f in zip(places, held.factors, strict=True)]
    shared = [name for name in lanes if not any(own.get(name, 0) for own in strides)]
    fixed = _fixed(guards)
    used = {name for place in places for name in place.iterators()}
    chosen = tuple(name for name in shared if name not in used or name in fixed)
    rest = [name for name in lanes if name not in chosen]
    banks = {
        tuple(
            sum(own.get(name, 0) * lane for name, lane in zip(rest, point, strict=True)) % factor
            for own, factor in zip(strides, held.factors, strict=True)
        )
        for point in product(*(range(lanes[name]) for name in rest))
    }
    return chosen if len(banks) == prod(lanes[name] for name in rest) else ()


def _strides(place: Affine, factor: int, lanes: Mapping[str, int]) -> dict[str, int]:
    """Return by how many banks the next lane of each loop is further, where that is known."""
    match place.terms, place.constant:
        case ((Mod(value, modulus), 1),), 0 if modulus % factor == 0:
            place = value
        case _:
            pass
    factors = place.factors
    return {name: factors[name] % factor for name in lanes if name in factors}


def _fixed(guards: Sequence[Condition]) -> set[str]:
    """Return the iterators that equations of a guard give a value."""
    gaps = (gap for guard in guards for gap in equations(guard))
    return {atom.name for gap in gaps for atom, _ in gap.terms if isinstance(atom, Iter)}
