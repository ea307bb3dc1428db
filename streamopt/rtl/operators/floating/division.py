"""Quotients and square roots digit by digit: a subtraction and a choice for every bit."""

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.float_format import FloatFormat
from streamopt.rtl.operators.floating.fields import fields
from streamopt.rtl.operators.floating.rounding import Unrounded, rounded
from streamopt.rtl.operators.stages import CutPlaces


def quotient_places(form: FloatFormat) -> int:
    """Return the places of registers of a divider."""
    return form.significand_bits + 6


def root_places(form: FloatFormat) -> int:
    """Return the places of registers of a square root."""
    return form.significand_bits + 4


def divide(stages: CutPlaces, form: FloatFormat, left: Value, right: Value) -> Value:
    """Return ``left / right``; infinite for a zero below."""
    bits, wide = form.significand_bits, form.exponent_bits + 2
    one, other = fields(form, left), fields(form, right)
    is_nan = one.is_nan | other.is_nan | (one.is_zero & other.is_zero)
    is_nan = is_nan | (one.is_special & other.is_special)
    is_infinite = one.is_special | other.is_zero
    is_zero = one.is_zero | other.is_special
    sign = one.sign ^ other.sign
    exponent = (one.exponent - other.exponent + form.bias)[:wide]
    rest, divisor, exponent, marks = stages.cut(
        one.significand, other.significand, exponent, Cat(is_nan, is_infinite, is_zero, sign)
    )
    digits: list[Value] = []
    for _ in range(bits + 2):
        left_over = stages.named((Cat(rest, Const(0, 1)) - divisor)[: bits + 1])
        digit = ~left_over[-1]
        rest = Cat(Const(0, 1), Mux(digit, left_over[:bits], rest[:bits]))[: bits + 1]
        rest, divisor, exponent, marks, *digits = stages.cut(
            rest, divisor, exponent, marks, *digits, digit
        )
    whole = Cat(*reversed(digits))
    is_small = ~digits[0]
    significand = Cat(rest.any(), Mux(is_small, Cat(Const(0, 1), whole[:-1]), whole))
    exponent = (exponent - is_small)[:wide]
    significand, exponent, marks = stages.cut(significand, exponent, marks)
    is_nan, is_infinite, is_zero, sign = (marks[place] for place in range(4))
    significand = Cat(significand[:-1], ~is_zero | is_infinite)
    return rounded(stages, form, Unrounded(sign, exponent, significand, is_nan, is_infinite))


def square_root(stages: CutPlaces, form: FloatFormat, number: Value) -> Value:
    """Return the square root: no number of one below zero, and minus zero of minus zero."""
    bits, wide = form.significand_bits, form.exponent_bits + 2
    one = fields(form, number)
    is_nan = one.is_nan | (one.sign & ~one.is_zero)
    is_odd = ~one.exponent[0]
    exponent = Cat((one.exponent + form.bias)[1 : form.exponent_bits + 1], Const(0, 2))
    radicand = Mux(is_odd, Cat(Const(0, 1), one.significand), Cat(one.significand, Const(0, 1)))
    radicand, exponent, marks = stages.cut(
        radicand, exponent[:wide], Cat(is_nan, one.is_special, one.is_zero, one.sign)
    )
    rest: Value = Const(0, 1)
    root: Value = Const(0, 0)
    for place in range(bits + 1):
        at = bits - 2 * place - 1
        following = radicand[at : at + 2] if at >= 0 else Cat(Const(0, 1), radicand[0])
        following = following if at >= -1 else Const(0, 2)
        rest = Cat(following, rest)
        tried = Cat(Const(1, 2), root)
        width = max(len(rest), len(tried)) + 1
        left_over = stages.named((rest - tried)[:width])
        digit = ~left_over[-1]
        rest = Mux(digit, left_over, rest)[: place + 2]
        root = Cat(digit, root)
        rest, root, radicand, exponent, marks = stages.cut(rest, root, radicand, exponent, marks)
    is_nan, is_infinite, is_zero, sign = (marks[place] for place in range(4))
    significand = Cat(rest.any(), root[:-1], ~is_zero)
    return rounded(stages, form, Unrounded(sign, exponent, significand, is_nan, is_infinite))
