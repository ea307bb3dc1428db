"""A design that tests itself on a board: inputs are in memories, and outputs are compared there.

It starts after the reset, and again after the button; lamps say that it has ended, and whether all
words were as expected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from streamopt.rtl.boards.description import DesignDescription, OutsideMemory

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
  wire [{top}:0] {port}_address;
  wire {port}_enable;
  reg [{last}:0] {port}_data;
  reg [{last}:0] {port}_words [0:{end}];
  initial $readmemh("{name}.hex", {port}_words);
  always @(posedge clk) if ({port}_enable) {port}_data <= {port}_words[{port}_address];
"""
_WRITTEN = """\
  wire [{top}:0] {port}_address;
  wire {port}_write;
  wire [{last}:0] {port}_given;
  reg [{last}:0] {name}_words [0:{end}];
  always @(posedge clk) if ({port}_write) {name}_words[{port}_address] <= {port}_given;
  reg [{last}:0] {name}_found;
  always @(posedge clk) {name}_found <= {name}_words[at[{top}:0]];
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
    is_looking <= done & ~rst;
    if (rst) begin
      at <= 0;
      is_wrong <= 0;
      is_checked <= 0;
    end else if (done) begin
      at <= at == {most} ? at : at + 1;
      if (is_looking & ({differs})) is_wrong <= 1;
      if (was_at == {most}) is_checked <= 1;
    end
  end
  assign lamps = {{seconds[24], 4'b0, is_checked, is_checked & is_wrong, is_checked & ~is_wrong}};
  {top} tested({ports});
endmodule
"""


def self_test(design: DesignDescription, exact: Sequence[str]) -> str:
    """Return the Verilog around a design.

    Parameters
    ----------
    exact
        Outputs that are compared.
    """
    parts, ports, tests = [_HEAD], [".clk(clk)", ".rst(rst)", ".done(done)"], ["1'b0"]
    ports.append(".start(was_reset & ~rst)")
    most = 1
    for memory in design.memories:
        words, banks = _size(memory)
        sizes = {
            "name": memory.name,
            "words": words,
            "top": max(1, (words - 1).bit_length()) - 1,
            "end": words - 1,
            "last": banks * memory.bits - 1,
        }
        for port in memory.ports:
            parts.append((_WRITTEN if port.is_write else _READ).format(port=port.name, **sizes))
            wires = (
                ("address", "write", "given") if port.is_write else ("address", "enable", "data")
            )
            ports += [f".{port.name}_{wire}({port.name}_{wire})" for wire in wires]
        if memory.name in exact:
            parts.append(_COMPARED.format(**sizes))
            tests.append(f"{memory.name}_differs")
            most = max(most, words)
    differs = " | ".join(tests)
    # what follows uses the place that is compared, which is declared before it
    tail = _TAIL.format(most=most, differs=differs, top=design.top, ports=", ".join(ports))
    declared, rest = tail.split("\n", 1)
    return "".join([parts[0], declared, "\n", *parts[1:], rest])


def words_of(memory: OutsideMemory, elements: Elements) -> str:
    """Return the words of a memory in hexadecimal, a line each."""
    words, banks = _size(memory)
    found = [0] * words
    for flat, bits in enumerate(elements):
        address, bank = _place(memory, flat)
        found[address] |= bits << (bank * memory.bits)
    digits = -(-banks * memory.bits // 4)
    return "".join(f"{word:0{digits}x}\n" for word in found)


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
            files[f"{memory.name}.hex"] = words_of(memory, values)
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
