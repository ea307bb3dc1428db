"""Registers that lanes write, any at once or one at an address, and read at any place at once."""

from dataclasses import dataclass

_TEXT = """\
module {name}(clk{names});
  input clk;
{inputs}  wire [{all}:0] now;
  genvar at;
  generate
    for (at = 0; at < {words}; at = at + 1) begin : word
      reg [{last}:0] value;
      always @(posedge clk) begin
{writes}      end
      assign now[at * {width} +: {width}] = value;
    end
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
        now[read_at_{number}[at * {bits} +: {bits}] * {width} +: {width}];
    end
"""
_STORE = "        if (write_{at} && write_at_{at} == at) value <= given_{at};\n"
_PUT = "        if (put_{at}[at]) value <= put_given_{at}[at * {width} +: {width}];\n"


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

    def verilog(self) -> str:
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
            "width": self.width,
            "words": self.words,
        }

        def texts(store: str, put: str) -> str:
            parts = [store.format(at=at, **sizes) for at in stores]
            return "".join([*parts, *(put.format(at=at, **sizes) for at in puts)])

        read_inputs = "".join(
            _READ_INPUT.format(at=at, read_top=count * bits - 1, read_last=count * self.width - 1)
            for at, count in enumerate(self.reads)
        )
        return _TEXT.format(
            name=self.name,
            names="".join(f", {name}" for name in names),
            inputs=texts(_STORE_INPUT, _PUT_INPUT) + read_inputs,
            reads="".join(
                _READ.format(number=at, reads=count, width=self.width, bits=bits)
                for at, count in enumerate(self.reads)
            ),
            writes=texts(_STORE, _PUT),
            **sizes,
        )
