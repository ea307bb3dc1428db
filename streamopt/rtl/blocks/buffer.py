"""A block memory between two processes: one write port, and read ports of registered words."""

from dataclasses import dataclass

_HEAD = """\
module {name}(clk, write, write_at, given{names});
  input clk;
  input write;
  input [{top}:0] write_at;
  input [{last}:0] given;
  reg [{last}:0] words [0:{end}];
  always @(posedge clk) if (write) words[write_at] <= given;
"""
_PORT = """\
  input enable_{at};
  input [{top}:0] read_at_{at};
  output reg [{last}:0] taken_{at};
  always @(posedge clk) if (enable_{at}) taken_{at} <= words[read_at_{at}];
"""


@dataclass(frozen=True, slots=True)
class BufferMemory:
    """A memory whose words are there in the cycle after their address."""

    width: int
    words: int
    readers: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"buffer_{self.width}x{self.words}_{self.readers}"

    def verilog(self) -> str:
        """Return the module's text."""
        top, last = max(1, (self.words - 1).bit_length()) - 1, self.width - 1
        names = "".join(f", enable_{at}, read_at_{at}, taken_{at}" for at in range(self.readers))
        head = _HEAD.format(name=self.name, names=names, top=top, last=last, end=self.words - 1)
        ports = (_PORT.format(at=at, top=top, last=last) for at in range(self.readers))
        return "".join([head, *ports, "endmodule\n"])
