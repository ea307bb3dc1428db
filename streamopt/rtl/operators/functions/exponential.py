"""``b**x`` as ``2**k 2**f`` with ``k + f = x log2(b)``, and a table for ``2**f``."""

from __future__ import annotations

from functools import cache
from math import log2

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.float_format import HALF, FloatFormat
from streamopt.rtl.operators.floating.fields import fields
from streamopt.rtl.operators.floating.rounding import Unrounded, rounded
from streamopt.rtl.operators.functions.pieces import Pieces, evaluated, fitted, places
from streamopt.rtl.operators.stages import CutPlaces

_DEGREE = 2


def exponential_places(form: FloatFormat) -> int:
    """Return the places of registers."""
    return places(_DEGREE) + 5


@cache
def _pieces(form: FloatFormat) -> Pieces:
    count = 1 << _index_bits(form)
    return fitted(
        lambda piece, t: 2.0 ** ((piece + 0.5 + t) / count),
        count,
        _DEGREE,
        _fraction_bits(form) + 1,
    )


def _index_bits(form: FloatFormat) -> int:
    return 4 if form is HALF else 8


def _fraction_bits(form: FloatFormat) -> int:
    """Return the bits of ``f``."""
    return form.significand_bits + 2


def exponential(stages: CutPlaces, form: FloatFormat, number: Value, *, base: float) -> Value:
    """Return ``base**number``, of a base from 2 up to 4."""
    one, behind, whole = fields(form, number), _fraction_bits(form), form.exponent_bits
    scale = behind + whole + 1
    product = one.significand * Const(round(log2(base) * (1 << scale)), scale + 1)
    last = form.bias + whole - 2
    """Exponent field of the largest numbers whose exponentials are neither 0 nor infinite."""
    is_far = one.exponent > last
    distance = Mux(is_far, 0, last - one.exponent)[: form.exponent_bits]
    marks = Cat(one.is_nan, is_far, one.sign, one.is_zero)
    product, distance, marks = stages.cut(product, distance, marks)
    window = product[form.significand_bits + scale - whole - behind :]
    shifted, marks = stages.cut((window >> distance)[: len(window)], marks)
    shifted = Mux(marks[3], 0, shifted)
    signed = (Mux(marks[2], -shifted, shifted) + 1) >> 1
    total, marks = stages.cut(signed[: whole + behind + 1], marks)
    t_bits = behind - _index_bits(form)
    index, power = total[t_bits:behind], total[behind:]
    t = Cat(total[: t_bits - 1], ~total[t_bits - 1])
    value, power, marks = evaluated(stages, _pieces(form), index, t, power, marks)
    digits = behind + 1
    # at the ends of [1, 2) the polynomial may be out of it
    within = Mux(value[digits], value[: digits + 1], 1 << digits)
    significand = Mux(value[digits + 1], (1 << (digits + 1)) - 1, within)[: digits + 1]
    wide = form.exponent_bits + 2
    exponent = (power.as_signed() + form.bias)[:wide]
    is_large = marks[1] & ~marks[2]
    significand = Mux(marks[1] & marks[2], 0, significand)[: digits + 1]
    return rounded(stages, form, Unrounded(Const(0, 1), exponent, significand, marks[0], is_large))
