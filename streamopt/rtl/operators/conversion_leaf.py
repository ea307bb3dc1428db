"""Conversions between two formats, at least one of them of floating-point numbers."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Value

from streamopt.rtl.operators import conversion
from streamopt.rtl.operators.float_format import FloatFormat
from streamopt.rtl.operators.number_format import NumberFormat
from streamopt.rtl.operators.stages import CutPlaces


@dataclass(frozen=True, slots=True)
class ConversionLeaf:
    """A conversion as it is built."""

    source: NumberFormat
    result: NumberFormat
    levels: int
    cuts_off: bool = False
    """Whether a whole number is rounded towards zero."""

    @property
    def name(self) -> str:
        """Return the name of its module."""
        how = "cut_off_" if self.cuts_off else ""
        return f"{how}{self.source.name}_to_{self.result.name}_{self.levels}"

    @property
    def operands(self) -> tuple[NumberFormat, ...]:
        """Return the format of each operand."""
        return (self.source,)

    @property
    def order(self) -> tuple[int, ...]:
        """Return the places for registers, the most useful first."""
        return conversion.PLACES

    def logic(self, stages: CutPlaces, *operands: Value) -> Value:
        """Return the result."""
        source, result = self.source, self.result
        if isinstance(result, FloatFormat):
            if isinstance(source, FloatFormat):
                return conversion.to_format(stages, source, operands[0], into=result)
            return conversion.from_whole(stages, result, operands[0], source=source)
        assert isinstance(source, FloatFormat)
        return conversion.to_whole(stages, source, operands[0], into=result, cuts_off=self.cuts_off)
