"""Integer arithmetic of the reference interpreter, exact on arrays.

Integers wrap around as the hardware's do. They are carried as doubles, in arrays with one beyond
``2**53`` as Python's. One that comes from an inexact floating-point value may be off by the bound
and, as it is cut off, by one more; operations pass that on.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.element import MAX_ELEMENT_BITS, ElementType
from streamopt.ir.expression import BinaryOp, Function
from streamopt.verification.exact.scalar_operations import quotient
from streamopt.verification.reference.bounded_array import Bounded
from streamopt.verification.reference.error_bounds import Reals

if TYPE_CHECKING:
    from streamopt.verification.reference.bounded_array import FloatArray

EXACT = 2.0**53
"""Doubles add and multiply whole numbers exactly up to it."""


@dataclass(frozen=True, slots=True)
class Integers:
    """The operations in one integer type."""

    element: ElementType

    @property
    def largest(self) -> float:
        """Return the bound beyond which nothing is promised."""
        return EXACT

    def literal(self, value: float) -> Bounded:
        """Return a literal, cut off to an integer."""
        return self.given(np.asarray(value, np.float64))

    def given(self, values: FloatArray) -> Bounded:
        """Return values from outside, cut off to integers."""
        return self._wrapped(np.trunc(values), np.zeros(values.shape))

    def convert(self, operand: Bounded) -> Bounded:
        """Return an operand of any type, cut off towards zero and wrapped."""
        bound = np.where(operand.bound > 0, np.floor(operand.bound) + 1.0, 0.0)
        value = operand.value
        return self._wrapped(value if value.dtype == object else np.trunc(value), bound)

    def binary(self, op: BinaryOp, left: Bounded, right: Bounded) -> Bounded:
        """Return ``left op right``."""
        a, e, b, f = left.value, left.bound, right.value, right.bound
        if self._may_be_large(op, a, b):
            found = np.asarray(_LARGE[op](whole(a), whole(b)), object)
            unknown = _is_no_number(a) | _is_no_number(b)
            return self._wrapped(found, np.where(unknown, np.inf, _unless_exact(e, f)))
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

    def _may_be_large(self, op: BinaryOp, left: NDArray[Any], right: NDArray[Any]) -> bool:
        """Return whether a result or an operand may be beyond what doubles hold."""
        if self.element.bits <= MAX_ELEMENT_BITS:
            return False
        if object in (left.dtype, right.dtype):
            return True
        a, b = (float(np.nanmax(np.abs(side), initial=0.0)) for side in (left, right))
        size = {
            BinaryOp.ADD: a + b,
            BinaryOp.SUB: a + b,
            BinaryOp.MUL: a * b,
            BinaryOp.SHL: a * 2.0 ** min(b, self.element.bits),
        }
        return size.get(op, max(a, b)) >= EXACT

    def _wrapped(self, value: NDArray[Any], bound: FloatArray) -> Bounded:
        if self.element.bits > MAX_ELEMENT_BITS:
            least = -EXACT if self.element.is_signed else 0.0
            if value.dtype == object or ((value < least) | (value >= EXACT)).any():
                return self._of_large(value, bound)
        span = 2.0**self.element.bits
        half = span / 2.0 if self.element.is_signed else 0.0
        inside = (value + bound < span - half) & (value - bound >= -half)
        if inside.all() and value.shape == bound.shape:
            return Bounded(value, bound, 1.0)
        wrapped = np.mod(value + half, span) - half
        known = (bound == 0) & (np.abs(value) < EXACT)
        bound = np.where(inside | known, bound, np.inf)
        return Bounded(np.where(inside, value, wrapped), bound, 1.0)

    def _of_large(self, value: NDArray[Any], bound: FloatArray) -> Bounded:
        """Return whole numbers of any size, wrapped."""
        span = 1 << self.element.bits
        half = span >> 1 if self.element.is_signed else 0
        wrapped = np.asarray((whole(value) + half) % span - half, object)
        bound = np.where((bound > 0) | _is_no_number(value), np.inf, bound)
        return Bounded(doubles_or_whole(wrapped), bound, 1.0)


def whole(values: NDArray[Any]) -> NDArray[Any]:
    """Return Python's integers, 0 instead of what is no finite number."""
    return np.asarray(_WHOLE(values), object)


def stored_whole(values: NDArray[Any], element: ElementType) -> NDArray[Any]:
    """Return whole numbers in the type of an array's elements, 0 instead of no number."""
    numbers = whole(values) if values.dtype == object else np.nan_to_num(values)
    return numbers.astype(element.dtype)


def doubles_or_whole(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers as doubles, or as they are if one is beyond what these hold."""
    doubles = values.astype(np.float64)
    return doubles if (np.abs(doubles) < EXACT).all() else values.astype(object)


def as_doubles(operand: Bounded) -> Bounded:
    """Return values as doubles; bounds tell what whole numbers lose by that."""
    if operand.value.dtype != object:
        return operand
    value = operand.value.astype(np.float64)
    off = np.abs(np.asarray(whole(operand.value) - whole(value), np.float64))
    return Bounded(value, operand.bound + off, 0.0 if off.any() else operand.grain)


def _is_no_number(values: NDArray[Any]) -> NDArray[np.bool_]:
    return ~np.isfinite(values.astype(np.float64))


_WHOLE = np.frompyfunc(lambda value: int(value) if math.isfinite(value) else 0, 1, 1)


def _rest(left: int, right: int) -> int:
    return left - quotient(left, right) * right


def _unless_exact(left: FloatArray, right: FloatArray) -> FloatArray:
    return np.where((left > 0) | (right > 0), np.inf, 0.0)


_BITS: dict[BinaryOp, Callable[[Any, Any], Any]] = {
    BinaryOp.SHL: np.left_shift,
    BinaryOp.SHR: np.right_shift,
    BinaryOp.AND: np.bitwise_and,
    BinaryOp.OR: np.bitwise_or,
    BinaryOp.XOR: np.bitwise_xor,
}

_LARGE: dict[BinaryOp, Callable[[Any, Any], Any]] = {
    BinaryOp.ADD: operator.add,
    BinaryOp.SUB: operator.sub,
    BinaryOp.MUL: operator.mul,
    BinaryOp.DIV: np.frompyfunc(quotient, 2, 1),
    BinaryOp.MOD: np.frompyfunc(_rest, 2, 1),
    BinaryOp.SHL: np.frompyfunc(lambda value, by: value << min(max(by, 0), 64), 2, 1),
    BinaryOp.SHR: np.frompyfunc(lambda value, by: value >> min(max(by, 0), 64), 2, 1),
    BinaryOp.AND: lambda left, right: left & right,
    BinaryOp.OR: lambda left, right: left | right,
    BinaryOp.XOR: lambda left, right: left ^ right,
}
