"""Expressions as Python writes them: operators build trees, and nothing is computed."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from numbers import Integral, Real
from typing import TypeAlias

from streamopt.errors import FrontendError
from streamopt.frontends.dsl.facts import (
    EXPRESSIONS,
    NOT_AFFINE,
    SUBSCRIPTS,
    Facts,
    caller,
    problem,
)
from streamopt.ir import expression as ir
from streamopt.ir.affine import LARGEST, Affine, NotAffine
from streamopt.ir.arithmetic import result_type
from streamopt.ir.element import ElementType, common_type
from streamopt.ir.expression import Access, BinaryOp, CompareOp, Literal, Logic, LogicOp, Read
from streamopt.ir.program import Array
from streamopt.ir.text import expression_text

_Method: TypeAlias = "Callable[[Value, Operand], Value]"


def _operators(op: BinaryOp) -> tuple[_Method, _Method]:
    """Return the methods of a value to the left of an operator, and to its right."""

    def left(value: Value, other: Operand) -> Value:
        return _binary(op, value, other)

    def right(value: Value, other: Operand) -> Value:
        return _binary(op, other, value)

    return left, right


def _comparison(op: CompareOp) -> Callable[[Value, Operand], Condition]:
    """Return the method of a value to the left of a comparison."""
    return lambda value, other: _compared(op, value, other)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Value:
    """The value that a statement computes.

    Attributes
    ----------
    element
        Its type; None for numbers, which take the type of what they meet.
    is_real
        Of numbers: whether one was written as a float.
    """

    expression: ir.Expression
    element: ElementType | None
    facts: Facts
    is_real: bool = False

    __hash__ = object.__hash__
    __array_ufunc__ = None

    __add__, __radd__ = _operators(BinaryOp.ADD)
    __sub__, __rsub__ = _operators(BinaryOp.SUB)
    __mul__, __rmul__ = _operators(BinaryOp.MUL)
    __truediv__, __rtruediv__ = _operators(BinaryOp.DIV)
    __mod__, __rmod__ = _operators(BinaryOp.MOD)
    __lshift__, __rlshift__ = _operators(BinaryOp.SHL)
    __rshift__, __rrshift__ = _operators(BinaryOp.SHR)
    __and__, __rand__ = _operators(BinaryOp.AND)
    __or__, __ror__ = _operators(BinaryOp.OR)
    __xor__, __rxor__ = _operators(BinaryOp.XOR)

    def __floordiv__(self, other: Operand) -> Value:
        facts = Facts.joined(self.facts, as_value(other).facts)
        message = "// divides sums of iterators by positive constants only"
        return _placeholder(facts.with_problem(EXPRESSIONS, message, "write / for values"))

    def __neg__(self) -> Value:
        return _binary(BinaryOp.SUB, 0, self)

    def __pos__(self) -> Value:
        return self

    __lt__, __le__ = _comparison(CompareOp.LT), _comparison(CompareOp.LE)
    __gt__, __ge__ = _comparison(CompareOp.GT), _comparison(CompareOp.GE)
    __eq__ = _comparison(CompareOp.EQ)  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    __ne__ = _comparison(CompareOp.NE)  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LoopIndex(Value):
    """A sum of iterators: a subscript, or a 32-bit integer where it is used as a value."""

    @property
    def affine(self) -> Affine:
        """Return the sum."""
        assert isinstance(self.expression, ir.Index)
        return self.expression.value

    @staticmethod
    def of(affine: Affine, facts: Facts) -> LoopIndex:
        """Return the index whose value is a sum of iterators."""
        return LoopIndex(ir.Index(affine), ElementType.INT32, facts)

    def __floordiv__(self, other: Operand) -> Value:
        index = _index(BinaryOp.DIV, self, other)
        return Value.__floordiv__(self, other) if index is None else index


class Scalar(ABC):
    """An array without dimensions, which stands for its only element."""

    __slots__ = ()

    @abstractmethod
    def value(self) -> Value:
        """Return the element; if there are dimensions, one with a problem."""


Operand: TypeAlias = Value | Scalar | float
"""Operands of an expression: values, arrays without dimensions, and numbers."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reduced(Value):
    """The result of a reduction; inside a larger expression it gets an array of its own."""


def whole(number: object) -> int | None:
    """Return a whole number as an int; None for anything else."""
    if isinstance(number, bool) or not isinstance(number, Integral):
        return None
    return int(number)


