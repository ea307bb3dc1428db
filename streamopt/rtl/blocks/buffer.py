"""A memory between nests or processes: write ports, and read ports of registered words."""

from dataclasses import dataclass

_HEAD = """\
module {name}(clk{names});
  input clk;
  reg [{last}:0] words [0:{end}];
"""
_WRITE = """\
  input write{at};
  input [{top}:0] write_at{at};
  input [{last}:0] given{at};
  always @(posedge clk) if (write{at}) words[write_at{at}] <= given{at};
"""
_PORT = """\
  input enable_{at};
  input [{top}:0] read_at_{at};
  output reg [{last}:0] taken_{at};
  always @(posedge clk) if (enable_{at}) taken_{at} <= words[read_at_{at}];
"""
_NOW = """\
  output [{last}:0] now;
  assign now = words[0];
"""


@dataclass(frozen=True, slots=True)
class BufferMemory:
    """A memory whose words are there in the cycle after their address.

    Attributes
    ----------
    is_register
        Whether its only word is there at any time as well.
    """

    width: int
    words: int
    readers: int
    writers: int = 1
    is_register: bool = False

    @property
    def name(self) -> str:
        """Return the name of its module."""
        writers = f"_{self.writers}" if self.writers > 1 else ""
        kind = "register" if self.is_register else "buffer"
        return f"{kind}_{self.width}x{self.words}_{self.readers}{writers}"

    def verilog(self) -> str:
        """Return the module's text."""
        top, last = max(1, (self.words - 1).bit_length()) - 1, self.width - 1
        writers = [*map(writer_suffix, range(self.writers))]
        wires = [f"{w}{at}" for at in writers for w in ("write", "write_at", "given")]
        readers = range(self.readers)
        wires += [f"{w}_{at}" for at in readers for w in ("enable", "read_at", "taken")]
        wires += ["now"] * self.is_register
        names = "".join(f", {wire}" for wire in wires)
        head = _HEAD.format(name=self.name, names=names, last=last, end=self.words - 1)
        writes = (_WRITE.format(at=at, top=top, last=last) for at in writers)
        ports = (_PORT.format(at=at, top=top, last=last) for at in readers)
        now = _NOW.format(last=last) if self.is_register else ""
        return "".join([head, *writes, *ports, now, "endmodule\n"])


def writer_suffix(at: int) -> str:
    """Return the end of the names of a write port's wires; nothing for the first one."""
    return f"_{at + 1}" if at else ""
