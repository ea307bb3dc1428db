"""Odd functions that go to 1: ``tanh`` and ``erf``, by a table whose pieces grow with ``|x|``.

Each power of two is cut into equal pieces. What is in the table is ``f(x) / 2**E``, with the
exponent ``E`` of ``x``, at most 0: a number from 1/2 to 4. Below the least power of the table the
function is as good as linear, and above the last it is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import erf, tanh

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.float_format import HALF, FloatFormat
from streamopt.rtl.operators.floating.fields import fields
from streamopt.rtl.operators.floating.rounding import Unrounded, rounded
from streamopt.rtl.operators.functions.pieces import Pieces, evaluated, fitted, places
from streamopt.rtl.operators.stages import CutPlaces

_DEGREE = 3
_FUNCTIONS: Mapping[str, tuple[Callable[[float], float], int]] = {
    "tanh": (tanh, 3),
    "erf": (erf, 1),
}
"""With the exponent of the last numbers whose values aren't 1 in single precision."""


def odd_places(form: FloatFormat) -> int:
    """Return the places of registers."""
    return places(_DEGREE) + 3


def _lowest(form: FloatFormat) -> int:
    """Return the exponent below which a function is linear: ``x**2 / 3`` is below an ulp / 50."""
    return -(form.significand_bits // 2) - 3


def _index_bits(form: FloatFormat) -> int:
    return 3 if form is HALF else 5


@cache
def _pieces(name: str, form: FloatFormat) -> Pieces:
    function, last = _FUNCTIONS[name]
    lowest, bits = _lowest(form), _index_bits(form)

    def value(piece: int, t: float) -> float:
        power, part = lowest + (piece >> bits), piece & ((1 << bits) - 1)
        x = 2.0**power * (1 + (part + 0.5 + t) / (1 << bits))
        return function(x) / 2.0 ** min(power, 0)

    count = (last - lowest + 1) << bits
    return fitted(value, count, _DEGREE, form.significand_bits + 4)


def odd(stages: CutPlaces, form: FloatFormat, number: Value, *, name: str) -> Value:
    """Return the function of a number."""
    one, bits = fields(form, number), _index_bits(form)
    lowest, last = form.bias + _lowest(form), form.bias + _FUNCTIONS[name][1]
    is_low, is_one = one.exponent < lowest, one.exponent > last
    row = Mux(is_low | is_one, 0, one.exponent - lowest)[: (last - lowest).bit_length()]
    rest = form.fraction_bits - bits
    index = Cat(one.fraction[rest:], row)
    t = Cat(one.fraction[: rest - 1], ~one.fraction[rest - 1])
    exponent = Mux(one.exponent > form.bias, form.bias, one.exponent)[: form.exponent_bits]
    marks = Cat(one.is_nan, is_one & ~one.is_nan, one.is_zero, one.sign)
    index, t, exponent, marks = stages.cut(index, t, exponent, marks)
    value, exponent, marks = evaluated(stages, _pieces(name, form), index, t, exponent, marks)
    digits = form.significand_bits + 4
    value = value[: digits + 2]
    zeros = Mux(value[digits + 1], 0, Mux(value[digits], 1, 2))[:2]
    significand = (value << zeros)[: digits + 2]
    wide = form.exponent_bits + 2
    field = (Cat(exponent, Const(0, 2)) + 1 - zeros)[:wide]
    above = 1 << (digits + 1)
    significand = Mux(marks[2], 0, Mux(marks[1], above, significand))[: digits + 2]
    field = Mux(marks[1], form.bias, field)[:wide]
    return rounded(stages, form, Unrounded(marks[3], field, significand, marks[0], Const(0, 1)))
