"""Windows in C++: line buffers, registers filled from them, and the elements that are taken.

An iteration fills the registers of its window, one word of every bank, then stores what it takes.
The nest reads registers alone. Loops over rows and places are unrolled, so every bank has one read
and a constant index. The tool can't see that what is stored is not read before the next row: the
``dependence`` pragma says after how many iterations it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from streamopt.codegen.layout import extents_text
from streamopt.codegen.names import Names
from streamopt.codegen.processes.guards import all_of
from streamopt.codegen.tree import CppStatement, For, If, Item, Pragma
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Compare, Index, Literal
from streamopt.ir.line_buffer import LineBuffer, LineStore


def unrolled(iterator: str, trip_count: int, body: Iterable[Item]) -> For:
    """Return an unrolled loop."""
    return For(iterator, trip_count, (Pragma("unroll"), *body))


def dependences(writers: Iterable[LineWriter]) -> Iterator[Pragma]:
    """Yield how many iterations are between the store of an element and its first read."""
    for writer in writers:
        if writer.lines.distance > 1:
            said = f"direction=RAW distance={writer.lines.distance} dependent=true"
            yield Pragma(f"dependence variable={writer.memory} type=inter {said}")


@dataclass(frozen=True, slots=True)
class LineWriter:
    """A line buffer in C++."""

    lines: LineBuffer
    memory: str
    """Name of its memory, which the function declares."""
    registers: tuple[str, str]
    """Names of the window and of the rows of one place, arrays that each iteration declares."""
    element: ElementType
    iterators: Mapping[str, Affine]
    """C++ of tile iterators and of lane iterators, by their names in the line buffer."""
    names: Names
    """Those of the nest."""

    @property
    def window(self) -> str:
        """Return the name of the registers that the nest reads."""
        return self.registers[0]

    def element_texts(self) -> dict[Access, str]:
        """Return the register that each access reads."""
        texts: dict[Access, str] = {}
        for read in self.lines.reads:
            rows = (read.row,) if self.lines.rows.have_banks else ()
            texts[read.access] = self._register((*rows, *read.slots), read.taps)
        return texts

    def _register(self, places: tuple[Affine, ...], taps: Sequence[tuple[str, int]]) -> str:
        """Return the register at some places, where iterators of taps choose among several."""
        if not taps:
            return self.window + (self._placed(places) or "[0]")
        (name, trips), *others = taps
        found = [
            self._register(tuple(p.substitute({name: Affine.of(tap)}) for p in places), others)
            for tap in range(trips)
        ]
        text, iterator = found[-1], self.iterators[name]
        for tap in range(trips - 2, -1, -1):
            text = f"({iterator} == {tap} ? {found[tap]} : {text})"
        return text

    def fill(self) -> Iterator[Item]:
        """Yield the window's registers, each read from its banks."""
        lines, names = self.lines, self.names.inner()
        rows = (lines.rows.places,) if lines.rows.have_banks else ()
        registers = (*rows, *lines.slots) or (1,)
        yield CppStatement(f"{self.element} {self.window}{extents_text(registers)};")
        yield Pragma(f"array_partition variable={self.window} type=complete dim=0")
        slots = [names.unique("place") for _ in lines.slots]
        places = tuple(Affine.iterator(slot) for slot in slots)
        body = [*(self._chosen(names, places) if rows else self._read(places))]
        for slot, extent in zip(reversed(slots), reversed(lines.slots), strict=True):
            body = [unrolled(slot, extent, body)]
        yield from body

    def _read(self, places: tuple[Affine, ...]) -> Iterator[Item]:
        """Yield the read of one place, where rows are words."""
        row = self._remainder(self.lines.rows.first)
        source = f"{self._placed((*places, *self.lines.address))}[{row}]"
        target = self._placed(places) or "[0]"
        yield CppStatement(f"{self.window}{target} = {self.memory}{source};")

    def _chosen(self, names: Names, places: tuple[Affine, ...]) -> Iterator[Item]:
        """Yield the reads of all rows of one place, and the choice of those that are wanted."""
        lines = self.lines
        column, (row, wanted) = self.registers[1], map(names.unique, ("row", "wanted"))
        yield CppStatement(f"{self.element} {column}[{lines.rows.count}];")
        yield Pragma(f"array_partition variable={column} type=complete dim=0")
        source = f"{self.memory}[{row}]{self._placed((*places, *lines.address))}"
        yield unrolled(row, lines.rows.count, [CppStatement(f"{column}[{row}] = {source};")])
        first = lines.rows.first.substitute(self.iterators)
        place = first + Affine.iterator(wanted).scaled(lines.rows.step)
        at = names.unique("at")
        yield unrolled(
            wanted,
            lines.rows.places,
            [
                CppStatement(f"const int {at} = {self._remainder(place)};"),
                CppStatement(
                    f"{self.window}[{wanted}]{self._placed(places)} = "
                    f"{_choice(column, at, 0, lines.rows.count)};"
                ),
            ],
        )

    def store(self, value: str) -> Iterator[Item]:
        """Yield the stores of a value in all its copies."""
        lines, at = self.lines, self._remainder(self.lines.rows.taken)
        if not lines.rows.have_banks:
            yield from (self._stored(store, "", f"[{at}]", value) for store in lines.stores)
            return
        row = self.names.inner().unique("row")
        stored = tuple(self._stored(store, f"[{row}]", "", value) for store in lines.stores)
        yield unrolled(row, lines.rows.count, [If(f"{at} == {row}", stored)])

    def prefilling(self, row: Affine, iterators: Mapping[str, Affine]) -> LineWriter:
        """Return the writer of a nest before, by the row that it takes and its iterators."""
        rows = replace(self.lines.rows, taken=row)
        lines = replace(self.lines, rows=rows)
        return replace(self, lines=lines, iterators={**self.iterators, **iterators})

    def _stored(self, store: LineStore, bank: str, word: str, value: str) -> Item:
        """Return the store of one copy, with the row as a bank or as a word."""
        slots, words = self._placed(store.slots), self._placed(store.words)
        put = CppStatement(f"{self.memory}{bank}{slots}{words}{word} = {value};")
        limits = all_of([self._limit(condition) for condition in store.limits])
        return If(limits, (put,)) if limits else put

    def _limit(self, condition: Compare) -> str:
        match condition.left, condition.right:
            case Index(value), Literal(bound):
                return f"{value.substitute(self.iterators)} {condition.op} {bound}"
            case sides:
                raise AssertionError(sides)

    def _remainder(self, row: Affine) -> str:
        """Return the place of a row among those that are kept."""
        number = row.substitute(self.iterators)
        text = str(number) if number.as_iterator() else f"({number})"
        return f"({text} & {self.lines.rows.count - 1})"

    def _placed(self, subscripts: Iterable[Affine]) -> str:
        return "".join(f"[{s.substitute(self.iterators)}]" for s in subscripts)


def _choice(column: str, at: str, low: int, high: int) -> str:
    """Return the element of a power of two of registers that ``at`` says: a tree of choices."""
    if high - low == 1:
        return f"{column}[{low}]"
    middle = (low + high) // 2
    upper, lower = _choice(column, at, middle, high), _choice(column, at, low, middle)
    return f"({at} & {middle - low} ? {upper} : {lower})"
