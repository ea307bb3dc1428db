"""Fused multiply-add: a product and a sum, rounded once.

The addend is moved to the product in a window of ``3 p + 2`` bits for significands of ``p``: the
addend's place at most ``p + 2`` bits above the product's, the product, and a bit for all that is
lost below. An addend that is further above leaves of the product only that bit.
"""

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

PLACES = (8, 4, 2, 6, 5, 3, 7, 1)
"""Places of registers, the most useful first."""


def multiply_add(
    stages: CutPlaces, form: FloatFormat, left: Value, right: Value, addend: Value
) -> Value:
    """Return ``left * right + addend``."""
    bits, width = form.significand_bits, 3 * form.significand_bits + 2
    wide = form.exponent_bits + 2
    left, right, addend = stages.cut(left, right, addend)
    one, other, third = (fields(form, number) for number in (left, right, addend))
    no_product, no_addend = one.is_zero | other.is_zero, third.is_zero
    is_infinite = one.is_special | other.is_special
    sign = one.sign ^ other.sign
    differ = sign ^ third.sign
    is_nan = one.is_nan | other.is_nan | third.is_nan | (is_infinite & no_product)
    is_nan = is_nan | (is_infinite & third.is_special & differ)
    is_special = is_infinite | third.is_special
    special_sign = Mux(third.is_special, third.sign, sign)
    exponent = (one.exponent + other.exponent - form.bias)[:wide]
    distance = (exponent - third.exponent + (bits + 2))[:wide]
    is_far = no_product | (distance[-1] & ~no_addend)
    distance = Mux(is_far | no_addend, 0, distance)[: wide - 1]
    base = Mux(is_far, third.exponent + 1, exponent + (bits + 3))[:wide]
    product = one.significand * other.significand
    moving = Mux(no_addend, 0, third.significand)[:bits]
    product, moving, distance, base, sign, differ, is_far, no_product, special = stages.cut(
        product,
        moving,
        distance,
        base,
        sign,
        differ,
        is_far,
        no_product,
        Cat(is_nan, is_special, special_sign),
    )
    moved = shifted_right(Cat(Const(0, width - bits), moving), distance, width)
    staying = Mux(is_far, Cat(~no_product, Const(0, 2 * bits)), Cat(Const(0, 1), product))
    moved, staying, base, sign, differ, special = stages.cut(
        moved, staying, base, sign, differ, special
    )
    inverted = Cat(differ, moved ^ differ.replicate(width), differ, differ)
    total = (Cat(differ, staying, Const(0, width + 2 - len(staying))) + inverted)[1 : width + 3]
    total, base, sign, differ, special = stages.cut(total, base, sign, differ, special)
    is_negative = total[-1]
    flips = is_negative.replicate(width + 1)
    total = (Cat(is_negative, total[:-1] ^ flips) + is_negative)[1 : width + 2]
    sign = (sign ^ is_negative) & ~(differ & ~total.any())
    sign = Mux(special[1], special[2], sign)
    total, base, sign, special = stages.cut(total, base, sign, special[:2])
    zeros = leading_zeros(stages, total)
    total, zeros, base, sign, special = stages.cut(total, zeros, base, sign, special)
    significand = (total << zeros)[: width + 1]
    base = (base - zeros)[:wide]
    return rounded(stages, form, Unrounded(sign, base, significand, special[0], special[1]))
