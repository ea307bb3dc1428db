"""Arithmetic of expressions: the types that they compute in, constants, and ranges of integers.

Types follow C's rules. Operations on literals are done while reading, so that nodes hold no
constant arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple, assert_never

from streamopt.ir import expression as ir
from streamopt.ir.element import ElementType, common_type


def expression_type(
    expression: ir.Expression, element_of: Callable[[str], ElementType]
) -> ElementType | None:
    """Return the type of an expression's value; None where it holds nothing but literals.

    Parameters
    ----------
    element_of
        Element type of an array by name.
    """

    def typed(part: ir.Expression) -> ElementType | None:
        return expression_type(part, element_of)

    match expression:
        case ir.Literal():
            return None
        case ir.Read(access):
            return element_of(access.array)
        case ir.Index() | ir.Compare() | ir.Logic():
            return ElementType.INT32
        case ir.Cast(element):
            return element
        case ir.Binary(ir.BinaryOp.SHL | ir.BinaryOp.SHR, left, _):
            return common_type(typed(left), typed(left))
        case ir.Binary(op, left, right):
            return result_type(op, typed(left), typed(right))
        case ir.Select(_, left, right):
            return common_type(typed(left), typed(right))
        case ir.Call(function, arguments):
            return _called(function, reduce(common_type, map(typed, arguments)))
        case _:
            assert_never(expression)


def compared_type(
    left: ir.Expression, right: ir.Expression, element_of: Callable[[str], ElementType]
) -> ElementType | None:
    """Return the type in which two values are compared: that of their sum."""
    return expression_type(ir.Binary(ir.BinaryOp.ADD, left, right), element_of)


def operand_types(
    operation: ir.Binary, element: ElementType, element_of: Callable[[str], ElementType]
) -> tuple[ElementType, ElementType]:
    """Return the types that the operands of an operation are converted to.

    That of the result, but in fixed point each operand keeps its own format.

    Parameters
    ----------
    element
        Type of the result.
    """
    if not element.is_fixed:
        return element, element
    left = expression_type(operation.left, element_of)
    right = expression_type(operation.right, element_of)
    return _as_fixed(left or right or element), _as_fixed(right or left or element)


def _called(function: ir.Function, operand: ElementType | None) -> ElementType | None:
    if operand is not None and operand.is_fixed and function is ir.Function.ABS:
        return result_type(ir.BinaryOp.SUB, operand, operand)
    real = operand is None or operand.is_float or function.keeps_type
    return operand if real else ElementType.DOUBLE


def _as_fixed(element: ElementType) -> ElementType:
    return ElementType.of_fixed_point(element.fixed_point)


def result_type(
    op: ir.BinaryOp, left: ElementType | None, right: ElementType | None
) -> ElementType | None:
    """Return the type of an operation's result; a literal takes the type of the other operand."""
    common = common_type(left, right)
    if common is None or not common.is_fixed:
        return common
    one, other = ((side or common).fixed_point for side in (left, right))
    match op:
        case ir.BinaryOp.ADD | ir.BinaryOp.SUB:
            return ElementType.of_fixed_point(one.sum(other))
        case ir.BinaryOp.MUL:
            return ElementType.of_fixed_point(one.product(other))
        case ir.BinaryOp.DIV:
            return ElementType.of_fixed_point(one.quotient(other))
        case _:
            return common


_MOST_WHOLE = 2**53
"""Whole numbers up to here are literals without rounding."""


class ConstantError(Exception):
    """An operation on constants has no value; the text says why."""


