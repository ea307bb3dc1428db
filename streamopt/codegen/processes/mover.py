"""A mover as a pipelined nest: whole words on one side, elements on the other.

The words of an iteration follow those of the iteration before, so the vendor's tool infers one
burst for the whole nest (AMD UG1399, AXI Burst Transfers).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.codegen.processes.nest import CppNest
from streamopt.codegen.tree import CppStatement, For, Item, Pragma
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Read
from streamopt.ir.ports import PortKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.codegen.layout import CppPort, CppProcess
    from streamopt.codegen.names import Names
    from streamopt.ir.expression import Access
    from streamopt.ir.scheduled import ScheduledNode

__all__ = ["MoverWriter", "is_mover"]


def is_mover(process: CppProcess) -> bool:
    """Return whether a process carries words over the boundary."""
    return any(port.packing is not None for port in (*process.inputs, *process.writes))


class MoverWriter(CppNest):
    """Builds the items of a mover; used once."""

    def __init__(self, scheduled: ScheduledNode, process: CppProcess, scope: Names) -> None:
        super().__init__(scheduled, process, scope)
        assert isinstance(self.node.value, Read), "a mover computes nothing"
        self.read = self.node.value.access
        self.source = process.reads[self.node.name, self.read.array]

    def items(self) -> tuple[Item, ...]:
        """Return the loop nest."""
        packed = [port for port in self.process.writes if port.packing is not None]
        made = {port.name: self.names.unique(f"{port.name}_word") for port in packed}
        word = self.names.unique(f"{self.source.name}_word")
        body: list[Item] = list(self._fetched(word))
        body += [CppStatement(f"{_declared(port, made[port.name])} = {{}};") for port in packed]
        body += self._lanes(list(self._carried(word, made)))
        for port in packed:
            body += self._stored(port, made[port.name])
        ports = (self.source, *self.process.writes)
        interval = max(port.packed.words.count if port.packing else 1 for port in ports)
        return self.tiled(body, interval)

    def _fetched(self, word: str) -> Iterator[Item]:
        packing = self.source.packing
        if packing is None:
            return
        if packing.words.total == 1:
            fetched = self._outside(self.source, self.source.name)
            yield CppStatement(f"const {_declared(self.source, word)} = {fetched};")
            return
        yield CppStatement(f"{_declared(self.source, word)};")
        yield from self._each_word(self.source, f"{word}[@] = {{}};")

    def _stored(self, port: CppPort, word: str) -> Iterator[Item]:
        many = port.packed.words.total > 1
        value = f"{word}[@]" if many else word
        form = f"{{}}.write({value});" if port.kind is PortKind.STREAM else f"{{}} = {value};"
        if many:
            yield from self._each_word(port, form)
        else:
            yield CppStatement(form.format(self._outside(port, port.name, is_written=True)))

    def _each_word(self, port: CppPort, form: str) -> Iterator[Item]:
        """Yield what moves the words of an iteration; ``@`` is a word's number in all memories."""
        count, is_written = port.packed.words.count, form.startswith("{}")
        for memory, name in enumerate(port.names):
            if count == 1:
                outside = self._outside(port, name, is_written=is_written)
                yield CppStatement(form.replace("@", str(memory)).format(outside))
                continue
            at = self.names.unique("word")
            number = Affine.iterator(at) + Affine.of(memory * count)
            outside = self._outside(port, name, at, is_written=is_written)
            statement = CppStatement(form.replace("@", str(number)).format(outside))
            yield For(at, count, (Pragma("unroll"), statement))

    def _outside(self, port: CppPort, name: str, at: str = "", *, is_written: bool = False) -> str:
        """Return the next word of one memory of a port, or of its stream."""
        if port.kind is PortKind.STREAM:
            return name if is_written else f"{name}.read()"
        place = self._flat(of_tiles=True)
        if at:
            place = place.scaled(port.packed.words.count) + Affine.iterator(at)
        return f"{name}[{place}]"

    def _flat(self, *, of_tiles: bool) -> Affine:
        """Return the row-major position in the tile loops, or in the lanes."""
        position = Affine()
        for loop in self.loops:
            extent = loop.tiles if of_tiles else loop.unroll
            names = self.tile if of_tiles else self.lane
            here = Affine.iterator(names[loop.name]) if extent > 1 else Affine()
            position = position.scaled(extent) + here
        return position

    def _carried(self, word: str, made: dict[str, str]) -> Iterator[Item]:
        value = self._element(self.source, self.read, word)
        if len(self.process.writes) > 1 and not value.isidentifier():
            name = self.names.unique("value")
            yield CppStatement(f"const {self.source.array.element} {name} = {value};")
            value = name
        for port in self.process.writes:
            target = self._element(port, self.node.write, made.get(port.name, ""))
            yield CppStatement(
                f"{target}.write({value});" if port.is_group else f"{target} = {value};"
            )

    def _element(self, port: CppPort, access: Access, word: str) -> str:
        if port.packing is not None:
            return self._in_word(port, word)
        if port.is_group:
            stream = port.stream(self.stream_lanes(access))
            return f"{stream}.read()" if port is self.source else stream
        if port.by_value:
            return port.name
        self.used.update(access.iterators())
        names = {name: Affine.iterator(text) for name, text in self.iterator.items()}
        return port.name + self.placed(access, names)

    def _in_word(self, port: CppPort, word: str) -> str:
        words, lane = port.packed.words, self._flat(of_tiles=False)
        if words.total > 1:
            number = lane.floordiv(words.elems)
            if words.memories > 1 and words.lanes < words.stride_elems:
                number = lane.floordiv(words.lanes).scaled(words.count)
                lane = lane.mod(words.lanes)
                number += lane.floordiv(words.elems)
            word, lane = f"{word}[{number}]", lane.mod(words.elems)
        return word if words.elems == 1 else f"{word}[{lane}]"

    def _lanes(self, body: list[Item]) -> list[Item]:
        for loop in reversed(self.loops):
            end = self.inside([loop.name])
            if loop.unroll > 1:
                body = [self.lane_loop(loop, body, end)]
            else:
                body = [*self.constants([loop]), *body]
        return body


def _declared(port: CppPort, name: str) -> str:
    """Return the declaration of the words of one iteration."""
    many = f"[{port.packed.words.total}]" if port.packed.words.total > 1 else ""
    return f"{port.word_type} {name}{many}"
