"""C++ text of numbers: the shortest that gives them back."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir.element import ElementType

__all__ = ["literal"]

_NUMBERS = {
    ElementType.HALF: np.float16,
    ElementType.FLOAT: np.float32,
    ElementType.DOUBLE: np.float64,
}


def literal(value: float, element: ElementType) -> str:
    """Return the shortest text that gives back a value in an element type.

    Raises
    ------
    CodegenError
        E601 for what is no number of the type: NaN, a finite number beyond its range, and an
        infinity where it has none.

    Examples
    --------
    >>> literal(0.1, ElementType.FLOAT), literal(3, ElementType("int8_t"))
    ('0.1f', '3')
    """
    if math.isinf(value) and element.is_float:
        text = {ElementType.FLOAT: "{}"}.get(element, f"{element}({{}})")
        return text.format("-INFINITY" if value < 0 else "INFINITY")
    if not math.isfinite(value):
        raise CodegenError(Diagnostic("E601", f"literal {value} is not a finite {element}"))
    if element.is_fixed:
        form = element.fixed_point
        return f"{element}({float(form.number(form.mantissa(Fraction(value))))!r})"
    if not element.is_float:
        return f"INT64_C({int(value)})" if element.bits == 64 else str(int(value))
    with np.errstate(over="ignore"):
        number = _NUMBERS[element](value)
    if not np.isfinite(number):
        raise CodegenError(Diagnostic("E601", f"literal {value} is not a finite {element}"))
    if element is ElementType.HALF:
        return f"half({float(number)!r}f)"
    return str(number) if element is ElementType.DOUBLE else f"{number!s}f"
