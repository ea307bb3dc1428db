"""An operator for each of some lanes, side by side: one instance in the text of a process."""

from __future__ import annotations

from dataclasses import dataclass

from streamopt.rtl.operators.leaf import OPERANDS, OperatorBlock

_TEXT = """\
module {name}(clk, en{operands}, y);
  input clk;
  input en;
{inputs}  output [{last}:0] y;
  genvar at;
  generate
    for (at = 0; at < {lanes}; at = at + 1) begin : lane
      {leaf} operator (
        .clk(clk),
        .en(en),
{given}        .y(y[at * {bits} +: {bits}])
      );
    end
  endgenerate
endmodule
"""
_FEWEST, _MOST = 8, 32
"""Lanes that share a module; more of them have several, whose wires are not too wide."""


@dataclass(frozen=True, slots=True)
class OperatorLanes:
    """As many operators as lanes."""

    leaf: OperatorBlock
    lanes: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"lanes_{self.lanes}_of_{self.leaf.name}"

    def source(self) -> str:
        """Return the module's text: ports ``clk``, ``en``, operands ``a`` .. and ``y``, by lane."""
        sizes = [*zip(OPERANDS, (form.bits for form in self.leaf.operands), strict=False)]
        bits = self.leaf.result.bits
        ends = ((name, self.lanes * own - 1) for name, own in sizes)
        return _TEXT.format(
            name=self.name,
            leaf=self.leaf.name,
            lanes=self.lanes,
            operands="".join(f", {name}" for name, _ in sizes),
            inputs="".join(f"  input [{end}:0] {name};\n" for name, end in ends),
            given="".join(f"        .{n}({n}[at * {own} +: {own}]),\n" for n, own in sizes),
            bits=bits,
            last=self.lanes * bits - 1,
        )


def groups_of_lanes(copies: int) -> tuple[int, ...]:
    """Return the sizes of the groups in which lanes stand side by side; none for few lanes.

    Examples
    --------
    >>> groups_of_lanes(70), groups_of_lanes(7)
    ((32, 32, 6), ())
    """
    if copies < _FEWEST:
        return ()
    whole, rest = divmod(copies, _MOST)
    return (_MOST,) * whole + ((rest,) if rest else ())
