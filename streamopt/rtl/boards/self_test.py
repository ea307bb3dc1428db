"""A design that tests itself on a board: inputs are in memories, and outputs are compared there.

It starts after the reset, and again after the button; lamps say that it has ended, and whether all
words were as expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from streamopt.rtl.boards.description import DesignDescription, MemoryPort, OutsideMemory
from streamopt.rtl.boards.packed_words import PackedWords, packed_words, word_ports

Elements = Sequence[int]
"""Bits of an array's elements, in row-major order."""

_HEAD = """\
// A design that tests itself: memories with inputs, and a comparison of the outputs.
// lamps: 0 all words as expected, 1 some not, 2 ended, 7 the clock
module board(clk, button, lamps);
  input clk;
  input button;
  output [7:0] lamps;
  reg [24:0] seconds = 0;
  reg [3:0] age = 0;
  reg was_reset = 1, is_wrong = 0, is_checked = 0;
  wire rst = age != 15;
  wire done;
  always @(posedge clk) begin
    seconds <= seconds + 1;
    was_reset <= rst;
    age <= button ? 0 : rst ? age + 1 : age;
  end
"""
_READ = """\
  wire [{address_top}:0] {port}_address;
  wire {port}_enable;
  wire [{last}:0] {port}_data;
"""
_READ_PART = """\
  reg [{part_last}:0] {port}_part_{part}, {port}_words_{part} [0:{end}];
  initial $readmemh("{name}{file}.hex", {port}_words_{part});
  always @(posedge clk)
    if ({port}_enable) {port}_part_{part} <= {port}_words_{part}[{port}_address[{low} +: {bits}]];
  assign {port}_data[{first} +: {part_last} + 1] = {port}_part_{part};
"""
_WRITTEN = """\
  wire [{address_top}:0] {port}_address;
  wire [{write_top}:0] {port}_write;
  wire [{last}:0] {port}_given, {name}_found;
"""
_WRITTEN_PART = """\
  reg [{part_last}:0] {name}_part_{part}, {name}_words_{part} [0:{end}];
  always @(posedge clk) begin
    if ({port}_write[{part}])
      {name}_words_{part}[{port}_address[{low} +: {bits}]]
        <= {port}_given[{first} +: {part_last} + 1];
    {name}_part_{part} <= {name}_words_{part}[at[{top}:0]];
  end
  assign {name}_found[{first} +: {part_last} + 1] = {name}_part_{part};
"""
_COMPARED = """\
  reg [{last}:0] {name}_expected, {name}_wanted [0:{end}];
  initial $readmemh("{name}.hex", {name}_wanted);
  always @(posedge clk) {name}_expected <= {name}_wanted[at[{top}:0]];
  wire {name}_differs = was_at < {words} && {name}_found != {name}_expected;
"""
_TAIL = """\
  reg [31:0] at = 0, was_at = 0;
  reg is_looking = 0;
  always @(posedge clk) begin
    was_at <= at;
    is_looking <= done & ~was_reset;
    if (rst) begin
      at <= 0;
      is_wrong <= 0;
      is_checked <= 0;
    end else if (done & ~was_reset) begin
      at <= at == {most} ? at : at + 1;
      if (is_looking & ({differs})) is_wrong <= 1;
      if (was_at == {most}) is_checked <= 1;
    end
  end
  assign lamps = {{seconds[24], 4'b0, is_checked, is_checked & is_wrong, is_checked & ~is_wrong}};
  {top} tested({ports});
endmodule
"""


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The Verilog around the ports of an array, what is at each of them, and comparisons."""

    parts: tuple[str, ...]
    ports: tuple[str, ...]
    tests: tuple[str, ...]
    words: int


def self_test(design: DesignDescription, exact: Sequence[str]) -> str:
    """Return the Verilog around a design.

    Parameters
    ----------
    exact
        Outputs that are compared.
    """
    found = [
        _of_banks(memory, memory.name in exact)
        if memory.packed is None
        else _of_words(memory, memory.packed, memory.name in exact)
        for memory in design.memories
    ]
    ports = [".clk(clk)", ".rst(rst)", ".hold(0)", ".done(done)", ".ready()"]
    ports += [".start(was_reset & ~rst)", *(port for one in found for port in one.ports)]
    tests = ["1'b0", *(test for one in found for test in one.tests)]
    most = max((one.words for one in found if one.tests), default=1)
    # the rest uses the place that is compared, which is declared before it
    tail = _TAIL.format(
        most=most, differs=" | ".join(tests), top=design.top, ports=", ".join(ports)
    )
    declared, rest = tail.split("\n", 1)
    parts = (part for one in found for part in one.parts)
    return "".join([_HEAD, declared, "\n", *parts, rest])


def _of_words(memory: OutsideMemory, packed: PackedWords, is_exact: bool) -> _Surroundings:
    """Return the surroundings of an array off the chip."""
    bits = packed.word_elems * memory.element.outside_bits
    found = [
        word_ports(port, packed, bits, is_given=memory.is_given, is_compared=is_exact)
        for port in memory.masters
    ]
    tests = tuple(f"{port}_differs" for port in memory.masters if is_exact)
    ports = tuple(port for _, *joined in found for port in joined)
    return _Surroundings(tuple(text for text, *_ in found), ports, tests, packed.words)


def _of_banks(memory: OutsideMemory, is_exact: bool) -> _Surroundings:
    """Return the surroundings of an array in a memory."""
    words, banks = _size(memory)
    sizes = {
        "name": memory.name,
        "words": words,
        "top": max(1, (words - 1).bit_length()) - 1,
        "end": words - 1,
        "last": banks * memory.bits - 1,
    }
    parts: list[str] = []
    ports: list[str] = []
    for port in memory.ports:
        parts += _around(memory, port, sizes)
        wires = ("address", "write", "given") if port.is_write else ("address", "enable", "data")
        ports += [f".{port.name}_{wire}({port.name}_{wire})" for wire in wires]
    parts += [_COMPARED.format(**sizes)] * is_exact
    tests = (f"{memory.name}_differs",) * is_exact
    return _Surroundings(tuple(parts), tuple(ports), tests, words)


def _around(
    memory: OutsideMemory, port: MemoryPort, sizes: Mapping[str, int | str]
) -> Iterator[str]:
    """Yield a memory at a port: one of wide words, or one for each bank."""
    count = port.banks or 1
    bits = int(sizes["top"]) + 1
    width = (int(sizes["last"]) + 1) // count
    head = _WRITTEN if port.is_write else _READ
    tops = {"address_top": bits * count - 1, "write_top": count - 1}
    yield head.format(port=port.name, **tops, **sizes)
    for part in range(count):
        places = {"part": part, "part_last": width - 1, "low": part * bits, "bits": bits}
        file = f"_{part}" if port.banks else ""
        text = _WRITTEN_PART if port.is_write else _READ_PART
        yield text.format(port=port.name, file=file, first=part * width, **places, **sizes)


def words_of(memory: OutsideMemory, elements: Elements) -> list[int]:
    """Return the words of a memory."""
    found = [0] * _size(memory)[0]
    for flat, bits in enumerate(elements):
        address, bank = _place(memory, flat)
        found[address] |= bits << (bank * memory.bits)
    return found


def _lines(words: Sequence[int], bits: int) -> str:
    """Return words in hexadecimal, a line each."""
    return "".join(f"{word:0{-(-bits // 4)}x}\n" for word in words)


def self_test_files(
    design: DesignDescription, given: Mapping[str, Elements], exact: Mapping[str, Elements]
) -> dict[str, str]:
    """Return the files of a board's design: Verilog, and the words of its memories.

    Parameters
    ----------
    given, exact
        Elements of the inputs, and of the outputs that are known exactly.
    """
    files = {"board.v": self_test(design, [*exact])}
    for memory in design.memories:
        values = given.get(memory.name) if memory.is_given else exact.get(memory.name)
        if values is not None:
            files |= _contents(memory, values)
    return files


def _contents(memory: OutsideMemory, elements: Elements) -> dict[str, str]:
    """Return the files of a memory's words, and of its banks where a port reads them apart."""
    if memory.packed:
        return _packed_contents(memory, memory.packed, elements)
    words = words_of(memory, elements)
    bits, banks = memory.bits, _size(memory)[1]
    files = {f"{memory.name}.hex": _lines(words, bits * banks)}
    if any(port.banks and not port.is_write for port in memory.ports):
        for bank in range(banks):
            part = [word >> bank * bits & ((1 << bits) - 1) for word in words]
            files[f"{memory.name}_{bank}.hex"] = _lines(part, bits)
    return files


def _packed_contents(
    memory: OutsideMemory, packed: PackedWords, elements: Elements
) -> dict[str, str]:
    """Return the files of the words off the chip, and of which of their bits are known."""
    files: dict[str, str] = {}
    bits = packed.word_elems * memory.element.outside_bits
    parts = packed_words(packed, memory.element, elements)
    for port, (words, known) in zip(memory.masters, parts, strict=True):
        files[f"{port}.hex"] = _lines(words, bits)
        if not memory.is_given:
            files[f"{port}_mask.hex"] = _lines(known, bits)
    return files


def _size(memory: OutsideMemory) -> tuple[int, int]:
    pairs = zip(memory.shape, memory.factors, strict=True)
    return prod(-(-extent // factor) for extent, factor in pairs), prod(memory.factors)


def _place(memory: OutsideMemory, flat: int) -> tuple[int, int]:
    """Return address and bank of an element."""
    indices: list[int] = []
    for extent in reversed(memory.shape):
        flat, index = divmod(flat, extent)
        indices.append(index)
    address = bank = 0
    for extent, factor, index in zip(memory.shape, memory.factors, reversed(indices), strict=True):
        address = address * -(-extent // factor) + index // factor
        bank = bank * factor + index % factor
    return address, bank
