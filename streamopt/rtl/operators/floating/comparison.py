"""Comparisons of floating-point numbers, and the larger and the smaller of two."""

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.float_format import FloatFormat
from streamopt.rtl.operators.floating.fields import Fields, fields
from streamopt.rtl.operators.stages import CutPlaces

PLACES = (2, 1)
"""Places of registers, the most useful first."""


def _flushed(one: Fields) -> Value:
    return Mux(one.is_zero, 0, one.magnitude)[: one.form.bits - 1]


def less(
    stages: CutPlaces, form: FloatFormat, left: Value, right: Value, *, or_equal: bool = False
) -> Value:
    """Return whether ``left < right``, or ``left <= right``; not of what is no number."""
    one, other = fields(form, left), fields(form, right)
    before, after = stages.named(_flushed(one)), stages.named(_flushed(other))
    below, same = before < after, before == after
    none = one.is_zero & other.is_zero
    ordered = ~(one.is_nan | other.is_nan)
    below, same, none, ordered, negative, positive = stages.cut(
        below, same, none, ordered, one.sign, ~other.sign
    )
    strictly = Mux(negative, positive | ~(below | same), positive & below) & ~none
    equal = none | (same & (negative != positive))
    (result,) = stages.cut(ordered & (strictly | (equal if or_equal else 0)))
    return result


def equal(stages: CutPlaces, form: FloatFormat, left: Value, right: Value) -> Value:
    """Return whether ``left == right``; not of what is no number."""
    one, other = fields(form, left), fields(form, right)
    none = one.is_zero & other.is_zero
    ordered = ~(one.is_nan | other.is_nan)
    same, none, ordered = stages.cut(left == right, none, ordered)
    (result,) = stages.cut(ordered & (none | same))
    return result


def larger(
    stages: CutPlaces, form: FloatFormat, left: Value, right: Value, *, or_smaller: bool = False
) -> Value:
    """Return the larger, or the smaller, of two numbers, and the other one of what is none.

    Minus zero is below zero.
    """
    one, other = fields(form, left), fields(form, right)
    before, after = stages.named(_flushed(one)), stages.named(_flushed(other))
    below = before < after
    is_less = Mux(one.sign, ~other.sign | (before > after), ~other.sign & below)
    takes_other = one.is_nan | ((is_less ^ int(or_smaller)) & ~other.is_nan)
    none = one.is_nan & other.is_nan
    takes_other, none, before, after = stages.cut(
        takes_other, none, Cat(before, one.sign), Cat(after, other.sign)
    )
    quiet = Const(form.special << form.fraction_bits | 1 << (form.fraction_bits - 1), form.bits)
    (result,) = stages.cut(Mux(none, quiet, Mux(takes_other, after, before)))
    return result
