"""Quotients and remainders of whole numbers, digit by digit, cut off towards zero as in C."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Mux, Value

from streamopt.rtl.operators.number_format import WholeFormat
from streamopt.rtl.operators.stages import CutPlaces


def rows(dividend: WholeFormat) -> int:
    """Return the places of registers."""
    return dividend.bits + 1


def divided(
    stages: CutPlaces, forms: tuple[WholeFormat, WholeFormat], left: Value, right: Value
) -> tuple[Value, Value]:
    """Return quotient and remainder of two mantissas, in two's complement; 0 and 0 by zero."""
    dividend, left_sign = _magnitude(forms[0], left)
    divisor, right_sign = _magnitude(forms[1], right)
    marks = Cat(left_sign, left_sign ^ right_sign, divisor == 0)
    dividend, divisor, marks = stages.cut(dividend, divisor, marks)
    bits, width = forms[0].bits, forms[1].bits
    rest: Value = Const(0, width)
    digits: list[Value] = []
    for at in reversed(range(bits)):
        tried = Cat(dividend[at], rest)
        left_over = stages.named((tried - divisor)[: width + 2])
        digit = ~left_over[-1]
        rest = Mux(digit, left_over[:width], tried[:width])[:width]
        rest, dividend, divisor, marks, *digits = stages.cut(
            rest, dividend, divisor, marks, *digits, digit
        )
    quotient = Mux(marks[2], 0, Cat(*reversed(digits)))[:bits]
    rest = Mux(marks[2], 0, rest)[:width]
    return _signed(quotient, marks[1]), _signed(rest, marks[0])


def _magnitude(form: WholeFormat, number: Value) -> tuple[Value, Value]:
    if not form.is_signed:
        return number, Const(0, 1)
    sign = number[-1]
    return (Mux(sign, -number.as_signed(), number))[: form.bits], sign


def _signed(magnitude: Value, sign: Value) -> Value:
    return Mux(sign, -magnitude, Cat(magnitude, Const(0, 1)).as_signed())[
        : len(magnitude) + 1
    ].as_signed()
