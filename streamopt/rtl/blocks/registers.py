"""Registers that lanes write one by one, and that are all there at any time."""

from dataclasses import dataclass

_TEXT = """\
module {name}(clk{names}, now);
  input clk;
{inputs}  output [{all}:0] now;
  reg [{last}:0] words [0:{end}];
  always @(posedge clk) begin
{writes}  end
  genvar at;
  generate
    for (at = 0; at <= {end}; at = at + 1) begin : word
      assign now[at * {width} +: {width}] = words[at];
    end
  endgenerate
endmodule
"""
_INPUT = """\
  input write_{at};
  input [{top}:0] write_at_{at};
  input [{last}:0] given_{at};
"""
_WRITE = "    if (write_{at}) words[write_at_{at}] <= given_{at};\n"


@dataclass(frozen=True, slots=True)
class RegisterStore:
    """Words of a width, and ports that write one of them each."""

    width: int
    words: int
    writers: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"registers_{self.width}x{self.words}_{self.writers}"

    def verilog(self) -> str:
        """Return the module's text."""
        writers, last = range(self.writers), self.width - 1
        top = max(1, (self.words - 1).bit_length()) - 1
        wires = (f"{wire}_{at}" for at in writers for wire in ("write", "write_at", "given"))
        return _TEXT.format(
            name=self.name,
            names="".join(f", {wire}" for wire in wires),
            inputs="".join(_INPUT.format(at=at, top=top, last=last) for at in writers),
            writes="".join(_WRITE.format(at=at) for at in writers),
            width=self.width,
            last=last,
            end=self.words - 1,
            all=self.words * self.width - 1,
        )