def as_value(operand: object) -> Value:
    """Return an operand as a value; what can't be one becomes a value with a problem."""
    match operand:
        case Value():
            return operand
        case Scalar():
            return operand.value()
        case bool():
            message = "True and False can't stand in an expression"
            return _placeholder(Facts().with_problem(EXPRESSIONS, message, "write 1 or 0"))
        case Real():
            return _number(operand)
        case Condition():
            message, hint = "a condition is no value", "write where(condition, 1, 0)"
            return _placeholder(operand.facts.with_problem(EXPRESSIONS, message, hint))
        case _:
            message = f"{type(operand).__name__} can't stand in an expression"
            hint = "expressions are made of numbers, iterators, array elements and functions"
            return _placeholder(Facts().with_problem(EXPRESSIONS, message, hint))


def meeting(*operands: object) -> tuple[tuple[Value, ...], ElementType | None, bool]:
    """Return operands as values of types that can meet, the type in which they do, and `is_real`.

    A number written as a float makes integers that it meets floats.
    """
    values = tuple(map(as_value, operands))
    element = reduce(common_type, [value.element for value in values])
    is_real = any(value.is_real for value in values)
    if is_real and element is not None and element.is_integer:
        values = tuple(v if v.element is None else _as_float(v) for v in values)
        element = ElementType.FLOAT
    return values, element, is_real and element is None


def _as_float(value: Value) -> Value:
    expression = ir.Cast(ElementType.FLOAT, value.expression)
    return Value(expression, ElementType.FLOAT, Facts.joined(value.facts))


def _number(number: Real) -> Value:
    try:
        converted = float(number)
    except OverflowError:
        converted = math.inf
    if math.isfinite(converted):
        return Value(ir.Literal(converted), None, Facts(), not isinstance(number, Integral))
    facts = Facts().with_problem(EXPRESSIONS, "a number is infinite, too large or not a number")
    return _placeholder(facts)


def _placeholder(facts: Facts) -> Value:
    return Value(ir.Literal(0.0), None, facts)


def _binary(op: BinaryOp, left: object, right: object) -> Value:
    index = None if op is BinaryOp.DIV else _index(op, left, right)
    if index is not None:
        return index
    (first, second), element, is_real = meeting(left, right)
    facts = Facts.joined(first.facts, second.facts)
    excess = facts.excess()
    if excess is not None:
        return _placeholder(excess)
    if op.is_for_integers and (is_real or (element is not None and not element.is_integer)):
        return _placeholder(facts.with_problem(EXPRESSIONS, f"{op} is for integers"))
    if op in (BinaryOp.SHL, BinaryOp.SHR):
        element = common_type(first.element, first.element)
    elif element is not None and element.is_fixed:
        element = result_type(op, first.element, second.element)
    return Value(ir.Binary(op, first.expression, second.expression), element, facts, is_real)


def _index(op: BinaryOp, left: object, right: object) -> LoopIndex | None:
    """Return a sum of iterators; None if the operation has none, or isn't one."""
    first, second = _affine(left), _affine(right)
    if first is None or second is None:
        return None
    facts = Facts.joined(*(side.facts for side in (left, right) if isinstance(side, LoopIndex)))
    match first.combined(op, second, first.bounds(facts.trip_counts)):
        case Affine() as combined:
            return _checked(combined, facts)
        case NotAffine.NEGATIVE:
            by = 1 << second.constant if op is BinaryOp.SHR else second.constant
            message = f"{first} is divided by {by}, but is negative for some iterations"
            hint = "add a multiple of the divisor"
            return LoopIndex.of(Affine(), facts.with_problem(NOT_AFFINE, message, hint))
        case _:
            return None


def _affine(side: object) -> Affine | None:
    if isinstance(side, LoopIndex):
        return side.affine
    number = whole(side)
    return None if number is None or abs(number) > LARGEST else Affine.of(number)


def _checked(affine: Affine, facts: Facts) -> LoopIndex:
    if affine.is_too_large:
        message = "a number in a sum of iterators is too large"
        return LoopIndex.of(Affine(), facts.with_problem(NOT_AFFINE, message))
    excess = facts.excess()
    return LoopIndex.of(affine, facts) if excess is None else LoopIndex.of(Affine(), excess)


