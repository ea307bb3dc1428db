"""One scalar operation at a time, with the bits that compiled C gives.

Values are Python floats for ``double``, ``numpy.float32`` for ``float``, ``numpy.float16`` for
``half``, and Python integers for the integer types, which wrap around, and for the mantissas of
fixed-point types. Functions of ``half`` are computed in ``float``, as emitted code does. Where
Python raises, C goes on: divisions by zero and overflows give infinities and NaN here too.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from streamopt.ir.element import ElementType
from streamopt.ir.expression import Function

CONVERSIONS: Mapping[ElementType, str] = {
    ElementType.DOUBLE: "float",
    ElementType.FLOAT: "float32",
    ElementType.HALF: "float16",
}
"""Names of the operations that convert to floating-point types."""


class OutsideError(Exception):
    """A subscript is outside its array: (subscript, extent)."""


def _at(subscript: int, extent: int) -> int:
    if 0 <= subscript < extent:
        return subscript
    raise OutsideError(subscript, extent)


def _divided(left: float, right: float) -> float:
    try:
        return left / right
    except ZeroDivisionError:
        sign = math.copysign(1.0, left) * math.copysign(1.0, right)
        return math.nan if left == 0.0 or math.isnan(left) else sign * math.inf


def quotient(left: int, right: int) -> int:
    """Return C's quotient, rounded towards zero; 0 where C leaves it undefined."""
    if right == 0:
        return 0
    size = abs(left) // abs(right)
    return size if (left < 0) == (right < 0) else -size


def _remainder(left: int, right: int) -> int:
    return left - right * quotient(left, right) if right else 0


def _whole(value: float) -> int:
    return int(value) if math.isfinite(value) else 0


def _largest(left: Any, right: Any) -> Any:
    if left != left:  # NaN, of any floating-point type
        return right
    return right if right > left else left


def _smallest(left: Any, right: Any) -> Any:
    if left != left:
        return right
    return right if right < left else left


def _guarded(function: Callable[..., float], overflow: float) -> Callable[..., float]:
    def call(*values: float) -> float:
        try:
            return float(function(*values))
        except OverflowError:
            return overflow
        except ValueError:
            return math.nan

    return call


def _logarithm(value: float) -> float:
    return -math.inf if value == 0.0 else math.log(value)


def _kept(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: float(function(value)) if math.isfinite(value) else value


_DOUBLE: Mapping[str, Callable[..., float]] = {
    **{f.value: _guarded(f.of_reals, math.inf) for f in Function if not f.keeps_type},
    "log": _guarded(_logarithm, math.inf),
    **{f.value: _kept(f.of_reals) for f in (Function.FLOOR, Function.CEIL)},
    **{f.value: _kept(f.of_reals) for f in (Function.TRUNC, Function.ROUND)},
}


def _single(function: Callable[..., float]) -> Callable[..., np.float32]:
    return lambda *values: np.float32(function(*map(float, values)))


def _half(function: Callable[..., float]) -> Callable[..., np.float16]:
    return lambda *values: np.float16(_single(function)(*values))


def mantissa(value: float, element: str) -> int:
    """Return a number converted to a fixed-point type; 0 where it is infinite or not a number."""
    form = ElementType(element).fixed_point
    return form.mantissa(Fraction(float(value))) if math.isfinite(value) else 0


def _moved(whole: int, shift: int, element: str) -> int:
    """Return a mantissa with ``shift`` bits dropped behind the point, in another format."""
    form = ElementType(element).fixed_point
    if shift <= 0:
        return form.contained(whole << -shift)
    if form.rounds:
        whole += 1 << (shift - 1)
    return form.contained(whole >> shift)


def _number(whole: int, fraction_bits: int) -> float:
    return math.ldexp(whole, -fraction_bits)


_INTEGERS = (
    *(element for element in ElementType if element.is_integer),
    *(ElementType(f"ap_{kind}<{bits}>") for kind in ("int", "uint") for bits in range(1, 65)),
)


def _wrapping(element: ElementType) -> Callable[[int], int]:
    span = 1 << element.bits
    half = span >> 1 if element.is_signed else 0
    return lambda value: (value + half) % span - half


def wrap_name(element: ElementType) -> str:
    """Return the name of the operation that brings an integer into a type's range."""
    return f"wrap_{element.rstrip('>').replace('<', '_')}"


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "at": _at,
    "float32": np.float32,
    "float16": np.float16,
    "mantissa": mantissa,
    "moved": _moved,
    "number": _number,
    "divided": _divided,
    "quotient": quotient,
    "remainder": _remainder,
    "whole": _whole,
    "largest": _largest,
    "smallest": _smallest,
    **{f"{name}_double": function for name, function in _DOUBLE.items()},
    **{f"{name}_float": _single(function) for name, function in _DOUBLE.items()},
    **{f"{name}_half": _half(function) for name, function in _DOUBLE.items()},
    **{wrap_name(element): _wrapping(element) for element in _INTEGERS},
}
"""Operations of generated code, by name."""
