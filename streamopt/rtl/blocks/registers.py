"""Registers that lanes write, any at once or one at an address, and read at any place at once."""

from dataclasses import dataclass

_TEXT = """\
module {name}(clk{names});
  input clk;
{inputs}  reg [{last}:0] value [0:{end}];
  always @(posedge clk) begin
{writes}  end
  genvar at;
  generate
{reads}  endgenerate
endmodule
"""
_STORE_INPUT = """\
  input write_{at};
  input [{top}:0] write_at_{at};
  input [{last}:0] given_{at};
"""
_PUT_INPUT = """\
  input [{end}:0] put_{at};
  input [{all}:0] put_given_{at};
"""
_READ_INPUT = """\
  input [{read_top}:0] read_at_{at};
  output [{read_last}:0] taken_{at};
"""
_READ = """\
    for (at = 0; at < {reads}; at = at + 1) begin : read_{number}
      assign taken_{number}[at * {width} +: {width}] =
        value[read_at_{number}[at * {bits} +: {bits}]];
    end
"""
_STORE = "    if (write_{at}) value[write_at_{at}] <= given_{at};\n"
_PUT = "    if (put_{at}[{word}]) value[{word}] <= put_given_{at}[{low} +: {width}];\n"


@dataclass(frozen=True, slots=True)
class RegisterStore:
    """Words of a width, and ports.

    Attributes
    ----------
    stores, puts
        Ports that write one word each, and ports that write any at once.
    reads
        Ports that read: how many words.
    """

    width: int
    words: int
    stores: int
    puts: int
    reads: tuple[int, ...]

    @property
    def name(self) -> str:
        """Return the name of its module."""
        counts = self.stores, self.puts, *self.reads
        return f"registers_{self.width}x{self.words}_{'_'.join(map(str, counts))}"

    @property
    def index_bits(self) -> int:
        """Return the bits of a word's number."""
        return max(1, (self.words - 1).bit_length())

    def source(self) -> str:
        """Return the module's text."""
        stores, puts = range(self.stores), range(self.puts)
        names = [f"{wire}_{at}" for at in stores for wire in ("write", "write_at", "given")]
        names += [f"{wire}_{at}" for at in puts for wire in ("put", "put_given")]
        names += [f"{wire}_{at}" for at in range(len(self.reads)) for wire in ("read_at", "taken")]
        bits = self.index_bits
        sizes = {
            "top": bits - 1,
            "last": self.width - 1,
            "end": self.words - 1,
            "all": self.words * self.width - 1,
        }
        inputs = [_STORE_INPUT.format(at=at, **sizes) for at in stores]
        inputs += [_PUT_INPUT.format(at=at, **sizes) for at in puts]
        writes = [_STORE.format(at=at) for at in stores]
        writes += [
            _PUT.format(at=at, word=word, low=word * self.width, width=self.width)
            for at in puts
            for word in range(self.words)
        ]
        read_inputs = "".join(
            _READ_INPUT.format(at=at, read_top=count * bits - 1, read_last=count * self.width - 1)
            for at, count in enumerate(self.reads)
        )
        return _TEXT.format(
            name=self.name,
            names="".join(f", {name}" for name in names),
            inputs="".join(inputs) + read_inputs,
            reads="".join(
                _READ.format(number=at, reads=count, width=self.width, bits=bits)
                for at, count in enumerate(self.reads)
            ),
            writes="".join(writes),
            **sizes,
        )
