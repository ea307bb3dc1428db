"""``log(x)`` as ``e log(2) + z g(z)``, with ``x = 2**e (1 + z)`` and a table for ``g``.

``1 + z`` is between about 0.7 and 1.4, so that ``e`` is 0 around 1, where the exact ``z`` keeps all
digits of a small logarithm.
"""

from __future__ import annotations

from functools import cache
from math import log, log1p

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.float_format import HALF, FloatFormat
from streamopt.rtl.operators.floating.fields import fields
from streamopt.rtl.operators.floating.rounding import Unrounded, leading_zeros, rounded
from streamopt.rtl.operators.functions.pieces import Pieces, evaluated, fitted, places
from streamopt.rtl.operators.stages import CutPlaces

_DEGREE = 2
_MORE_BITS = 4
"""Of a value of ``g``, behind the last of a significand."""


def logarithm_places(form: FloatFormat) -> int:
    """Return the places of registers."""
    return places(_DEGREE) + 7


def _index_bits(form: FloatFormat) -> int:
    return 4 if form is HALF else 8


def _first_halved(form: FloatFormat) -> int:
    """Return the first piece whose numbers are halved: of those from 1.4375 on."""
    return 7 * (1 << _index_bits(form)) // 16


@cache
def _pieces(form: FloatFormat) -> Pieces:
    count, halved = 1 << _index_bits(form), _first_halved(form)

    def value(piece: int, t: float) -> float:
        z = (piece + 0.5 + t) / count
        if piece >= halved:
            z = (z - 1) / 2
        return log1p(z) / z if z else 1.0

    return fitted(value, count, _DEGREE, form.significand_bits + _MORE_BITS)


def logarithm(stages: CutPlaces, form: FloatFormat, number: Value) -> Value:
    """Return ``log(number)``: minus infinity of zeros, and no number of those below zero."""
    one, digits = fields(form, number), form.significand_bits
    rest = form.fraction_bits - _index_bits(form)
    index = one.fraction[rest:]
    t = Cat(one.fraction[: rest - 1], ~one.fraction[rest - 1])
    is_halved = index >= _first_halved(form)
    # in units of 2**-digits
    z = Mux(is_halved, one.fraction - (1 << form.fraction_bits), Cat(Const(0, 1), one.fraction))
    power = (one.exponent - form.bias + is_halved)[: form.exponent_bits + 1]
    is_nan = one.is_nan | (one.sign & ~one.is_zero)
    marks = Cat(is_nan, one.is_special & ~one.sign, one.is_zero)
    index, t, z, power, marks = stages.cut(index, t, z[: digits + 1], power, marks)
    value, z, power, marks = evaluated(stages, _pieces(form), index, t, z, power, marks)
    unit = 2 * digits + _MORE_BITS
    product = z.as_signed() * value.as_signed()
    ln2_bits = digits + _MORE_BITS + form.exponent_bits + 1
    constant = power.as_signed() * Const(round(log(2) * (1 << ln2_bits)), ln2_bits + 1)
    product, constant, marks = stages.cut(product, constant, marks)
    assert unit >= ln2_bits
    moved = Cat(Const(0, unit - ln2_bits), constant).as_signed()
    width = unit + form.exponent_bits + 1
    total, marks = stages.cut((product.as_signed() + moved)[:width], marks)
    sign = total[-1]
    magnitude = Mux(sign, -total, total)[:width]
    magnitude, sign, marks = stages.cut(magnitude, sign, marks)
    zeros = leading_zeros(stages, magnitude)
    magnitude, zeros, sign, marks = stages.cut(magnitude, zeros, sign, marks)
    significand = (magnitude << zeros)[width - digits - 3 : width]
    wide = form.exponent_bits + 2
    exponent = (Const(form.bias + form.exponent_bits, wide) - zeros)[:wide]
    sign = (sign & ~marks[1]) | marks[2]
    is_infinite = marks[1] | marks[2]
    return rounded(stages, form, Unrounded(sign, exponent, significand, marks[0], is_infinite))
