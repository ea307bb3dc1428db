"""Floating-point arithmetic that carries a bound on how far another evaluation may be off.

A `Bounded` pair ``(x, e)`` stands for two evaluations of one expression: the reference ``x`` in
double precision, and any ``x'`` in the element type, with ``|x' - x| <= e``. The bounds follow
from the standard model of floating-point arithmetic ([1] section 2.2) by running error analysis
([1] section 3.3), with ``u`` the unit roundoff of the element type, ``v = 2**-53`` that of the
reference and ``t`` the underflow threshold (cores flush subnormal numbers to 0):

    x' = fl(a' op b') = (a' op b')(1 + d') + s',  |d'| <= u, |s'| <= t
    x  =               (a  op b )(1 + d ),        |d | <= v
    |x' - x| <= p (1 + u) + (u + v) |a op b| + t,    p >= |a' op b' - a op b|

and ``p``, the propagated error, is for operands ``(a, e)`` and ``(b, f)``:

    a + b, a - b     e + f
    a * b            |a| f + |b| e + e f
    a / b            (e |b| + |a| f) / (|b| (|b| - f))     for f < |b|, else infinite
    sqrt(a)          e / (sqrt(a) + sqrt(a - e))           for e <= a, else infinite
    exp(a)           exp(a) (exp(e) - 1)
    log(a)           -log(1 - e / a)                       for e < a, else infinite
    tanh(a)          e / cosh(m)**2, at most 2             m = max(|a| - e, 0), the point of the
    erf(a)           e 2/sqrt(pi) exp(-m**2), at most 2    interval nearest to 0
    sin(a), cos(a)   e, at most 2 where the operand can't overflow
    |a|              e                                     exact
    a ** b           largest distance to a corner of the operands' intervals, for a > e;
                     (|a| + e)**b - |a|**b where b is known and a whole number from 1 on
    floor, ceil, rint      distance to the values at the ends of the interval; exact
    max(a, b)        largest distance between max(a, b) and an end of the interval
                     [max(a - e, b - f), max(a + e, b + f)]; exact, min likewise

Exactness is tracked next to the bounds: where the elements with bound 0 are whole multiples of
one power of two, the grain ``g``, so are sums, differences and products of them (grains min and
product; a division by a power of two divides the grain). Such a result of at most ``2**24 g``
(``2**53 g`` in double precision, ``2**11 g`` in half) is a number of the element type: it is
computed without rounding, and its bound is 0.

A select takes the bound of its branch where the operand intervals of its comparison are disjoint
(or points), and else covers both branches. A fused multiply-add drops a rounding and stays
inside. Where a value may leave the range of the element type the bound is infinite.

Where it may only overflow to one side the result has ends instead, which say so and may be infinite
(`streamopt.verification.reference.bounded_array`): masks of attention are ``-inf`` or the lowest
number, and the exponential of what they leave is 0.

`FUNCTION_ULPS` replaces ``u`` by ``2 * FUNCTION_ULPS * u`` for exp, log, tanh and erf: the C
library's own measurements are at most 2 ulps [2], the cores' at most 1 for exp and log [3], and an
ulp is at most ``2u`` times the value.

References
----------
[1] Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002.
[2] The GNU C Library manual, "Known Maximum Errors in Math Functions".
[3] AMD, Floating-Point Operator LogiCORE IP Product Guide (PG060).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import erf, inf, nan, pi
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.expression import BinaryOp, Function
from streamopt.ir.program import ElementType
from streamopt.verification.reference.bounded_array import (
    SLACK,
    Bounded,
    V,
    corners,
    image,
    interval,
    product_ends,
    product_error,
    quotient_ends,
    quotient_error,
    settled,
)

if TYPE_CHECKING:
    from streamopt.verification.reference.bounded_array import Ends, FloatArray, Truth

FUNCTION_ULPS = 4
"""Stated accuracy of exp, log, tanh and erf in units in the last place, on every platform."""


@dataclass(frozen=True, slots=True)
class Reals:
    """The operations in one floating-point type; see the module for the bounds."""

    element: ElementType
    digits: int
    """Bits of a significand."""
    unit: float
    """Unit roundoff."""
    underflow: float
    """Smallest normal number."""
    largest: float

    @staticmethod
    @cache
    def of(element: ElementType) -> Reals:
        """Return the operations of an element type."""
        known = np.finfo(element.dtype)
        sizes = (float(known.eps) / 2, float(known.tiny), float(known.max))
        return Reals(element, known.nmant + 1, *sizes)

    def literal(self, value: float) -> Bounded:
        """Return a literal, which the element type may round."""
        return self.given(np.asarray(value, np.float64))

    def given(self, values: FloatArray) -> Bounded:
        """Return values from outside, which the element type may round."""
        return self.convert(Bounded(values, np.zeros(values.shape), _grain(values)))

    def convert(self, operand: Bounded) -> Bounded:
        """Return an operand rounded to the element type; an operand known exactly stays so."""
        if self.element is ElementType.DOUBLE:
            return operand
        with np.errstate(all="ignore"):
            return self._converted(operand)

    def _converted(self, operand: Bounded) -> Bounded:
        rounded = operand.value.astype(self.element.dtype).astype(np.float64)
        exact = (operand.bound == 0) & (np.abs(rounded) >= self.underflow)
        exact |= (operand.bound == 0) & (operand.value == 0)
        off = np.abs(rounded - operand.value)
        loose = operand.bound * (1 + self.unit) + self.unit * np.abs(operand.value)
        bound = np.where(exact, off, (loose + self.underflow) * SLACK)
        return self._in_range(
            operand.value, np.asarray(bound), operand.grain, lambda: interval(operand)
        )

    def binary(self, op: BinaryOp, left: Bounded, right: Bounded) -> Bounded:
        """Return ``left op right``."""
        a, e, b, f = left.value, left.bound, right.value, right.bound
        grain = min(left.grain, right.grain)
        ends = _ENDS.get(op, product_ends)

        def reach() -> Ends:
            return ends(interval(left), interval(right))

        match op:
            case BinaryOp.ADD:
                return self._rounded(a + b, e + f, grain, reach=reach)
            case BinaryOp.SUB:
                return self._rounded(a - b, e + f, grain, reach=reach)
            case BinaryOp.MUL:
                grain = left.grain * right.grain
                return self._rounded(a * b, product_error(a, e, b, f), grain, reach=reach)
            case BinaryOp.DIV:
                return self._divide(left, right, reach)
            case _:
                raise AssertionError(f"{op} of floating-point numbers")

    def _divide(self, left: Bounded, right: Bounded, reach: Callable[[], Ends]) -> Bounded:
        a, e, b, f = left.value, left.bound, right.value, right.bound
        size = np.abs(b)
        if size.size == 1 and not f.any() and np.frexp(size.ravel()[0])[0] == 0.5:
            grain = left.grain / float(size.ravel()[0])
            return self._rounded(a / b, e / size, grain, reach=reach)
        propagated = np.where(size > f, quotient_error(a, e, b, f), np.inf)
        return self._rounded(a / b, propagated, reach=reach)

    def call(self, function: Function, arguments: tuple[Bounded, ...]) -> Bounded:
        """Return a function of one or two arguments."""
        match function, arguments:
            case Function.MAX | Function.MIN | Function.ABS, _:
                return self.extreme_or_absolute(function, arguments)
            case Function.SQRT, (operand,):
                return self._square_root(operand)
            case Function.FLOOR | Function.CEIL | Function.RINT, (operand,):
                return _whole(_ROUNDING[function], operand)
            case Function.TRUNC | Function.ROUND, (operand,):
                return _whole(_ROUNDING[function], operand)
            case Function.POW, (base, exponent):
                return self._power(base, exponent)
            case _ if function.slopes is not None:
                return self._smooth(function, function.slopes, arguments)
            case _:
                return self._transcendental(function, arguments[0])

    def _smooth(
        self,
        function: Function,
        slopes: Callable[..., Sequence[float]],
        arguments: tuple[Bounded, ...],
    ) -> Bounded:
        """Return the value of a function of bounded slopes, by the mean value theorem."""

        def one(*pairs: float) -> tuple[float, float]:
            values, bounds = pairs[::2], pairs[1::2]
            sides = [
                (value - bound, value + bound) for value, bound in zip(values, bounds, strict=True)
            ]
            try:
                steep = slopes(*sides)
                moved = sum(s * b for s, b in zip(steep, bounds, strict=True) if b > 0)
                return function.of_reals(*values), moved
            except (ArithmeticError, ValueError):
                return nan, inf

        flat = (part for operand in arguments for part in (operand.value, operand.bound))
        value, propagated = np.vectorize(one, otypes=[np.float64, np.float64])(*flat)
        return self._rounded(value, propagated, factor=2.0 * FUNCTION_ULPS)

    @staticmethod
    def extreme_or_absolute(function: Function, arguments: tuple[Bounded, ...]) -> Bounded:
        """Return the largest or smallest of two values, or the absolute value of one."""
        match function, arguments:
            case Function.MAX, (left, right):
                return _extreme(np.maximum, left, right)
            case Function.MIN, (left, right):
                return _extreme(np.minimum, left, right)
            case _, (operand, *_):
                return Bounded(np.abs(operand.value), operand.bound, operand.grain)
            case _:
                raise AssertionError(f"'{function.value}' of {len(arguments)} operands")

    def _power(self, base: Bounded, exponent: Bounded) -> Bounded:
        """Return a power: monotonic in both, so its values lie between those of the corners."""
        value = np.power(base.value, exponent.value)
        ends = [
            np.power(base.value + one * base.bound, exponent.value + other * exponent.bound)
            for one in (-1.0, 1.0)
            for other in (-1.0, 1.0)
        ]
        exact = (base.bound == 0) & (exponent.bound == 0)
        reach = np.max([np.abs(end - value) for end in ends], axis=0)
        positive = base.value > base.bound
        size, n = np.abs(base.value), exponent.value
        whole = (exponent.bound == 0) & (n >= 1) & (n == np.floor(n))
        off = np.power(size + base.bound, n) - np.power(size, n)
        reach = np.where(positive, reach, np.where(whole, off, np.inf))
        propagated = np.where(exact, 0.0, reach)
        return self._rounded(value, propagated, factor=2.0 * FUNCTION_ULPS)

    def _square_root(self, operand: Bounded) -> Bounded:
        a, e = operand.value, operand.bound
        root = np.sqrt(a)
        ends = root + np.sqrt(np.maximum(a - e, 0.0))
        propagated = np.where(e == 0, 0.0, np.where(e <= a, e / ends, np.inf))
        return self._rounded(root, propagated)

    def _transcendental(self, function: Function, operand: Bounded) -> Bounded:
        a, e = operand.value, operand.bound
        nearest = np.maximum(np.abs(a) - e, 0.0)
        match function:
            case Function.EXP:
                value = np.exp(a)
                propagated = value * np.expm1(e)
            case Function.LOG:
                value = np.log(a)
                propagated = np.where(e < a, -np.log1p(-e / a), np.inf)
            case Function.TANH:
                value = np.tanh(a)
                decay = np.exp(-2.0 * nearest)
                propagated = np.minimum(e * 4.0 * decay / (1.0 + decay) ** 2, 2.0)
            case Function.ERF:
                value = _erf(a)
                slope = 2.0 / np.sqrt(pi) * np.exp(-np.square(nearest))
                propagated = np.minimum(e * slope, 2.0)
            case Function.SIN | Function.COS:
                value = np.sin(a) if function is Function.SIN else np.cos(a)
                propagated = np.where(np.isinf(e), e, np.minimum(e, 2.0))  # sin(inf) is no number
            case _:
                raise AssertionError(
                    f"the rounding error of '{function.value}' has no bound: give slopes in its "
                    f"row of streamopt.ir.operators, or a rule in {__name__}"
                )
        increasing = _INCREASING.get(function)
        reach = None if increasing is None else lambda: image(increasing, interval(operand))
        return self._rounded(value, propagated, factor=2.0 * FUNCTION_ULPS, reach=reach)

    def exact(self, size: FloatArray, bound: FloatArray, grain: float) -> Truth:
        """Return where multiples of ``grain`` that are at most ``size`` need no rounding."""
        if grain < self.underflow:
            return np.zeros(np.shape(size), np.bool_)
        return (bound == 0) & (size <= grain / self.unit)

    def _rounded(
        self,
        value: FloatArray,
        propagated: FloatArray,
        grain: float = 0.0,
        factor: float = 1.0,
        reach: Callable[[], Ends] | None = None,
    ) -> Bounded:
        """Return a result with the bound of ``factor`` roundings on top of the propagated one."""
        u, v = factor * self.unit, factor * V
        size = np.abs(value) * (1.0 + 2.0 * v)
        bound = (propagated * (1.0 + u) + (u + v) * size + self.underflow) * SLACK
        bound = np.where(self.exact(np.abs(value), propagated, grain), 0.0, bound)
        return self._in_range(value, bound, grain, reach, factor)

    def _in_range(
        self,
        value: FloatArray,
        bound: FloatArray,
        grain: float,
        reach: Callable[[], Ends] | None = None,
        factor: float = 1.0,
    ) -> Bounded:
        size = np.abs(value)
        safe = (size + bound < self.largest) | ((bound == 0) & (size == self.largest))
        bound = np.where(safe, bound, np.inf)
        if reach is None or safe.all():
            return Bounded(value, bound, grain)
        return settled(value, bound, grain, self._outward(reach(), factor))

    def _outward(self, ends: Ends, factor: float) -> Ends:
        """Return the ends of what is rounded, infinite where it may overflow."""
        low, high = (
            np.where(np.isinf(end), 0.0, factor * self.unit * np.abs(end) + self.underflow)
            for end in ends
        )
        low, high = ends[0] - low * SLACK, ends[1] + high * SLACK
        low = np.where(low < -self.largest, -np.inf, low)
        high = np.where(high > self.largest, np.inf, high)
        least = np.where(np.isinf(ends[0]), low, np.minimum(low, self.largest))
        return least, np.where(np.isinf(ends[1]), high, np.maximum(high, -self.largest))


def _away_from_zero(value: FloatArray) -> FloatArray:
    return np.trunc(value + np.copysign(np.nextafter(0.5, 0.0), value))


_ROUNDING: Mapping[Function, Callable[[FloatArray], FloatArray]] = {
    Function.FLOOR: np.floor,
    Function.CEIL: np.ceil,
    Function.RINT: np.rint,
    Function.TRUNC: np.trunc,
    Function.ROUND: _away_from_zero,
}


def _whole(rounded: Callable[[FloatArray], FloatArray], operand: Bounded) -> Bounded:
    """Return whole numbers; where the bound may cross one, they may differ by one more."""
    value = rounded(operand.value)
    low, high = rounded(operand.value - operand.bound), rounded(operand.value + operand.bound)
    return Bounded(value, np.maximum(high - value, value - low), 1.0)


def _extreme(extreme: np.ufunc, left: Bounded, right: Bounded) -> Bounded:
    value = extreme(left.value, right.value)
    (a, b), (c, d) = interval(left), interval(right)
    low, high = extreme(a, c), extreme(b, d)
    exact, size = (left.bound == 0) & (right.bound == 0), np.asarray(value, np.float64)
    bound = (np.maximum(high - size, size - low) + 4 * V * np.abs(size)) * SLACK
    bound = np.where(exact, 0.0, np.where(np.isnan(bound), np.inf, bound))
    grain = min(left.grain, right.grain)
    if np.isfinite(bound).all():
        return Bounded(value, bound, grain)
    return settled(value, bound, grain, (low, high))


def _grain(values: FloatArray) -> float:
    """Return the largest power of two that divides all values; 0 if there is none."""
    if np.isnan(values).any():
        return 0.0
    mantissas, exponents = np.frexp(values[(values != 0) & np.isfinite(values)])
    if mantissas.size == 0:
        return 1.0
    whole = np.ldexp(np.abs(mantissas), 53).astype(np.int64)
    lowest = np.ldexp((whole & -whole).astype(np.float64), exponents - 53)
    return float(lowest.min())


def _erf(values: FloatArray) -> FloatArray:
    flat = np.ravel(values).tolist()
    return np.fromiter(map(erf, flat), np.float64, len(flat)).reshape(np.shape(values))


_ENDS: Mapping[BinaryOp, Callable[[Ends, Ends], Ends]] = {
    BinaryOp.ADD: partial(corners, np.add),
    BinaryOp.SUB: partial(corners, np.subtract),
    BinaryOp.DIV: quotient_ends,
}
_INCREASING: Mapping[Function, Callable[[FloatArray], FloatArray]] = {
    Function.EXP: np.exp,
    Function.LOG: np.log,
    Function.TANH: np.tanh,
    Function.ERF: _erf,
}
