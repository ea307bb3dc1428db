"""A mover as a pipelined nest: streams of words on one side, elements on the other.

Words off the chip are read and written by a process of their own, one in a cycle over a flat loop.
"""

from collections.abc import Callable, Iterator

from streamopt.codegen.layout import BYTE_BITS, CppPort, CppProcess, WordMover
from streamopt.codegen.names import Names
from streamopt.codegen.processes.loops import CppNest
from streamopt.codegen.tree import Comment, CppFunction, CppStatement, For, Item, Pragma, pipelined
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Read
from streamopt.ir.ports import BURST_WORDS, OUTSTANDING_BURSTS
from streamopt.ir.scheduled import ScheduledNode


def bursts(port: CppPort) -> str:
    """Return the options of an interface by which it asks for long bursts, several at once."""
    way = "read" if port.array.is_given else "write"
    return f"max_{way}_burst_length={BURST_WORDS} num_{way}_outstanding={OUTSTANDING_BURSTS}"


def burst_comment(port: CppPort) -> Comment:
    """Return the burst to look for in the tool's report."""
    length = min(BURST_WORDS, port.packed.total_words)
    size = port.packed.words.elems * port.array.element.outside_bits // BYTE_BITS
    return Comment(f"Expected: bursts of {length} words of {size} bytes.")


