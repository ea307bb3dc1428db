"""A memory of LUTs: one write port, and read ports that answer in the cycle that asks.

Its text is written here and not through amaranth, which gives every memory the words that it begins
with, a line each.
"""

from dataclasses import dataclass

_HEAD = """\
module {name}(clk, write, write_at, given{names});
  input clk;
  input write;
  input [{top}:0] write_at;
  input [{last}:0] given;
  (* ram_style = "distributed" *)
  reg [{last}:0] words [0:{end}];
  always @(posedge clk) if (write) words[write_at] <= given;
"""
_PORT = """\
  input [{top}:0] read_at_{at};
  output [{last}:0] taken_{at};
  assign taken_{at} = words[read_at_{at}];
"""


@dataclass(frozen=True, slots=True)
class LutMemory:
    """A memory of a width and a number of words."""

    width: int
    words: int
    readers: int = 1

    @property
    def name(self) -> str:
        """Return the name of its module."""
        several = f"_{self.readers}" if self.readers > 1 else ""
        return f"memory_{self.width}x{self.words}{several}"

    @property
    def address_bits(self) -> int:
        """Return the width of an address."""
        return max(1, (self.words - 1).bit_length())

    def source(self) -> str:
        """Return the module's text."""
        top, last = self.address_bits - 1, self.width - 1
        names = "".join(f", read_at_{at}, taken_{at}" for at in range(self.readers))
        head = _HEAD.format(name=self.name, names=names, top=top, last=last, end=self.words - 1)
        ports = (_PORT.format(at=at, top=top, last=last) for at in range(self.readers))
        return "".join([head, *ports, "endmodule\n"])
