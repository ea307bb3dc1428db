"""Elements in files and in a processor's memory: fixed-point numbers are stored as mantissas.

A mantissa takes the smallest power of two of bytes that has room for it, as in the vendor's C++
types; NumPy has all others.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.element import ElementType


def stored(values: NDArray[Any], element: ElementType) -> NDArray[Any]:
    """Return numbers as they are stored, converted to their element type."""
    if element.is_narrow:
        whole, half = values.astype(np.int64), (1 << element.bits >> 1) * element.is_signed
        return (((whole + half) & ((1 << element.bits) - 1)) - half).astype(element.dtype)
    if not element.is_fixed:
        return values.astype(element.dtype)
    return mantissas_of(values.astype(np.float64), element).astype(element.dtype)


def numbers_of(kept: NDArray[Any], element: ElementType) -> NDArray[np.float64]:
    """Return the numbers that are stored, in double precision."""
    values = kept.astype(np.float64)
    if not element.is_fixed:
        return values
    return np.ldexp(values, -element.fixed_point.fraction_bits)


def mantissas_of(values: NDArray[np.float64], element: ElementType) -> NDArray[np.float64]:
    """Return numbers converted to a fixed-point type, as mantissas; 0 where there is no number.

    Exact: scaling by a power of two is, and so is rounding to a whole number. A number beyond
    double precision's whole ones is a multiple of a power of two, and its remainder is exact too.
    """
    form = element.fixed_point
    finite = np.where(np.isfinite(values), values, 0.0)
    scaled = np.ldexp(finite, form.fraction_bits)
    whole = np.floor(scaled)
    if form.rounds:
        whole = whole + (scaled - whole >= 0.5)
    if form.saturates:
        return np.clip(whole, form.lowest, form.highest)
    span = 2.0**form.width_bits
    rest = np.fmod(whole, span)  # exact, unlike a sum with what is far larger
    rest = np.where(rest > form.highest, rest - span, rest)
    return np.where(rest < form.lowest, rest + span, rest)
