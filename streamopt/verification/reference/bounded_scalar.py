"""Scalars that carry a bound on how far another evaluation may be off.

The same standard model as in `streamopt.verification.reference.error_bounds`, one number at a time,
for code whose order can't be changed. Integers are exact or not there: a comparison or a conversion
to an integer that the bounds leave open ends the run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.ir.element import ElementType
from streamopt.ir.expression import Function
from streamopt.verification.exact.scalar_operations import OPERATIONS, mantissa
from streamopt.verification.reference.bounded_array import Bounded
from streamopt.verification.reference.error_bounds import Reals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["BOUNDED_OPERATIONS", "BoundedScalar", "UnsureError", "bounded", "parts"]

_V = 2.0**-53
_SLACK = 1.0 + 2.0**-40
_DIGITS = {ElementType.HALF: 11, ElementType.FLOAT: 24, ElementType.DOUBLE: 53}
_ELEMENTS = {digits: element for element, digits in _DIGITS.items()}
_LIMITS = {
    11: (2.0**-11, 2.0**-14, 65504.0),
    24: (2.0**-24, 2.0**-126, 3.4e38),
    53: (_V, 2.0**-1022, 1.7e308),
}
"""Unit roundoff, smallest normal number and largest number by digits."""


class UnsureError(Exception):
    """The bounds don't tell how a comparison ends, or which integer a number is cut off to."""


@dataclass(frozen=True, slots=True, eq=False)
class BoundedScalar:
    """A double, how far the other evaluation may be off, and how precise that one is.

    Attributes
    ----------
    digits
        Bits of its significands: 11 for ``half``, 24 for ``float``, 53 for ``double``.
    """

    value: float
    bound: float
    digits: int

    def rounded(self, value: float, propagated: float, digits: int) -> BoundedScalar:
        """Return the result of one operation, rounded by both evaluations."""
        unit, tiny, largest = _LIMITS[digits]
        bound = (propagated * (1.0 + unit) + (unit + 2 * _V) * abs(value) + tiny) * _SLACK
        return BoundedScalar(value, bound if abs(value) + bound < largest else math.inf, digits)

    def __add__(self, other: Any) -> BoundedScalar:
        """Return the sum."""
        right = _operand(other)
        total = self.value + right.value
        return self.rounded(total, self.bound + right.bound, max(self.digits, right.digits))

    def __sub__(self, other: Any) -> BoundedScalar:
        """Return the difference."""
        right = _operand(other)
        total = self.value - right.value
        return self.rounded(total, self.bound + right.bound, max(self.digits, right.digits))

    def __mul__(self, other: Any) -> BoundedScalar:
        """Return the product."""
        right = _operand(other)
        propagated = abs(self.value) * right.bound + abs(right.value) * self.bound
        propagated += self.bound * right.bound
        return self.rounded(self.value * right.value, propagated, max(self.digits, right.digits))

    def __truediv__(self, other: Any) -> BoundedScalar:
        """Return the quotient."""
        right = _operand(other)
        digits, size = max(self.digits, right.digits), abs(right.value)
        gap = size - right.bound
        if gap <= 0.0 or size == 0.0:
            return BoundedScalar(math.nan, math.inf, digits)
        propagated = (self.bound * size + abs(self.value) * right.bound) / (size * gap)
        return self.rounded(self.value / right.value, propagated, digits)

    def __radd__(self, other: Any) -> BoundedScalar:
        """Return the sum."""
        return _operand(other) + self

    def __rsub__(self, other: Any) -> BoundedScalar:
        """Return the difference."""
        return _operand(other) - self

    def __rmul__(self, other: Any) -> BoundedScalar:
        """Return the product."""
        return _operand(other) * self

    def __rtruediv__(self, other: Any) -> BoundedScalar:
        """Return the quotient."""
        return _operand(other) / self

    def __abs__(self) -> BoundedScalar:
        """Return the absolute value."""
        return BoundedScalar(abs(self.value), self.bound, self.digits)

    def _gap(self, other: Any) -> float:
        """Return the difference, whose sign is certain."""
        right = _operand(other)
        gap, reach = self.value - right.value, (self.bound + right.bound) * _SLACK
        if reach > 0.0 and not abs(gap) > reach:
            raise UnsureError
        return gap

    def __lt__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) < 0

    def __le__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) <= 0

    def __gt__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) > 0

    def __ge__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) >= 0

    def __eq__(self, other: object) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) == 0

    def __ne__(self, other: object) -> bool:
        """Compare; raises UnsureError."""
        return self._gap(other) != 0


