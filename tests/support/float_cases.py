"""Operands of floating-point operators as bits, and correct results by NumPy.

A result is rounded once, with an exponent that has no end; then what is below the least normal
number is a zero. That is made in float64, which has room for what half and float need.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from streamopt.rtl.operators.float_format import FloatFormat

Bits = NDArray[np.uint64]
Reals = NDArray[np.float64]
_TYPES = {16: (np.uint16, np.float16), 32: (np.uint32, np.float32), 64: (np.uint64, np.float64)}


def specials(form: FloatFormat) -> Bits:
    """Return numbers at the ends of everything, of both signs."""
    fraction = form.fraction_bits
    ones, top = (1 << fraction) - 1, form.special
    exponents = (0, 1, 2, fraction, form.bias - 1, form.bias, form.bias + 1, form.bias + fraction)
    exponents = (*exponents, form.bias + fraction + 1, top - 2, top - 1, top)
    digits = (0, 1, 2, ones >> 1, (ones >> 1) + 1, (ones >> 1) + 2, ones - 1, ones)
    found = [e << fraction | d for e in exponents for d in digits]
    sign = 1 << (form.bits - 1)
    return np.array([*found, *(f | sign for f in found)], np.uint64)


def operands(form: FloatFormat, count: int, seed: int) -> tuple[Bits, Bits, Bits]:
    """Return all pairs of specials with random ones, then random operands of several kinds."""
    rng = np.random.default_rng(seed)
    some = specials(form)
    left, right = (part.ravel() for part in np.meshgrid(some, some))
    third = some[rng.integers(0, some.size, left.size)]
    first, second, last = (_random(rng, form, count) for _ in range(3))
    near = rng.integers(0, 4, count) == 0  # exponents that are close, so that sums cancel
    shift = rng.integers(-2, 3, count).astype(np.int64) << form.fraction_bits
    magnitude = np.uint64((1 << (form.bits - 1)) - 1)
    moved = ((first & magnitude).astype(np.int64) + shift).astype(np.uint64) & magnitude
    second = np.where(near, moved ^ (second & ~magnitude), second)
    product = _product_near(form, first, second)
    last = np.where(rng.integers(0, 3, count) == 0, product, last)
    return (
        np.concatenate([left, first]),
        np.concatenate([right, second]),
        np.concatenate([third, last]),
    )


def _random(rng: np.random.Generator, form: FloatFormat, count: int) -> Bits:
    bits = rng.integers(0, (1 << form.bits) - 1, count, np.uint64, endpoint=True)
    sparse = bits & rng.integers(0, (1 << form.bits) - 1, count, np.uint64, endpoint=True)
    return np.where(rng.integers(0, 4, count) == 0, sparse, bits)


def _product_near(form: FloatFormat, left: Bits, right: Bits) -> Bits:
    """Return numbers close to minus the products of others."""
    if form.bits == 64:
        return left
    with np.errstate(all="ignore"):
        return encoded(form, -real(form, left) * real(form, right))


def real(form: FloatFormat, bits: Bits) -> Reals:
    """Return the numbers of bits, subnormal ones as zeros."""
    whole, part = _TYPES[form.bits]
    numbers = bits.astype(whole).view(part).astype(np.float64)
    return np.where(np.abs(numbers) < _least(form), np.copysign(0.0, numbers), numbers)


def _least(form: FloatFormat) -> float:
    return float(np.ldexp(1.0, 1 - form.bias))


def encoded(form: FloatFormat, numbers: Reals) -> Bits:
    """Return the bits of numbers, rounded to nearest even and flushed; NaN as the quiet one."""
    whole, part = _TYPES[form.bits]
    digits, exponents = np.frexp(numbers)
    near = np.ldexp(
        np.rint(np.ldexp(digits, form.significand_bits)), exponents - form.significand_bits
    )
    near = np.where(np.isfinite(numbers), near, numbers)
    near = np.where(np.abs(near) < _least(form), np.copysign(0.0, near), near)
    found = near.astype(part).view(whole).astype(np.uint64)
    quiet = np.uint64((form.special << form.fraction_bits) | (1 << (form.fraction_bits - 1)))
    return np.where(np.isnan(near), quiet, found)


def sum_to_odd(left: Reals, right: Reals) -> Reals:
    """Return sums that are odd in the last place where they are not exact (Boldo, Melquiond 2008).

    So that rounding to half the digits afterwards is as if there was none before.
    """
    total = left + right
    there = total - left
    error = (left - (total - there)) + (right - there)
    inexact = np.isfinite(error) & (error != 0) & (total.view(np.uint64) & np.uint64(1) == 0)
    other = np.nextafter(total, np.where(error > 0, np.inf, -np.inf))
    return np.where(inexact, other, total)


def apart(by: Callable[[Reals, Reals], Reals], sign: int, left: Reals, right: Reals) -> Reals:
    """Return products or quotients in float64, rounded once with an exponent that has no end.

    Parameters
    ----------
    by
        Of the digits.
    sign
        With which the second exponent is added.
    """
    (one, first), (other, second) = np.frexp(left), np.frexp(right)
    digits, more = np.frexp(by(one, other))
    exponents = more.astype(np.int64) + first + sign * second.astype(np.int64)
    below = np.isfinite(digits) & (exponents < -1021)
    return np.where(below, np.copysign(0.0, digits), np.ldexp(digits, exponents.clip(-2000, 2000)))
