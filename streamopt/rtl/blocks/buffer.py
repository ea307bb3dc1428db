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


@dataclass(frozen=True, slots=True)
class BufferMemory:
    """A memory whose words are there in the cycle after their address."""

    width: int
    words: int
    readers: int
    writers: int = 1

    @property
    def name(self) -> str:
        """Return the name of its module."""
        writers = f"_{self.writers}" if self.writers > 1 else ""
        return f"buffer_{self.width}x{self.words}_{self.readers}{writers}"

    def source(self) -> str:
        """Return the module's text."""
        top, last = max(1, (self.words - 1).bit_length()) - 1, self.width - 1
        writers = [*map(writer_suffix, range(self.writers))]
        wires = [f"{w}{at}" for at in writers for w in ("write", "write_at", "given")]
        readers = range(self.readers)
        wires += [f"{w}_{at}" for at in readers for w in ("enable", "read_at", "taken")]
        names = "".join(f", {wire}" for wire in wires)
        head = _HEAD.format(name=self.name, names=names, last=last, end=self.words - 1)
        writes = (_WRITE.format(at=at, top=top, last=last) for at in writers)
        ports = (_PORT.format(at=at, top=top, last=last) for at in readers)
        return "".join([head, *writes, *ports, "endmodule\n"])


def writer_suffix(at: int) -> str:
    """Return the end of the names of a write port's wires; nothing for the first one."""
    return f"_{at + 1}" if at else ""
