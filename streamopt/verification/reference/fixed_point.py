"""Fixed-point arithmetic of the reference interpreter, exact on arrays; conversions.

Fixed-point numbers are mantissas: of up to 53 bits a whole double, wider ones integers of 64 bits
or of Python's. Bounds are in units of the last bit: 0 but for what comes from inexact
floating-point values, or may saturate at another place in another order of summation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.element import MAX_ELEMENT_BITS, ElementType, FixedPoint
from streamopt.ir.expression import BinaryOp, Function
from streamopt.verification.exact.scalar_operations import quotient
from streamopt.verification.reference.bounded_array import Bounded
from streamopt.verification.reference.error_bounds import Reals
from streamopt.verification.reference.integers import Integers, as_doubles
from streamopt.verification.storage import mantissas_of

if TYPE_CHECKING:
    from streamopt.verification.reference.bounded_array import FloatArray

_WORD_BITS = 63


@dataclass(frozen=True, slots=True)
class FixedArrays:
    """The operations whose results are of one fixed-point type."""

    element: ElementType

    @property
    def form(self) -> FixedPoint:
        """Return the format."""
        return self.element.fixed_point

    def literal(self, value: float) -> Bounded:
        """Return a literal, rounded as the type says."""
        return self.given(np.asarray(value, np.float64))

    def given(self, values: FloatArray) -> Bounded:
        """Return numbers from outside, rounded as the type says."""
        return self._made(mantissas_of(values, self.element), np.zeros(np.shape(values)))

    def read(self, values: FloatArray, bound: FloatArray) -> Bounded:
        """Return elements of an array; of one that was never written nothing is known."""
        missing = np.isnan(values)
        return Bounded(np.where(missing, 0.0, values), np.where(missing, np.inf, bound), 1.0)

    def binary(
        self, op: BinaryOp, left: Bounded, right: Bounded, types: tuple[ElementType, ElementType]
    ) -> Bounded:
        """Return ``left op right``, the operands being mantissas of their types."""
        one, other = (kind.fixed_point for kind in types)
        fraction, bits = self.form.fraction_bits, self.form.width_bits
        match op:
            case BinaryOp.ADD | BinaryOp.SUB:
                a = _scaled(left, fraction - one.fraction_bits, bits)
                b = _scaled(right, fraction - other.fraction_bits, bits)
                total = a.value + b.value if op is BinaryOp.ADD else a.value - b.value
                return self._made(total, a.bound + b.bound)
            case BinaryOp.MUL:
                a, b = _scaled(left, 0, bits), _scaled(right, 0, bits)
                return self._made(a.value * b.value, _product_bound(a, b))
            case BinaryOp.DIV:
                shift = max(other.fraction_bits, 0)
                a = _scaled(left, shift, bits + one.width_bits)
                b = _scaled(right, 0, bits + one.width_bits)
                unknown = np.where((a.bound > 0) | (b.bound > 0), np.inf, 0.0)
                return self._made(_cut_off(a.value, b.value), unknown)
            case _:
                raise AssertionError(f"{op} of fixed-point numbers")

    def call(self, function: Function, arguments: tuple[Bounded, ...]) -> Bounded:
        """Return a largest, smallest or absolute value, of mantissas of this type."""
        found = Reals.extreme_or_absolute(function, arguments)
        return self._made(found.value, np.asarray(found.bound, np.float64))

    def reduced(self, total: Bounded, size: FloatArray | None) -> Bounded:
        """Return the result of a reduction in any order.

        Parameters
        ----------
        total
            Exact result, as long as its bound is 0.
        size
            Sum of the absolute values of a sum's terms; None for other reductions.
        """
        form = self.form
        if size is None:
            value = np.clip(total.value, form.lowest, form.highest)
            return Bounded(value, total.bound, 1.0)
        if form.saturates:
            within = size < form.highest
            return Bounded(total.value, np.where(within, total.bound, np.inf), 1.0)
        return self._contained(total)

    def moved(self, operand: Bounded, source: FixedPoint) -> Bounded:
        """Return mantissas of another format in this one, rounded as the type says."""
        shift = source.fraction_bits - self.form.fraction_bits
        if shift <= 0:
            wide = max(source.width_bits - shift, self.form.width_bits)
            return self._contained(_scaled(operand, -shift, wide))
        whole = _whole(operand.value, source.width_bits + 1)
        if self.form.rounds:
            whole = _whole(np.asarray(whole + _power(shift - 1, whole)), source.width_bits + 1)
        bound = np.where(operand.bound > 0, np.ldexp(operand.bound, -shift) + 1.0, 0.0)
        return self._contained(Bounded(_halved(whole, shift), bound, 1.0))

    def rounded(self, operand: Bounded) -> Bounded:
        """Return floating-point values as mantissas."""
        value = mantissas_of(operand.value, self.element)
        unknown = np.isnan(operand.value) | ~np.isfinite(operand.bound)
        low, high = (
            np.floor(np.ldexp(end, self.form.fraction_bits) + (0.5 if self.form.rounds else 0.0))
            for end in (operand.value - operand.bound, operand.value + operand.bound)
        )
        outside = (low < self.form.lowest) | (high > self.form.highest)
        if self.form.saturates:
            low, high = (np.clip(end, self.form.lowest, self.form.highest) for end in (low, high))
        else:
            unknown |= outside & (operand.bound > 0)
        bound = np.where(operand.bound > 0, np.maximum(high - value, value - low), 0.0)
        return self._made(value, np.where(unknown, np.inf, bound))

    def _made(self, value: Any, bound: FloatArray) -> Bounded:
        """Return mantissas of this format; arithmetic on single numbers makes no arrays."""
        return Bounded(_whole(np.asarray(value), self.form.width_bits), bound, 1.0)

    def _contained(self, operand: Bounded) -> Bounded:
        """Return mantissas brought into the range."""
        form, value = self.form, operand.value
        is_word = value.dtype == np.int64 and form.width_bits < _WORD_BITS
        if value.dtype != np.float64 and not is_word:
            value = value.astype(object)
        high = operand.bound + np.asarray(value, np.float64) > form.highest
        low = np.asarray(value, np.float64) - operand.bound < form.lowest
        loose = operand.bound > 0
        if form.saturates:
            inside = np.clip(value, form.lowest, form.highest)
        elif value.dtype == np.float64:
            span = 2.0**form.width_bits
            inside = np.mod(value - form.lowest, span) + form.lowest
            inside = np.where((value >= form.lowest) & (value <= form.highest), value, inside)
        else:
            inside = (value - form.lowest) % (1 << form.width_bits) + form.lowest
        bound = np.where(loose & (high | low), np.inf, operand.bound)
        return self._made(inside, bound)


def term_type(element: ElementType) -> ElementType:
    """Return the type in which the terms of a sum are added up.

    Its numbers have the last bit of the sum's; where the sum saturates they do not, so that what
    would is seen.
    """
    form = element.fixed_point
    if not form.saturates:
        return element
    integer = MAX_ELEMENT_BITS - form.fraction_bits
    return ElementType.of_fixed_point(FixedPoint(MAX_ELEMENT_BITS, integer, form.rounds, True))


def converted(operand: Bounded, source: ElementType, wanted: ElementType) -> Bounded:
    """Return values of one type in another one; one of the two is fixed-point."""
    if wanted.is_fixed:
        target = FixedArrays(wanted)
        return (
            target.rounded(operand)
            if source.is_float
            else target.moved(operand, source.fixed_point)
        )
    fraction = source.fixed_point.fraction_bits
    if wanted.is_float:
        value = np.ldexp(operand.value.astype(np.float64), -fraction)
        bound = np.ldexp(np.asarray(operand.bound), -fraction)
        return Reals.of(wanted).convert(Bounded(value, bound, 2.0**-fraction))
    value, bound = operand.value, np.asarray(operand.bound)
    if fraction > 0:
        value = _cut_off(value, np.asarray(_power(fraction, value)))
        bound = np.where(bound > 0, np.ldexp(bound, -fraction) + 1.0, 0.0)
    elif fraction < 0:
        scaled = _scaled(operand, -fraction, source.bits - fraction)
        value, bound = scaled.value, scaled.bound
    if value.dtype != np.float64:  # what is dropped here is dropped by the conversion too
        value = _remainder(value, 1 << wanted.bits)
    return Integers(wanted).convert(Bounded(value.astype(np.float64), bound, 1.0))


def difference(left: Bounded, right: Bounded) -> Bounded:
    """Return the difference of mantissas of one type, of the right sign."""
    gap = np.asarray(left.value - right.value, np.float64)
    return Bounded(gap, np.asarray(left.bound + right.bound, np.float64), 1.0)


def _whole(values: NDArray[Any], bits: int) -> NDArray[Any]:
    """Return whole numbers of at most so many bits in a type that has room for them."""
    if bits <= MAX_ELEMENT_BITS:
        return values.astype(np.float64)
    if bits <= _WORD_BITS:
        return values.astype(np.int64)
    return np.asarray(_INTEGERS(values) if values.dtype == np.float64 else values, object)


_INTEGERS = np.frompyfunc(int, 1, 1)


def _power(exponent: int, values: NDArray[Any]) -> Any:
    """Return a power of two as a number that goes with values."""
    return 2.0**exponent if values.dtype == np.float64 else 1 << exponent


def _scaled(operand: Bounded, shift: int, bits: int) -> Bounded:
    """Return mantissas with zeros behind them, as numbers of so many bits."""
    value = _whole(operand.value, bits)
    if shift:
        value = _whole(np.asarray(value * _power(shift, value)), bits)
    return Bounded(value, np.ldexp(operand.bound, shift), 1.0)


def _halved(whole: NDArray[Any], shift: int) -> NDArray[Any]:
    """Return whole numbers without their last bits, rounded down."""
    if whole.dtype == np.float64:
        return np.floor(np.ldexp(whole, -shift))
    if shift >= _WORD_BITS:
        whole = whole.astype(object)
    return np.asarray(whole // (1 << shift))


def _cut_off(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Return quotients, cut off towards zero; 0 where nothing is divided by."""
    if left.dtype == object or right.dtype == object:
        return np.asarray(_QUOTIENTS(left.astype(object), right.astype(object)), object)
    nothing = right == 0
    size = np.abs(left) // np.where(nothing, 1, np.abs(right))
    signed = np.where((left < 0) == (right < 0), size, -size)
    return np.where(nothing, 0, signed)


