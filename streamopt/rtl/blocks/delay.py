"""Registers in a row, which stand still while they aren't enabled: a shift register of LUTs."""

from dataclasses import dataclass

_TEXT = """\
module {name}(clk, en, given, taken);
  input clk;
  input en;
  input [{last}:0] given;
  output [{last}:0] taken;
  reg [{last}:0] line [0:{end}];
  genvar at;
  always @(posedge clk) if (en) line[0] <= given;
  generate
    for (at = 1; at <= {end}; at = at + 1) begin : level
      always @(posedge clk) if (en) line[at] <= line[at - 1];
    end
  endgenerate
  assign taken = line[{end}];
endmodule
"""


@dataclass(frozen=True, slots=True)
class Delay:
    """Registers of a width, one after another."""

    width: int
    levels: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"delay_{self.width}x{self.levels}"

    def source(self) -> str:
        """Return the module's text."""
        return _TEXT.format(name=self.name, last=self.width - 1, end=self.levels - 1)
