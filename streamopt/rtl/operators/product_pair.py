"""Two products of narrow whole numbers that have a factor in common, in one DSP48E2 (AMD WP486).

The other two factors are one number of 27 bits, 18 bits apart. Behind the multiplier, the upper
product lacks one where the lower one is below zero, and so took from it.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Value

from streamopt.rtl.operators.number_format import WholeFormat
from streamopt.rtl.operators.stages import CutPlaces

PAIR_LEVELS = 4
"""Registers of two products: before, in and behind the multiplier, and behind the correction."""
NARROW = WholeFormat(9)
"""Has all factors; with -256 the two do not fit into 27 bits."""
_APART_BITS, _WIDE_BITS = 18, 27


@dataclass(frozen=True, slots=True)
class ProductPairLeaf:
    """Two products, as they are built: their result has the second one in its upper half.

    Attributes
    ----------
    common, own
        Formats of the factor of both, and of the two others; `NARROW` at most.
    product
        Of one product.
    """

    common: WholeFormat
    own: WholeFormat
    product: WholeFormat
    levels: int = PAIR_LEVELS

    @property
    def name(self) -> str:
        """Return the name of its module."""
        forms = self.common, self.own, self.product
        return "_".join(["mul_pair", *(form.name for form in forms), str(self.levels)])

    @property
    def operands(self) -> tuple[WholeFormat, ...]:
        """Return the formats of the common factor and of the two others."""
        return self.common, self.own, self.own

    @property
    def result(self) -> WholeFormat:
        """Return the format of both products side by side."""
        return WholeFormat(2 * self.product.bits, False)

    @property
    def order(self) -> tuple[int, ...]:
        """Return the places for registers, the most useful first."""
        return (2, 4, 1, 3)

    def logic(self, stages: CutPlaces, *operands: Value) -> Value:
        """Return both products."""
        common, first, second = stages.cut(*operands)
        if self.own.is_signed:
            first, second = first.as_signed(), second.as_signed()
        both = (first + (second << _APART_BITS))[:_WIDE_BITS].as_signed()
        factor = common.as_signed() if self.common.is_signed else common
        (made,) = stages.cut(both * factor)
        (made,) = stages.cut(made)
        low, high = made[:_APART_BITS].as_signed(), made[_APART_BITS:].as_signed()
        bits = self.product.bits
        (result,) = stages.cut(Cat(_resized(low, bits), _resized(high + (low < 0), bits)))
        return result


def _resized(number: Value, bits: int) -> Value:
    """Return the lower bits of a signed number, or more of them."""
    missing = bits - len(number)
    return Cat(number, number[-1].replicate(missing)) if missing > 0 else number[:bits]