def word_mover(
    mover: WordMover, declared: Callable[[CppPort, bool], tuple[str, ...]]
) -> tuple[Item, ...]:
    """Return the function of a word mover.

    Parameters
    ----------
    declared
        Texts of the parameters for a port, and whether the process only reads it.
    """
    outside, stream, is_given = mover.outside, mover.stream, mover.outside.array.is_given
    at = "at" if "at" not in (*outside.names, *stream.names) else "word_at"
    form = "{1}.write({0}[{2}]);" if is_given else "{0}[{2}] = {1}.read();"
    pairs = zip(outside.names, stream.names, strict=True)
    moved = (CppStatement(form.format(*pair, at)) for pair in pairs)
    taken = (*declared(outside, True), *declared(stream, False))
    if not is_given:
        taken = (*declared(stream, True), *declared(outside, False))
    count, times = outside.packed.total_words, outside.packed.times
    loop = For(at, count, (pipelined(1), *moved))
    if times > 1:
        again = Names([at, *outside.names, *stream.names]).unique("again")
        loop = For(again, times, (loop,))
    read = f", read {times} times" if times > 1 else ""
    title = Comment(f"Words of {outside.array.name}, {count} in a memory{read}.")
    function = CppFunction(f"static void {mover.name}", taken, (burst_comment(outside), loop))
    return CppStatement(""), title, function


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
        made = {port.name: self.names.unique(f"{_short(port)}_word") for port in packed}
        word = self.names.unique(f"{_short(self.source)}_word")
        body: list[Item] = list(self._fetched(word))
        for port in packed:
            body += [CppStatement(f"{_declared(port, made[port.name])} = {{}};")]
            body += _registers(port, made[port.name])
        body += self._lanes(list(self._carried(word, made)))
        for port in packed:
            body += self._each_word(port, made[port.name], "{stream}.write({word});")
        ports = (self.source, *self.process.writes)
        interval = max(port.packed.words.count if port.packing else 1 for port in ports)
        return self.tiled(body, interval)

    def _fetched(self, word: str) -> Iterator[Item]:
        packing = self.source.packing
        if packing is None:
            return
        if packing.words.total == 1:
            yield CppStatement(f"const {_declared(self.source, word)} = {self.source.name}.read();")
            return
        yield CppStatement(f"{_declared(self.source, word)};")
        yield from _registers(self.source, word)
        yield from self._each_word(self.source, word, "{word} = {stream}.read();")

    def _each_word(self, port: CppPort, words: str, form: str) -> Iterator[Item]:
        """Yield what moves the words of an iteration: the first of all memories, then the next.

        So does the process at the other ends of the streams, which hold two words.
        """
        count, is_single = port.packed.words.count, port.packed.words.total == 1
        at = self.names.unique("word") if count > 1 else ""
        moved: list[CppStatement] = []
        for memory, stream in enumerate(port.names):
            here = Affine.iterator(at) if at else Affine()
            number = here + Affine.of(memory * count)
            word = words if is_single else f"{words}[{number}]"
            moved.append(CppStatement(form.format(word=word, stream=stream)))
        if at:
            yield For(at, count, (Pragma("unroll"), *moved))
        else:
            yield from moved

    def _lane(self, array: str) -> Affine:
        """Return the row-major position in the lanes of an array outside: those that walk it."""
        access = self.read if self.read.array == array else self.node.write
        walked, position = access.iterators(), Affine()
        for loop in self.loops:
            if loop.name not in walked:
                continue
            here = Affine.iterator(self.lane[loop.name]) if loop.unroll > 1 else Affine()
            position = position.scaled(loop.unroll) + here
        return position

    def _carried(self, word: str, made: dict[str, str]) -> Iterator[Item]:
        value = self._element(self.source, self.read, word)
        if self.source.elems_a_byte > 1:
            value = self._taken_bits(word)
        if len(self.process.writes) > 1 and not value.isidentifier():
            name = self.names.unique("value")
            yield CppStatement(f"const {self.source.array.element} {name} = {value};")
            value = name
        for port in self.process.writes:
            target = self._element(port, self.node.write, made.get(port.name, ""))
            if port.elems_a_byte > 1:
                yield self._set_bits(port, made[port.name], value)
                continue
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
        names = {name: Affine.iterator(text) for name, text in self.iterator.items()}
        return port.name + self.placed(access, names)

    def _taken_bits(self, word: str) -> str:
        """Return an element that shares a byte with others: the conversion drops their bits."""
        byte, shift = self._in_byte(self.source, word)
        return f"{self.source.array.element}({byte} >> {shift})"

    def _set_bits(self, port: CppPort, word: str, value: str) -> CppStatement:
        """Return the statement that writes such an element into a byte that begins as zeros."""
        byte, shift = self._in_byte(port, word)
        mask = (1 << port.array.element.outside_bits) - 1
        return CppStatement(f"{byte} |= (int({value}) & {mask}) << {shift};")

    def _in_byte(self, port: CppPort, word: str) -> tuple[str, str]:
        """Return the byte of a lane's element, and how far its bits are from the lowest."""
        bits = port.array.element.outside_bits
        each = BYTE_BITS // bits
        word, lane = self._placed(port, word)
        is_byte = port.packed.words.elems == each
        shift = lane.mod(each).scaled(bits)
        return (word if is_byte else f"{word}[{lane.floordiv(each)}]"), f"({shift})"

    def _in_word(self, port: CppPort, word: str) -> str:
        word, lane = self._placed(port, word)
        return word if port.packed.words.elems == 1 else f"{word}[{lane}]"

    def _placed(self, port: CppPort, word: str) -> tuple[str, Affine]:
        """Return the word of a lane's element, and its place there."""
        words, lane = port.packed.words, self._lane(port.array.name)
        if words.total > 1:
            number = lane.floordiv(words.elems)
            if words.memories > 1 and words.lanes < words.stride_elems:
                number = lane.floordiv(words.lanes).scaled(words.count)
                lane = lane.mod(words.lanes)
                number += lane.floordiv(words.elems)
            word, lane = f"{word}[{number}]", lane.mod(words.elems)
        return word, lane

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


def _registers(port: CppPort, name: str) -> list[Item]:
    """Return the pragma that keeps the words of one iteration in registers."""
    split = Pragma(f"array_partition variable={name} type=complete dim=1")
    return [split] if port.packed.words.total > 1 else []


def _short(port: CppPort) -> str:
    return port.name.removesuffix("_words")