def _operand(value: Any) -> BoundedScalar:
    return value if isinstance(value, BoundedScalar) else BoundedScalar(float(value), 0.0, 53)


def bounded(value: float, bound: float, element: ElementType) -> BoundedScalar | int:
    """Return a scalar of an element type; an integer, or a mantissa, must be known exactly."""
    if element.is_float:
        return BoundedScalar(value, bound, _DIGITS[element])
    if bound > 0.0 or not math.isfinite(value):
        raise UnsureError
    return int(value)


def parts(scalars: Sequence[BoundedScalar | float]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return values and bounds; a number that was never written has an infinite bound."""
    pairs = [(s.value, s.bound) if isinstance(s, BoundedScalar) else (s, 0.0) for s in scalars]
    value, bound = (np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True))
    return value, np.where(np.isnan(value), np.inf, bound)


def _narrowed(value: Any, element: ElementType) -> BoundedScalar:
    operand, digits = _operand(value), _DIGITS[element]
    if operand.digits <= digits:
        return BoundedScalar(operand.value, operand.bound, digits)
    kind = np.float32 if element is ElementType.FLOAT else np.float16
    off = abs(float(kind(operand.value)) - operand.value) if operand.bound == 0.0 else None
    if off is not None:
        return BoundedScalar(operand.value, off, digits)
    return operand.rounded(operand.value, operand.bound, digits)


def _single(value: Any) -> BoundedScalar:
    return _narrowed(value, ElementType.FLOAT)


def _half(value: Any) -> BoundedScalar:
    return _narrowed(value, ElementType.HALF)


def _mantissa(value: Any, element: str) -> int:
    operand = _operand(value)
    if not math.isfinite(abs(operand.value) + operand.bound):
        raise UnsureError
    low = mantissa(operand.value - operand.bound, element)
    if low != mantissa(operand.value + operand.bound, element):
        raise UnsureError
    return low


def _double(value: Any) -> BoundedScalar:
    operand = _operand(value)
    return BoundedScalar(operand.value, operand.bound, 53)


def _whole(value: Any) -> int:
    operand = _operand(value)
    if not math.isfinite(abs(operand.value) + operand.bound):
        raise UnsureError
    low, high = math.trunc(operand.value - operand.bound), math.trunc(operand.value + operand.bound)
    if low != high:
        raise UnsureError
    return low


def _divided(left: Any, right: Any) -> BoundedScalar:
    return _operand(left) / right


def _extreme(function: Function) -> Callable[[Any, Any], Any]:
    def call(left: Any, right: Any) -> Any:
        if not isinstance(left, BoundedScalar) and not isinstance(right, BoundedScalar):
            return max(left, right) if function is Function.MAX else min(left, right)
        return _applied(function, left, right)

    return call


def _applied(function: Function, *arguments: Any) -> BoundedScalar:
    operands = [_operand(argument) for argument in arguments]
    digits = max(operand.digits for operand in operands)
    pairs = tuple(Bounded(np.array(o.value), np.array(o.bound), 0.0) for o in operands)
    with np.errstate(all="ignore"):
        result = Reals(_ELEMENTS[digits]).call(function, pairs)
    return BoundedScalar(float(result.value), float(result.bound), digits)


def _function(function: Function) -> Callable[..., BoundedScalar]:
    return lambda *arguments: _applied(function, *arguments)


BOUNDED_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    **OPERATIONS,
    "float": _double,
    "float32": _single,
    "float16": _half,
    "mantissa": _mantissa,
    "whole": _whole,
    "divided": _divided,
    "largest": _extreme(Function.MAX),
    "smallest": _extreme(Function.MIN),
    **{
        f"{function}_{element}": _function(function)
        for function in [*Function]
        for element in _DIGITS
    },
}
"""What generated code calls when its scalars carry bounds."""
