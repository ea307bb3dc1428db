"""One of two numbers, by a truth value."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Mux, Value

from streamopt.rtl.operators.number_format import TRUTH, NumberFormat
from streamopt.rtl.operators.stages import CutPlaces


@dataclass(frozen=True, slots=True)
class ChoiceLeaf:
    """A choice between numbers of one format, as it is built."""

    result: NumberFormat
    levels: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"choose_{self.result.name}_{self.levels}"

    @property
    def operands(self) -> tuple[NumberFormat, ...]:
        """Return the format of each operand."""
        return (TRUTH, self.result, self.result)

    @property
    def order(self) -> tuple[int, ...]:
        """Return the places for registers, the most useful first."""
        return (1,)

    def logic(self, stages: CutPlaces, *operands: Value) -> Value:
        """Return the result."""
        (result,) = stages.cut(Mux(operands[0], operands[1], operands[2]))
        return result
