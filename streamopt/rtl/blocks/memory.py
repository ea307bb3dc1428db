"""A memory of LUTs: one write port, and one that answers in the cycle that asks.

Its text is written here and not through amaranth, which gives every memory the words that it begins
with, a line each.
"""

from dataclasses import dataclass

_TEXT = """\
module {name}(clk, write, write_at, given, read_at, taken);
  input clk;
  input write;
  input [{top}:0] write_at;
  input [{last}:0] given;
  input [{top}:0] read_at;
  output [{last}:0] taken;
  (* ram_style = "distributed" *)
  reg [{last}:0] words [0:{end}];
  always @(posedge clk) if (write) words[write_at] <= given;
  assign taken = words[read_at];
endmodule
"""


@dataclass(frozen=True, slots=True)
class LutMemory:
    """A memory of a width and a number of words."""

    width: int
    words: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"memory_{self.width}x{self.words}"

    @property
    def address_bits(self) -> int:
        """Return the width of an address."""
        return max(1, (self.words - 1).bit_length())

    def verilog(self) -> str:
        """Return the module's text."""
        return _TEXT.format(
            name=self.name, top=self.address_bits - 1, last=self.width - 1, end=self.words - 1
        )
