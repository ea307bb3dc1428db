"""Reads and writes of lanes that are turned to the banks of a memory, in steps of powers of two.

Before: ``value[l] = A[(j + l) & 63][...]`` in 64 lanes: 64 multiplexers of 64 banks
After:  ``bank[b] = A[b][...]`` in 64 banks, then 6 steps, the first of them
        ``value[l] = j & 1 ? bank[(l + 1) & 63] : bank[l]``
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.codegen.expressions import literal
from streamopt.codegen.processes.guards import all_of
from streamopt.codegen.processes.windows import unrolled
from streamopt.codegen.stepped.memories import registers
from streamopt.codegen.tree import CppStatement, If
from streamopt.ir.affine import Affine
from streamopt.ir.stepping.turned_lanes import turned_lanes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamopt.codegen.stepped.indices import IndexNames
    from streamopt.codegen.stepped.lanes import LanedVisit
    from streamopt.codegen.stepped.memories import CppMemory
    from streamopt.codegen.tree import Item
    from streamopt.ir.expression import Access
    from streamopt.ir.stepping.turned_lanes import TurnedLanes


@dataclass(frozen=True, slots=True)
class TurnedAccess:
    """An access of all lanes of a visit to a memory, which turns them."""

    name: str
    """Of the registers with a value for each lane."""
    memory: CppMemory
    access: Access
    visit: LanedVisit
    turned: TurnedLanes

    @property
    def value(self) -> str:
        """Return the value of a lane, inside the loop over lanes."""
        return f"{self.name}[{self.visit.lanes[self.turned.lane]}]"

    @property
    def runs(self) -> str:
        """Return whether a lane writes, inside the loop over lanes."""
        return f"{self.name}_runs[{self.visit.lanes[self.turned.lane]}]"

    def fetched(self, unique: Callable[[str], str]) -> Iterator[Item]:
        """Yield the read of every bank, turned to the lanes; the registers are declared before."""
        banks, element = self.turned.banks, self.memory.element
        at, by, lane = unique("bank"), unique("turned_by"), unique("lane")
        yield CppStatement(f"const int {by} = {self._first()};")
        first = unique(f"{self.name}_turned")
        yield from registers(first, str(element), (banks,))
        names = self._names(lane)
        inside = all_of([*self._inside(names)])
        source = self._element(at, names)
        value = f"{inside} ? {source} : {literal(0, element)}" if inside else source
        got = f"{first}[{at}] = {value};"
        yield unrolled(at, banks, _with_lane(lane, f"({at} - {by}) & {banks - 1}", got))
        yield from self._turned(first, self.name, str(element), by, unique)

    def declared(self) -> Iterator[Item]:
        """Yield the registers of a read."""
        yield from registers(self.name, str(self.memory.element), (self.turned.banks,))

    def begun(self, unique: Callable[[str], str]) -> Iterator[Item]:
        """Yield the registers of a write, of no lane yet."""
        banks, lane = self.turned.banks, unique("lane")
        yield from self.declared()
        yield from registers(f"{self.name}_runs", "bool", (banks,))
        yield unrolled(
            lane,
            banks,
            [
                CppStatement(f"{self.name}[{lane}] = {literal(0, self.memory.element)};"),
                CppStatement(f"{self.name}_runs[{lane}] = false;"),
            ],
        )

    def stored(self, unique: Callable[[str], str]) -> Iterator[Item]:
        """Yield the write of every bank whose lane has something to write."""
        banks, element = self.turned.banks, self.memory.element
        at, by, lane = unique("bank"), unique("turned_by"), unique("lane")
        yield CppStatement(f"const int {by} = ({banks} - ({self._first()})) & {banks - 1};")
        value, runs = unique(f"{self.name}_banked"), unique(f"{self.name}_written")
        for kept in (value, runs):
            kind = "bool" if kept == runs else str(element)
            yield from registers(kept, kind, (banks,))
        yield from self._turned(self.name, value, str(element), by, unique)
        yield from self._turned(f"{self.name}_runs", runs, "bool", by, unique)
        names = self._names(lane)
        put = f"{self._element(at, names)} = {value}[{at}];"
        inside = _with_lane(lane, f"({at} + {by}) & {banks - 1}", put)
        yield unrolled(at, banks, [If(f"{runs}[{at}]", inside)])

    def _turned(
        self, source: str, target: str, kind: str, by: str, unique: Callable[[str], str]
    ) -> Iterator[Item]:
        """Yield ``target[l] = source[(l + by) mod banks]`` in steps."""
        banks = self.turned.banks
        steps = banks.bit_length() - 1
        for step in range(steps):
            into = target if step == steps - 1 else unique(f"{target}_by_{1 << step}")
            if into != target:
                yield from registers(into, kind, (banks,))
            lane = unique("lane")
            moved = f"{source}[({lane} + {1 << step}) & {banks - 1}]"
            chosen = f"(({by} >> {step}) & 1) != 0 ? {moved} : {source}[{lane}]"
            yield unrolled(lane, banks, [CppStatement(f"{into}[{lane}] = {chosen};")])
            source = into

    def _names(self, lane: str) -> IndexNames:
        """Return the names of iterators where a variable says which lane it is."""
        state, loop = self.visit.state, self.turned.lane
        count = dict(self.visit.phase.lanes)[loop]
        tile, reach = state.names.values[loop], state.names.reach[loop]
        place = tile.scaled(count) + (Affine.iterator(lane) if lane else Affine())
        low, high = reach
        return state.names.named(loop, place, (low * count, (high + 1) * count - 1))

    def _first(self) -> str:
        return f"({self._names('').text(self.turned.place)}) & {self.turned.banks - 1}"

    def _places(self) -> list[Affine]:
        return [*self.memory.held.places(self.access)]

    def _element(self, bank: str, names: IndexNames) -> str:
        places = [names.text(place) for place in self._places()]
        places[self.turned.dimension] = bank
        return self.memory.name + "".join(f"[{place}]" for place in places)

    def _inside(self, names: IndexNames) -> Iterator[str]:
        """Yield that a lane's element is in the memory, where that isn't sure."""
        held = self.memory.held
        for at, (place, extent) in enumerate(zip(self._places(), held.shape, strict=True)):
            if at == self.turned.dimension:
                continue
            low, high = place.interval(names.reach)
            text = names.text(place)
            if low < 0:
                yield f"{text} >= 0"
            if high >= extent:
                yield f"{text} < {extent}"


def _with_lane(lane: str, value: str, text: str) -> tuple[CppStatement, ...]:
    """Return a statement after the lane that it names; vectors are read and written without."""
    own = CppStatement(text)
    if not re.search(rf"\b{lane}\b", text):
        return (own,)
    return CppStatement(f"const int {lane} = {value};"), own


def turned_access(
    access: Access, memory: CppMemory, visit: LanedVisit, unique: Callable[[str], str]
) -> TurnedAccess | None:
    """Return an access as one that turns its lanes; None if it doesn't."""
    held = memory.held
    if held.is_outside:
        return None
    found = turned_lanes(held.places(access), held.shape, held.factors, dict(visit.phase.lanes))
    if found is None:
        return None
    return TurnedAccess(unique(f"{access.array}_lanes"), memory, access, visit, found)
