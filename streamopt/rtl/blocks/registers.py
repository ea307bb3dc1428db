"""Registers that lanes write, any at once or one at an address, and that all are there always."""

from dataclasses import dataclass

_TEXT = """\
module {name}(clk{names}, now);
  input clk;
{inputs}  output [{all}:0] now;
  genvar at;
  generate
    for (at = 0; at < {words}; at = at + 1) begin : word
      reg [{last}:0] value;
      always @(posedge clk) begin
{writes}      end
      assign now[at * {width} +: {width}] = value;
    end
  endgenerate
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
_STORE = "        if (write_{at} && write_at_{at} == at) value <= given_{at};\n"
_PUT = "        if (put_{at}[at]) value <= put_given_{at}[at * {width} +: {width}];\n"


@dataclass(frozen=True, slots=True)
class RegisterStore:
    """Words of a width, ports that write one of them each, and ports that write any at once."""

    width: int
    words: int
    stores: int
    puts: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"registers_{self.width}x{self.words}_{self.stores}_{self.puts}"

    def verilog(self) -> str:
        """Return the module's text."""
        stores, puts = range(self.stores), range(self.puts)
        names = [f"{wire}_{at}" for at in stores for wire in ("write", "write_at", "given")]
        names += [f"{wire}_{at}" for at in puts for wire in ("put", "put_given")]
        sizes = {
            "top": max(1, (self.words - 1).bit_length()) - 1,
            "last": self.width - 1,
            "end": self.words - 1,
            "all": self.words * self.width - 1,
            "width": self.width,
            "words": self.words,
        }

        def texts(store: str, put: str) -> str:
            parts = [store.format(at=at, **sizes) for at in stores]
            return "".join([*parts, *(put.format(at=at, **sizes) for at in puts)])

        return _TEXT.format(
            name=self.name,
            names="".join(f", {name}" for name in names),
            inputs=texts(_STORE_INPUT, _PUT_INPUT),
            writes=texts(_STORE, _PUT),
            **sizes,
        )
