"""Integer arithmetic in the reference interpreter: exact, wrapping around as the hardware does.

Values are carried as doubles next to floating-point ones, so integers beyond ``2**53`` have no
finite bound. An integer that comes from an inexact floating-point value may be off by the bound
and, as it is cut off, by one more; operations pass that on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from streamopt.ir.expression import BinaryOp, Function
from streamopt.verification.reference.bounded_array import Bounded
from streamopt.verification.reference.error_bounds import Reals

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.element import ElementType
    from streamopt.verification.reference.bounded_array import FloatArray

__all__ = ["Integers"]

_EXACT = 2.0**53


@dataclass(frozen=True, slots=True)
class Integers:
    """The operations in one integer type."""

    element: ElementType

    @property
    def largest(self) -> float:
        """Return the bound beyond which nothing is promised."""
        return _EXACT

    def literal(self, value: float) -> Bounded:
        """Return a literal, cut off to an integer."""
        return self.given(np.asarray(value, np.float64))

    def given(self, values: FloatArray) -> Bounded:
        """Return values from outside, cut off to integers."""
        return self._wrapped(np.trunc(values), np.zeros(values.shape))

    def convert(self, operand: Bounded) -> Bounded:
        """Return an operand of any type, cut off towards zero and wrapped."""
        bound = np.where(operand.bound > 0, np.floor(operand.bound) + 1.0, 0.0)
        return self._wrapped(np.trunc(operand.value), bound)

    def binary(self, op: BinaryOp, left: Bounded, right: Bounded) -> Bounded:
        """Return ``left op right``."""
        a, e, b, f = left.value, left.bound, right.value, right.bound
        match op:
            case BinaryOp.ADD:
                return self._wrapped(a + b, e + f)
            case BinaryOp.SUB:
                return self._wrapped(a - b, e + f)
            case BinaryOp.MUL:
                return self._wrapped(a * b, np.abs(a) * f + np.abs(b) * e + e * f)
            case BinaryOp.DIV:
                quotient = np.where(b == 0, 0.0, np.trunc(a / np.where(b == 0, 1.0, b)))
                return self._wrapped(quotient, np.where(f > 0, np.inf, np.where(e > 0, e + 1, 0.0)))
            case BinaryOp.MOD:
                rest = np.where(b == 0, 0.0, np.fmod(a, np.where(b == 0, 1.0, b)))
                return self._wrapped(rest, _unless_exact(e, f))
            case BinaryOp.SHL | BinaryOp.SHR | BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
                bits = _BITS[op](a.astype(np.int64), b.astype(np.int64))
                return self._wrapped(bits.astype(np.float64), _unless_exact(e, f))
            case _:
                assert_never(op)

    def call(self, function: Function, arguments: tuple[Bounded, ...]) -> Bounded:
        """Return a largest, smallest or absolute value."""
        return Reals.extreme_or_absolute(function, arguments)

    def _wrapped(self, value: FloatArray, bound: FloatArray) -> Bounded:
        span = 2.0**self.element.bits
        half = span / 2.0 if self.element.is_signed else 0.0
        inside = (value + bound < span - half) & (value - bound >= -half)
        wrapped = np.mod(value + half, span) - half
        known = (bound == 0) & (np.abs(value) < _EXACT)
        bound = np.where(inside | known, bound, np.inf)
        return Bounded(np.where(inside, value, wrapped), bound, 1.0)


def _unless_exact(left: FloatArray, right: FloatArray) -> FloatArray:
    return np.where((left > 0) | (right > 0), np.inf, 0.0)


_BITS: dict[BinaryOp, Callable[[Any, Any], Any]] = {
    BinaryOp.SHL: np.left_shift,
    BinaryOp.SHR: np.right_shift,
    BinaryOp.AND: np.bitwise_and,
    BinaryOp.OR: np.bitwise_or,
    BinaryOp.XOR: np.bitwise_xor,
}