_QUOTIENTS = np.frompyfunc(quotient, 2, 1)


def _remainder(whole: NDArray[Any], divisor: int) -> NDArray[Any]:
    """Return the remainders of whole numbers, from 0 on."""
    return np.asarray(whole.astype(object) % divisor)


def _product_bound(left: Bounded, right: Bounded) -> FloatArray:
    if not (left.bound.any() or right.bound.any()):
        return np.zeros(np.broadcast_shapes(left.bound.shape, right.bound.shape))
    sizes = [np.abs(side.value.astype(np.float64)) for side in (left, right)]
    found = sizes[0] * right.bound + sizes[1] * left.bound + left.bound * right.bound
    return np.where(np.isnan(found), np.inf, found)


Arithmetic: TypeAlias = Reals | Integers | FixedArrays


def arithmetic_of(element: ElementType) -> Arithmetic:
    """Return the operations of an element type."""
    if element.is_fixed:
        return FixedArrays(element)
    return Reals.of(element) if element.is_float else Integers(element)


def in_type(value: Bounded, element: ElementType, wanted: ElementType) -> Bounded:
    """Return values of one element type converted to another one."""
    arithmetic = arithmetic_of(wanted)
    if element.is_fixed or isinstance(arithmetic, FixedArrays):
        return converted(value, element, wanted)
    return arithmetic.convert(as_doubles(value) if wanted.is_float else value)