def _compared(op: CompareOp, left: object, right: object) -> Condition:
    (first, second), _, _ = meeting(left, right)
    facts = Facts.joined(first.facts, second.facts)
    excess = facts.excess()
    if excess is not None:
        zero = ir.Literal(0.0)
        return Condition(ir.Compare(op, zero, zero), excess)
    return Condition(ir.Compare(op, first.expression, second.expression), facts)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Condition:
    """A comparison, or several joined by ``&`` and ``|``; ``~`` turns it round."""

    expression: ir.Condition
    facts: Facts

    def __and__(self, other: Condition) -> Condition:
        return self._joined(LogicOp.AND, other)

    def __or__(self, other: Condition) -> Condition:
        return self._joined(LogicOp.OR, other)

    def __invert__(self) -> Condition:
        return Condition(ir.negated(self.expression), self.facts)

    def __bool__(self) -> bool:
        message = "a comparison of expressions is neither true nor false while the program is made"
        hint = "write where(condition, a, b), and join by & and | with brackets: (i > 0) & (i < 9)"
        raise FrontendError(problem(EXPRESSIONS, message, hint))

    def _joined(self, op: LogicOp, other: object) -> Condition:
        if not isinstance(other, Condition):
            message = f"{op} joins conditions, not {type(other).__name__}"
            hint = "put brackets around comparisons: (i > 0) & (i < 9)"
            facts = self.facts.with_problem(EXPRESSIONS, message, hint)
            return Condition(self.expression, facts)
        facts = Facts.joined(self.facts, other.facts)
        excess = facts.excess()
        if excess is not None:
            return Condition(self.expression, excess)
        parts = (*_operands(op, self.expression), *_operands(op, other.expression))
        return Condition(Logic(op, parts), facts)


def _operands(op: LogicOp, condition: ir.Condition) -> tuple[ir.Condition, ...]:
    if isinstance(condition, Logic) and condition.op is op:
        return condition.operands
    return (condition,)


_AFFINE_HINT = "a subscript is a sum of iterators times constants, or such a sum // or % a constant"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tensor(Scalar):
    """An array; ``A[i, k + 1]`` is an element.

    Attributes
    ----------
    is_known
        Whether its shape could be told; if not, that is a problem already.
    """

    array: Array
    is_known: bool = True

    @property
    def name(self) -> str:
        """Return the array's name."""
        return self.array.name

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the extents, outermost first."""
        return self.array.shape

    def __getitem__(self, subscripts: Operand | tuple[Operand, ...]) -> Value:
        listed = subscripts if isinstance(subscripts, tuple) else (subscripts,)
        indices = [subscript_of(subscript, self.name) for subscript in listed]
        facts = Facts.joined(*(index.facts for index in indices))
        wanted, found = len(self.shape), len(indices)
        if self.is_known and wanted != found and not facts.problems:
            dimensions = "1 dimension" if wanted == 1 else f"{wanted} dimensions"
            given = "1 subscript" if found == 1 else f"{found} subscripts"
            message = f"{self.name} has {dimensions}, but is given {given}"
            facts = facts.with_problem(SUBSCRIPTS, message)
        if facts.problems or not self.is_known:
            return Value(Literal(0.0), self.array.element, facts)
        access = Access(self.name, tuple(index.affine for index in indices))
        facts = Facts.joined(facts, Facts(places=((access, caller()),)))
        return Value(Read(access), self.array.element, facts)

    def __iter__(self) -> None:
        raise TypeError(f"{self.name} has no elements to iterate over; its values aren't computed")

    def value(self) -> Value:
        """Return the only element of an array without dimensions."""
        return self[()]

    def __repr__(self) -> str:
        """Return the declaration, for instance ``A[4][8]: float``."""
        return f"{self.name}{''.join(f'[{e}]' for e in self.shape)}: {self.array.element}"


def subscript_of(subscript: object, array: str) -> LoopIndex:
    """Return a subscript as a sum of iterators; one that is none has a problem."""
    if isinstance(subscript, LoopIndex):
        return subscript
    number = whole(subscript)
    if number is not None:
        return LoopIndex.of(Affine.of(number), Facts())
    if isinstance(subscript, slice):
        facts = Facts().with_problem(
            NOT_AFFINE, f"{array} is subscripted by a slice", "write an element, and loop over it"
        )
    else:
        value = as_value(subscript)
        facts = value.facts
        if not facts.problems:
            text = expression_text(value.expression)
            text = f"subscript {text}" if len(text) <= 60 and not facts.pending else "a subscript"
            facts = facts.with_problem(NOT_AFFINE, f"{text} of {array} is not affine", _AFFINE_HINT)
    return LoopIndex.of(Affine(), facts)