def computed(op: ir.BinaryOp, left: float, right: float, element: ElementType | None) -> float:
    """Return ``left op right`` of numbers of a type: rounded to it, but exact for integers.

    An integer may lie outside of its type: the caller wraps it, or refuses it. Rounding the
    result in double precision once more is the same as computing ``+ - * /`` in ``float`` or
    ``half``, whose numbers have less than half the digits (Figueroa, 1995).

    Parameters
    ----------
    element
        None for literals that have no type yet: they are numbers in double precision.

    Raises
    ------
    ConstantError
        If there is no result, or no finite one for finite operands.
    """
    if element is not None and element.is_integer:
        return _tried(op.of_integers, int(left), int(right))
    kind = element or ElementType.DOUBLE
    values = _tried(kind.nearest, left), _tried(kind.nearest, right)
    return _tried(kind.nearest, _finite(op.of_reals, *values))


def called(function: ir.Function, *arguments: float) -> float:
    """Return a function's value in double precision; raises as `computed`."""
    return float(_finite(function.of_reals, *arguments))


def _finite(operation: Callable[..., float], *values: float) -> float:
    result = _tried(operation, *values)
    if math.isnan(result) or (math.isinf(result) and not any(map(math.isinf, values))):
        raise ConstantError("the result is not a finite number")
    return result


def _tried(operation: Callable[..., float], *values: float) -> float:
    try:
        return operation(*values)
    except (ArithmeticError, ValueError) as error:
        raise ConstantError(str(error)) from None


