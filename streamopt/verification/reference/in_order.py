"""Sequential nests in the reference interpreter: in order, one scalar at a time.

A design keeps all dependences of a sequential nest, so each statement computes the same bits
whatever the order of others; only terms of a sum may be added in another order, where the design
says so. Where all that the nest reads is known exactly, and it calls no function that platforms
round differently, the exact bits are the ones to expect: the bound is 0. Elsewhere, and behind sums
of any order, the nest runs on scalars that carry their bounds, by the standard model of
`streamopt.verification.reference.error_bounds`. Integers are known exactly there or not at all: a
comparison or a conversion to an integer that the bounds leave open ends the run.

Large nests are compiled (`streamopt.verification.reference.compiled_order`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.element import ElementType
from streamopt.ir.expression import Call, Function, reads, walk
from streamopt.ir.program import Array, Nest, Program
from streamopt.verification.exact.interpreter import run_nest
from streamopt.verification.exact.scalar_operations import CONVERSIONS, OPERATIONS, mantissa
from streamopt.verification.reference.bounded_array import (
    SLACK,
    Bounded,
    V,
    product_error,
    quotient_error,
)
from streamopt.verification.reference.compiled_order import (
    MANY_ITERATIONS,
    CompiledNest,
    has_compiler,
)
from streamopt.verification.reference.error_bounds import Reals
from streamopt.verification.reference.integers import EXACT, stored_whole
from streamopt.verification.reference.scalar_cpp import SAME_EVERYWHERE, can_be_compiled, has_sums


def execute_in_order(
    program: Program, nest: Nest, state: dict[str, Bounded], *, in_any_order: bool = False
) -> None:
    """Run one sequential nest on flat values with bounds, which it replaces.

    Parameters
    ----------
    in_any_order
        Whether terms of sums may have been added in any order.
    """
    touched = _touched(nest)
    arrays = {array.name: array for array in program.arrays if array.name in touched}
    written = {statement.target.array for statement in nest.statements}
    outside = {source for _, source in nest.carries} | (touched - written)
    known = not any(state[name].bound.any() for name in outside) and _is_same_everywhere(nest)
    sums = known and in_any_order and has_sums(nest, arrays)
    is_large = prod(nest.trip_counts.values()) >= MANY_ITERATIONS or sums
    if is_large and can_be_compiled(nest, [*arrays.values()]) and has_compiler():
        has_bounds = sums or not known
        found = CompiledNest(nest, arrays, has_bounds, in_any_order).run(state)
        state |= found or {name: _unknown(state[name]) for name in written}
        return
    if known:
        scalars = {name: _exact_scalars(state[name], array) for name, array in arrays.items()}
        run_nest(program, nest, scalars)
        for name in written:
            value = np.array([float(scalar) for scalar in scalars[name]])
            bound = np.where(np.isnan(value), np.inf, 0.0)
            state[name] = Bounded(value, bound, 0.0)
        return
    try:
        scalars = {name: _bounded_scalars(state[name], array) for name, array in arrays.items()}
        run_nest(program, nest, scalars, BOUNDED_OPERATIONS)
    except UnsureError:
        state |= {name: _unknown(state[name]) for name in written}
        return
    for name in written:
        value, bound = parts(scalars[name])
        state[name] = Bounded(value, bound, 0.0)


def _unknown(values: Bounded) -> Bounded:
    unknown = np.full(values.value.shape, np.nan)
    return Bounded(unknown, np.full(unknown.shape, np.inf), 0.0)


def _touched(nest: Nest) -> set[str]:
    names = {name for pair in nest.carries for name in pair}
    for statement in nest.statements:
        names.add(statement.target.array)
        names.update(a.array for e in statement.expressions for a in reads(e))
    return names


def _is_same_everywhere(nest: Nest) -> bool:
    return all(
        part.function in SAME_EVERYWHERE
        for statement in nest.statements
        for expression in statement.expressions
        for part in walk(expression)
        if isinstance(part, Call)
    )


def _exact_scalars(values: Bounded, array: Array) -> list[Any]:
    if not array.element.is_float:
        return stored_whole(values.value, array.element).tolist()
    typed = values.value.astype(array.element.dtype)
    rounded = array.element in (ElementType.FLOAT, ElementType.HALF)
    return [*typed] if rounded else typed.tolist()


def _bounded_scalars(values: Bounded, array: Array) -> list[BoundedScalar | int | _UnknownWhole]:
    pairs = zip(values.value.tolist(), values.bound.tolist(), strict=True)
    return [bounded(value, bound, array.element) for value, bound in pairs]


_REALS = {element: Reals.of(element) for element in ElementType if element.is_float}
_OF_DIGITS = {reals.digits: reals for reals in _REALS.values()}


class UnsureError(Exception):
    """The bounds don't tell how a comparison ends, or which integer a number is cut off to."""


