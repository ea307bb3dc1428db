"""Product of two floating-point numbers."""

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.float_format import FloatFormat
from streamopt.rtl.operators.floating.fields import fields
from streamopt.rtl.operators.floating.rounding import Unrounded, rounded
from streamopt.rtl.operators.stages import CutPlaces

PLACES = (5, 3, 2, 4, 1)
"""Places of registers, the most useful first."""


def multiply(stages: CutPlaces, form: FloatFormat, left: Value, right: Value) -> Value:
    """Return ``left * right``."""
    left, right = stages.cut(left, right)
    one, other = fields(form, left), fields(form, right)
    is_zero = one.is_zero | other.is_zero
    is_special = one.is_special | other.is_special
    is_nan = one.is_nan | other.is_nan | (is_special & is_zero)
    sign = one.sign ^ other.sign
    # The sum of the exponents and 1, in one chain of carries, less the power of two bias + 1.
    low = form.exponent_bits - 1
    sums = (Cat(Const(1, 1), one.exponent) + Cat(Const(1, 1), other.exponent))[1 : low + 3]
    exponent = Cat(sums[:low], (sums[low:] - 1)[:3])
    product = one.significand * other.significand
    product, exponent, sign, is_zero, is_special, is_nan = stages.cut(
        product, exponent, sign, is_zero, is_special, is_nan
    )
    (product, exponent, sign, is_zero, is_special, is_nan) = stages.cut(
        product, exponent, sign, is_zero, is_special, is_nan
    )
    top = product[-1]
    below = form.significand_bits - 2
    rest = Cat(product[:below].any(), product[below:])
    significand = Mux(top, rest, Cat(Const(0, 1), rest)[: len(rest)])
    significand = Cat(significand[:-1], ~is_zero)
    return rounded(stages, form, Unrounded(sign, exponent, significand, is_nan, is_special, top))