def folded_binary(op: ir.BinaryOp, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    """Return ``left op right``, as one literal if both are literals; raises as `computed`."""
    match left, right:
        case ir.Literal(first), ir.Literal(second) if not op.is_for_integers:
            return ir.Literal(computed(op, first, second, None))
        case _:
            return ir.Binary(op, left, right)


def folded_call(function: ir.Function, *arguments: ir.Expression) -> ir.Expression:
    """Return a call, as one literal if all arguments are; raises as `called`."""
    values = [argument.value for argument in arguments if isinstance(argument, ir.Literal)]
    if len(values) == len(arguments):
        return ir.Literal(called(function, *values))
    return ir.Call(function, arguments)


def with_constants_folded(expression: ir.Expression, element: ElementType) -> ir.Expression:
    """Return an expression without operations on two literals, if it is computed in one type.

    Each is done as the hardware would, rounded to its type; one without a finite result, or with
    one that doesn't fit the type, stays::

        mul1 = 2.0 * 0.05 / (0.05 * 0.05)   ->   mul1 = 39.99999999999999
    """
    operands = ir.children(expression)
    folded = tuple(with_constants_folded(operand, element) for operand in operands)
    if folded != operands:
        expression = ir.rebuild(expression, folded)
    match expression:
        case ir.Binary(op, ir.Literal(left), ir.Literal(right)):
            value = _fitting(op, left, right, element)
            return expression if value is None else ir.Literal(value)
        case _:
            return expression


def _fitting(op: ir.BinaryOp, left: float, right: float, element: ElementType) -> float | None:
    is_whole = element.is_integer and left.is_integer() and right.is_integer()
    if not element.is_float and not is_whole:
        return None
    try:
        value = computed(op, left, right, element)
    except ConstantError:
        return None
    if element.is_float:
        return value if math.isfinite(value) else None
    whole = int(value)
    fits = abs(whole) <= _MOST_WHOLE and Range(whole, whole).within(type_range(element))
    return float(whole) if fits else None


def negated(value: ir.Expression) -> ir.Expression:
    """Return ``-0.0 - value``; for a literal the literal with the other sign."""
    if isinstance(value, ir.Literal):
        return ir.Literal(-value.value)
    return ir.Binary(ir.BinaryOp.SUB, ir.Literal(-0.0), value)


class Range(NamedTuple):
    """Whole numbers from one to another, both included."""

    low: int
    high: int

    @property
    def bits(self) -> int:
        """Return the width of the narrowest signed integer that has all of them.

        Examples
        --------
        >>> Range(-128, 127).bits, Range(0, 255).bits, Range(0, 0).bits
        (8, 9, 1)
        """
        return max(self.low if self.low >= 0 else ~self.low, self.high, 0).bit_length() + 1

    def within(self, other: Range) -> bool:
        """Return whether all of them are among others."""
        return other.low <= self.low and self.high <= other.high

    def joined(self, other: Range) -> Range:
        """Return the least range that holds both."""
        return Range(min(self.low, other.low), max(self.high, other.high))


def type_range(element: ElementType) -> Range:
    """Return the values of an integer type."""
    if element.is_signed:
        return Range(-(1 << (element.bits - 1)), (1 << (element.bits - 1)) - 1)
    return Range(0, (1 << element.bits) - 1)


def widens(narrow: ElementType, wide: ElementType) -> bool:
    """Return whether an integer type has all values of another one."""
    return narrow.is_integer and wide.is_integer and type_range(narrow).within(type_range(wide))


def partial_sums(term: Range, terms: int) -> Range:
    """Return the range of all partial sums of so many terms, in any order.

    Examples
    --------
    >>> partial_sums(Range(-128 * 127, 128 * 128), 100)
    Range(low=-1625600, high=1638400)
    """
    return Range(min(0, terms * term.low), max(0, terms * term.high))


def called_range(function: ir.Function, given: Sequence[Range]) -> Range | None:
    """Return the range of a function's exact result; None where nothing is known of it."""
    match function, given:
        case ir.Function.MAX, [one, other]:
            return Range(max(one.low, other.low), max(one.high, other.high))
        case ir.Function.MIN, [one, other]:
            return Range(min(one.low, other.low), min(one.high, other.high))
        case ir.Function.ABS, [one]:
            least = 0 if one.low <= 0 <= one.high else min(abs(one.low), abs(one.high))
            return Range(least, max(abs(one.low), abs(one.high)))
        case _:
            return None


def computed_range(op: ir.BinaryOp, left: Range, right: Range) -> Range | None:
    """Return the range of an operation's exact result; None where nothing is known of it."""
    match op:
        case ir.BinaryOp.ADD:
            return Range(left.low + right.low, left.high + right.high)
        case ir.BinaryOp.SUB:
            return Range(left.low - right.high, left.high - right.low)
        case ir.BinaryOp.MUL:
            corners = [one * other for one in left for other in right]
            return Range(min(corners), max(corners))
        case ir.BinaryOp.DIV | ir.BinaryOp.MOD:
            return _divided(op, left, right)
        case ir.BinaryOp.SHL | ir.BinaryOp.SHR:
            return _shifted(op, left, right)
        case ir.BinaryOp.AND:
            caps = [side.high for side in (left, right) if side.low >= 0]
            return Range(0, min(caps)) if caps else _of_bits(left, right)
        case ir.BinaryOp.OR | ir.BinaryOp.XOR:
            return _of_bits(left, right)


def _divided(op: ir.BinaryOp, left: Range, right: Range) -> Range:
    """Return a quotient's or remainder's range: as in C, towards zero, the dividend's sign."""
    least = 1 if right.low <= 0 <= right.high else min(abs(right.low), abs(right.high))
    if op is ir.BinaryOp.DIV:
        most = max(abs(left.low), abs(left.high)) // least
        is_positive = left.low >= 0 and right.low >= 0
    else:
        most = min(max(abs(left.low), abs(left.high)), max(abs(right.low), abs(right.high)) - 1)
        is_positive = left.low >= 0
    return Range(0 if is_positive else -max(0, most), max(0, most))


def _shifted(op: ir.BinaryOp, left: Range, right: Range) -> Range | None:
    if right.low < 0 or right.high > 63:
        return None
    ends = [
        side << by if op is ir.BinaryOp.SHL else side >> by for side in left for by in (*right,)
    ]
    return Range(min(ends), max(ends))


def _of_bits(left: Range, right: Range) -> Range:
    """Return the range of a bitwise operation: numbers no wider than the operands."""
    width = max(left.bits, right.bits) - 1
    is_positive = left.low >= 0 and right.low >= 0
    return Range(0 if is_positive else -(1 << width), (1 << width) - 1)
