"""``1 / x``, rounded to the nearest: a table says in which interval it is, a product in which half.

With a significand ``m`` in ``(1, 2)``, ``2 / m`` is approximated to less than a quarter of a last
place. It is cut off to ``j``, and ``j + 1/2`` (in last places) times ``m`` says on which side of
it ``2 / m`` is. Where the approximation is in the next interval, its end is the nearest number.
"""

from __future__ import annotations

from functools import cache

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.float_format import HALF, FloatFormat
from streamopt.rtl.operators.floating.fields import fields
from streamopt.rtl.operators.floating.rounding import Unrounded, rounded
from streamopt.rtl.operators.functions.pieces import Pieces, evaluated, fitted, places
from streamopt.rtl.operators.stages import CutPlaces

_DEGREE = 2


def reciprocal_places(form: FloatFormat) -> int:
    """Return the places of registers."""
    return places(_DEGREE) + 5


def _index_bits(form: FloatFormat) -> int:
    return 4 if form is HALF else 8


@cache
def _pieces(form: FloatFormat) -> Pieces:
    count = 1 << _index_bits(form)
    return fitted(
        lambda piece, t: 2.0 / (1 + (piece + 0.5 + t) / count),
        count,
        _DEGREE,
        form.fraction_bits + 5,
    )


def reciprocal(stages: CutPlaces, form: FloatFormat, number: Value) -> Value:
    """Return ``1 / number``; infinite for zeros."""
    one, rest = fields(form, number), form.fraction_bits - _index_bits(form)
    t = Cat(one.fraction[: rest - 1], ~one.fraction[rest - 1])
    is_power = one.fraction == 0
    wide = form.exponent_bits + 2
    exponent = (Const(2 * form.bias - 1, wide) - one.exponent + is_power)[:wide]
    is_small = one.is_special & ~one.is_nan
    marks = Cat(one.is_nan, one.is_zero, is_small, is_power, one.sign)
    index, t, m, exponent, marks = stages.cut(
        one.fraction[rest:], t, one.significand, exponent, marks
    )
    value, m, exponent, marks = evaluated(stages, _pieces(form), index, t, m, exponent, marks)
    whole = value[5 : form.fraction_bits + 6]
    whole = Mux(whole[-1], whole, 1 << form.fraction_bits)[: form.significand_bits]
    middle = Cat(Const(1, 1), whole)
    whole, middle, m, exponent, marks = stages.cut(whole, middle, m, exponent, marks)
    product = middle * m
    whole, product, exponent, marks = stages.cut(whole, product, exponent, marks)
    is_above = product < 1 << (2 * form.fraction_bits + 2)
    significand = Mux(marks[3], 1 << form.fraction_bits, whole)[: form.significand_bits]
    significand = Cat(~marks[3], is_above & ~marks[3], significand[:-1], ~marks[2])
    return rounded(stages, form, Unrounded(marks[4], exponent, significand, marks[0], marks[1]))
