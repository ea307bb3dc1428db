"""A memory between nests or processes: write ports, and read ports of registered words.

One that nobody writes is a table, whose words it begins with.
"""

import zlib
from dataclasses import dataclass, field

_HEAD = """\
module {name}(clk{names});
  input clk;
  reg [{last}:0] words [0:{end}];
"""
_WRITE = """\
  input write{at};
  input [{top}:0] write_at{at};
  input [{last}:0] given{at};
  always @(posedge clk) if (write{at}) words[{frame}write_at{at}{end}] <= given{at};
"""
_PORT = """\
  input enable_{at};
  input [{top}:0] read_at_{at};
  output reg [{last}:0] taken_{at};
  always @(posedge clk) if (enable_{at}) taken_{at} <= words[{frame}read_at_{at}{end}];
"""


@dataclass(frozen=True, slots=True)
class BufferMemory:
    """A memory whose words are there in the cycle after their address.

    Attributes
    ----------
    words
        Of a frame.
    is_double
        Whether it holds two frames: which one is written says ``written``, and ``of_0`` and so on
        which one a port reads.
    table
        All words, of one that nobody writes.
    """

    width: int
    words: int
    readers: int
    writers: int = 1
    is_double: bool = False
    table: tuple[int, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """Return the name of its module."""
        if self.table:
            known = zlib.crc32(repr(self.table).encode())
            return f"table_{self.width}x{self.words}_{self.readers}_{known:08x}"
        writers = f"_{self.writers}" if self.writers > 1 else ""
        double = "_double" if self.is_double else ""
        return f"buffer_{self.width}x{self.words}_{self.readers}{writers}{double}"

    @property
    def address_bits(self) -> int:
        """Return the width of an address."""
        return max(1, (self.words - 1).bit_length())

    @property
    def all_words(self) -> int:
        """Return the words of all frames; the second one begins at a power of two."""
        return self.words + (1 << self.address_bits if self.is_double else 0)

    def source(self) -> str:
        """Return the module's text."""
        writers, readers = [*map(writer_suffix, range(self.writers))], range(self.readers)
        wires = [f"{w}{at}" for at in writers for w in ("write", "write_at", "given")]
        wires += [f"{w}_{at}" for at in readers for w in ("enable", "read_at", "taken")]
        frames = ["written", *(f"of_{at}" for at in readers)] if self.is_double else []
        names = "".join(f", {wire}" for wire in (*wires, *frames))
        last = self.width - 1
        head = _HEAD.format(name=self.name, names=names, last=last, end=self.all_words - 1)
        numbers = (f"  input {frame};\n" for frame in frames)
        writes = (self._port(_WRITE, at, "written") for at in writers)
        ports = (self._port(_PORT, at, f"of_{at}") for at in readers)
        begun = (
            f"    words[{at}] = {self.width}'h{word:x};\n" for at, word in enumerate(self.table)
        )
        table = ["  initial begin\n", *begun, "  end\n"] if self.table else []
        return "".join([head, *table, *numbers, *writes, *ports, "endmodule\n"])

    def _port(self, text: str, at: int | str, frame: str) -> str:
        """Return the text of a port; the number of its frame is the upper bit of its address."""
        around = (f"{{{frame}, ", "}") if self.is_double else ("", "")
        sizes = {"top": self.address_bits - 1, "last": self.width - 1}
        return text.format(at=at, frame=around[0], end=around[1], **sizes)


def writer_suffix(at: int) -> str:
    """Return the end of the names of a write port's wires; nothing for the first one."""
    return f"_{at + 1}" if at else ""
