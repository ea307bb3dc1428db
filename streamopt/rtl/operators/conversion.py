"""Conversions among floating-point formats, and from and to whole numbers."""

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.fields import fields
from streamopt.rtl.operators.float_format import FloatFormat
from streamopt.rtl.operators.rounding import Unrounded, leading_zeros, rounded
from streamopt.rtl.operators.stages import CutPlaces

PLACES = (4, 2, 3, 1)
"""Places of registers, the most useful first."""


def to_format(stages: CutPlaces, form: FloatFormat, number: Value, *, into: FloatFormat) -> Value:
    """Return a number in another format."""
    one = fields(form, number)
    wide = max(form.exponent_bits, into.exponent_bits) + 2
    unsigned = Cat(one.exponent, Const(0, wide - form.exponent_bits))
    exponent = (unsigned + (into.bias - form.bias))[:wide].as_signed()
    is_large = exponent >= into.special
    is_small = one.is_zero | (exponent < 0)
    padding = max(0, into.significand_bits + 1 - form.significand_bits)
    significand = Cat(Const(0, padding), one.fraction, ~is_small | is_large)
    marks = Cat(one.is_nan, one.is_special | is_large, one.sign)
    low = exponent[: into.exponent_bits + 2]
    significand, low, marks = stages.cut(significand, low, marks)
    significand, low, marks = stages.cut(significand, low, marks)
    return rounded(stages, into, Unrounded(marks[2], low, significand, marks[0], marks[1]))


def to_integer(
    stages: CutPlaces, form: FloatFormat, number: Value, *, bits: int, is_signed: bool = True
) -> Value:
    """Return a number as a whole one, cut off towards zero.

    What is out of range is the nearest end of it, and 0 what is no number: C leaves both open.
    """
    one = fields(form, number)
    limit = bits - is_signed
    distance = (one.exponent - form.bias)[: form.exponent_bits + 1].as_signed()
    is_small = distance < 0
    is_large = one.is_special | (distance >= limit)
    width = max(form.significand_bits, limit)
    placed = Cat(Const(0, width - form.significand_bits), one.significand)
    drop = (width - 1 - distance)[: width.bit_length()]
    placed, drop, marks = stages.cut(placed, drop, Cat(is_small | one.is_nan, is_large, one.sign))
    moved = (placed >> drop)[:limit]
    moved, marks = stages.cut(moved, marks)
    is_small, is_large, sign = marks[0], marks[1], marks[2]
    moved = Mux(is_small, 0, Mux(is_large, (1 << limit) - 1, moved))[:limit]
    moved, sign, ends = stages.cut(moved, sign, is_large & ~is_small)
    if not is_signed:
        (result,) = stages.cut(Mux(sign, 0, moved))
        return result
    negative = (0 - Cat(moved, Const(0, 1)))[:bits]
    lowest = Const(1 << limit, bits)
    (result,) = stages.cut(Mux(sign, Mux(ends, lowest, negative), Cat(moved, Const(0, 1))))
    return result


def from_integer(
    stages: CutPlaces, form: FloatFormat, number: Value, *, bits: int, is_signed: bool = True
) -> Value:
    """Return a whole number as the nearest of a format."""
    number = number[:bits]
    sign = number[-1] if is_signed else Const(0, 1)
    flips = sign.replicate(bits)
    magnitude = (Cat(sign, number ^ flips) + sign)[1 : bits + 1]
    magnitude, sign = stages.cut(magnitude, sign)
    zeros = leading_zeros(stages, magnitude)
    shifted = (magnitude << zeros)[:bits]
    wide = form.exponent_bits + 2
    exponent = (Const(form.bias + bits - 1, wide) - zeros)[:wide]
    padding = max(0, form.significand_bits + 1 - bits)
    shifted, exponent, sign = stages.cut(Cat(Const(0, padding), shifted), exponent, sign)
    none = Const(0, 1)
    return rounded(stages, form, Unrounded(sign, exponent, shifted, none, none))
