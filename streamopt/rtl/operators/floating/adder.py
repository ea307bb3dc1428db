"""Sum of two floating-point numbers, in one path: the smaller one is moved to the larger."""

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.float_format import FloatFormat
from streamopt.rtl.operators.floating.fields import fields
from streamopt.rtl.operators.floating.rounding import (
    Unrounded,
    leading_zeros,
    rounded,
    shifted_right,
)
from streamopt.rtl.operators.stages import CutPlaces

PLACES = (8, 4, 2, 6, 5, 1, 7, 3)
"""Places of registers, the most useful first."""
_EXTRA_BITS = 3
"""Guard, round and sticky bit."""


def add(stages: CutPlaces, form: FloatFormat, left: Value, right: Value) -> Value:
    """Return ``left + right``."""
    fraction, width = form.fraction_bits, form.significand_bits + _EXTRA_BITS
    one, other = fields(form, left), fields(form, right)
    swapped = stages.named(one.magnitude < other.magnitude)
    large = Mux(swapped, other.magnitude, one.magnitude)
    small = Mux(swapped, one.magnitude, other.magnitude)
    sign = Mux(swapped, other.sign, one.sign)
    differ = one.sign ^ other.sign
    large, small, sign, differ = stages.cut(large, small, sign, differ)

    exponent, lower = large[fraction:], small[fraction:]
    is_special = exponent.all()
    is_nan = is_special & (large[:fraction].any() | (differ & lower.all()))
    distance = (exponent - lower)[: form.exponent_bits]
    moving = Cat(Const(0, _EXTRA_BITS), Mux(lower.any(), Cat(small[:fraction], Const(1, 1)), 0))
    staying = Mux(exponent.any(), Cat(large[:fraction], Const(1, 1)), 0)
    moving, distance, staying, exponent, sign, differ, is_special, is_nan = stages.cut(
        moving, distance, staying, exponent, sign, differ, is_special, is_nan
    )
    moved = shifted_right(moving, distance, width)
    moved, staying, exponent, sign, differ, is_special, is_nan = stages.cut(
        moved, staying, exponent, sign, differ, is_special, is_nan
    )
    added = Cat(differ, moved ^ differ.replicate(width), differ)
    total = (Cat(differ, Const(0, _EXTRA_BITS), staying, Const(0, 1)) + added)[1 : width + 2]
    total, exponent, sign, differ, is_special, is_nan = stages.cut(
        total, exponent, sign, differ, is_special, is_nan
    )
    zeros = leading_zeros(stages, total)
    sign = sign & ~(differ & ~total.any())
    total, zeros, exponent, sign, is_special, is_nan = stages.cut(
        total, zeros, exponent, sign, is_special, is_nan
    )
    significand = (total << zeros)[: width + 1]
    exponent = (Cat(exponent, Const(0, 2)) - zeros)[: form.exponent_bits + 2]
    significand, exponent, sign, is_special, is_nan = stages.cut(
        significand, exponent, sign, is_special, is_nan
    )
    number = Unrounded(sign, exponent, significand, is_nan, is_special, 1)
    return rounded(stages, form, number)