@dataclass(frozen=True, slots=True, eq=False)
class BoundedScalar:
    """A double, how far the other evaluation may be off, and how precise that one is."""

    value: float
    bound: float
    digits: int
    """Bits of its significands: 11 for ``half``, 24 for ``float``, 53 for ``double``."""

    def rounded(self, value: float, propagated: float, digits: int) -> BoundedScalar:
        """Return the result of one operation, rounded by both evaluations."""
        reals = _OF_DIGITS[digits]
        size, unit = abs(value), reals.unit
        bound = (propagated * (1.0 + unit) + (unit + 2 * V) * size + reals.underflow) * SLACK
        return BoundedScalar(value, bound if size + bound < reals.largest else math.inf, digits)

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
        propagated = product_error(self.value, self.bound, right.value, right.bound)
        return self.rounded(self.value * right.value, propagated, max(self.digits, right.digits))

    def __truediv__(self, other: Any) -> BoundedScalar:
        """Return the quotient."""
        right = _operand(other)
        digits = max(self.digits, right.digits)
        if abs(right.value) <= right.bound or right.value == 0.0:
            return BoundedScalar(math.nan, math.inf, digits)
        propagated = quotient_error(self.value, self.bound, right.value, right.bound)
        return self.rounded(self.value / right.value, propagated, digits)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> BoundedScalar:
        """Return the difference."""
        return _operand(other) - self

    def __rtruediv__(self, other: Any) -> BoundedScalar:
        """Return the quotient."""
        return _operand(other) / self

    def __abs__(self) -> BoundedScalar:
        """Return the absolute value."""
        return BoundedScalar(abs(self.value), self.bound, self.digits)

    def gap(self, other: Any) -> float:
        """Return the difference, whose sign is certain; raises UnsureError."""
        right = _operand(other)
        gap, reach = self.value - right.value, (self.bound + right.bound) * SLACK
        if reach > 0.0 and not abs(gap) > reach:
            raise UnsureError
        return gap

    def __lt__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self.gap(other) < 0

    def __le__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self.gap(other) <= 0

    def __gt__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self.gap(other) > 0

    def __ge__(self, other: Any) -> bool:
        """Compare; raises UnsureError."""
        return self.gap(other) >= 0

    def __eq__(self, other: object) -> bool:
        """Compare; raises UnsureError."""
        return self.gap(other) == 0

    def __ne__(self, other: object) -> bool:
        """Compare; raises UnsureError."""
        return self.gap(other) != 0


def _operand(value: Any) -> BoundedScalar:
    return value if isinstance(value, BoundedScalar) else BoundedScalar(float(value), 0.0, 53)


class _UnknownWhole:
    """An integer, or a mantissa, that isn't known exactly: it may be moved, and no more."""

    def _refused(self, *_: Any) -> Any:
        raise UnsureError

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _refused
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __mod__ = __rmod__ = _refused
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _refused
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __abs__ = _refused
    __lt__ = __le__ = __gt__ = __ge__ = _refused
    __eq__ = __ne__ = __bool__ = __int__ = __index__ = __float__ = _refused
    __hash__ = object.__hash__


def bounded(
    value: float, bound: float, element: ElementType
) -> BoundedScalar | int | _UnknownWhole:
    """Return a scalar of an element type."""
    if element.is_float:
        return BoundedScalar(value, bound, _REALS[element].digits)
    if bound > 0.0 or not math.isfinite(value):
        return _UnknownWhole()
    return int(value)


def parts(
    scalars: Sequence[BoundedScalar | float | _UnknownWhole],
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return values and bounds; a number that was never written has an infinite bound."""
    known = (math.nan if isinstance(s, _UnknownWhole) else s for s in scalars)
    pairs = [(s.value, s.bound) if isinstance(s, BoundedScalar) else (s, 0.0) for s in known]
    numbers, bounds = zip(*pairs, strict=True)
    value, bound = np.array(numbers, dtype=np.float64), np.array(bounds, dtype=np.float64)
    bound = np.where(np.isnan(value), np.inf, bound)
    is_large = any(isinstance(number, int) and abs(number) >= EXACT for number in numbers)
    return np.array(numbers, dtype=object) if is_large else value, bound


def _narrowed(value: Any, element: ElementType) -> BoundedScalar:
    operand, digits = _operand(value), _REALS[element].digits
    if operand.digits <= digits:
        return BoundedScalar(operand.value, operand.bound, digits)
    if operand.bound == 0.0:
        off = float(np.dtype(element.dtype).type(operand.value)) - operand.value
        return BoundedScalar(operand.value, abs(off), digits)
    return operand.rounded(operand.value, operand.bound, digits)


def _certain(function: Callable[..., int], value: Any, *others: Any) -> int:
    """Return a whole number that a value becomes at both ends of its interval."""
    operand = _operand(value)
    if not math.isfinite(abs(operand.value) + operand.bound):
        raise UnsureError
    low = function(operand.value - operand.bound, *others)
    if low != function(operand.value + operand.bound, *others):
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
        result = _OF_DIGITS[digits].call(function, pairs)
    return BoundedScalar(float(result.value), float(result.bound), digits)


BOUNDED_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    **OPERATIONS,
    **{CONVERSIONS[element]: partial(_narrowed, element=element) for element in _REALS},
    "mantissa": partial(_certain, mantissa),
    "whole": partial(_certain, int),
    "divided": _divided,
    "largest": _extreme(Function.MAX),
    "smallest": _extreme(Function.MIN),
    **{
        f"{function}_{element}": partial(_applied, function)
        for function in Function
        for element in _REALS
    },
}
"""Operations of generated code whose scalars carry bounds, by name."""
