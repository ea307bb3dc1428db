"""What every statement must satisfy, wherever it stands: subscripts in range, types that fit."""

from __future__ import annotations

from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING

from streamopt.analysis.ranges import is_inside
from streamopt.errors import Diagnostic
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    Function,
    Literal,
    Select,
    affine_conjuncts,
    conditional_reads,
    walk,
)
from streamopt.ir.expression_type import compared_type, expression_type, operand_types
from streamopt.ir.fixed_point import MAX_BITS
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Access, Condition, Expression
    from streamopt.ir.program import Nest, Program, Statement

__all__ = ["OUTSIDE", "fixed_point_problems", "statement_problems", "statement_reads"]


OUTSIDE = "E214"
"""Code of a subscript that is outside its array."""

_INTEGER_OPS = {
    BinaryOp.MOD,
    BinaryOp.SHL,
    BinaryOp.SHR,
    BinaryOp.AND,
    BinaryOp.OR,
    BinaryOp.XOR,
}


def statement_reads(statement: Statement) -> Iterator[tuple[Access, tuple[Condition, ...]]]:
    """Yield every read of a statement with the affine conditions under which it happens."""
    guard = statement.guard
    under = affine_conjuncts(guard) if guard is not None else ()
    if guard is not None:
        yield from conditional_reads(guard)
    if statement.start is not None:
        yield from conditional_reads(statement.start)
    yield from conditional_reads(statement.value, under)


def statement_problems(program: Program, nest: Nest, statement: Statement) -> Iterator[Diagnostic]:
    """Yield E214, E215 and E219 of one statement."""
    loc = statement.loc or nest.loc
    guard = statement.guard
    under = affine_conjuncts(guard) if guard is not None else ()
    if statement.reduction is not None:
        under = ()
    accesses = [(statement.target, under), *statement_reads(statement)]
    for access, conditions in dict.fromkeys(accesses):
        shape = program.array(access.array).shape
        if not is_inside(access, nest.trip_counts, conditions, shape):
            extents = " x ".join(map(str, shape)) or "a scalar"
            message = f"{access} in node '{nest.name}' reaches outside {access.array} ({extents})"
            yield Diagnostic(OUTSIDE, message, loc, "change the loops, the subscript or the guard")
    for expression in statement.expressions:
        for part in walk(expression):
            if isinstance(part, Binary) and part.op in _INTEGER_OPS:
                element = expression_type(part, lambda name: program.array(name).element)
                if element is not None and not element.is_integer:
                    message = f"{part.op} in node '{nest.name}' needs integers, not {element}"
                    yield Diagnostic("E215", message, loc, "convert the operands: `int32_t(x)`")
    yield from fixed_point_problems(program, nest, statement)


_DEFINED = (Function.ABS, Function.MAX, Function.MIN)


def fixed_point_problems(
    program: Program, nest: Nest, statement: Statement
) -> Iterator[Diagnostic]:
    """Yield E219 of one statement: an operation that fixed-point numbers don't have."""
    checks = _Checks(program, nest)
    found = [*checks.reduction(statement)]
    if statement.start is not None:
        found += checks.stored(statement.start, statement.target.array)
    found += checks.stored(statement.value, statement.target.array)
    for expression in statement.expressions:
        for part in walk(expression):
            found += checks.part(part)
    for message, hint in dict.fromkeys(found):
        yield Diagnostic("E219", message, statement.loc or nest.loc, hint)


class _Checks:
    """Problems as pairs (message, hint)."""

    def __init__(self, program: Program, nest: Nest) -> None:
        self._program = program
        self._where = f"in node '{nest.name}'"

    def _element(self, array: str) -> ElementType:
        return self._program.array(array).element

    def reduction(self, statement: Statement) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with how terms are combined."""
        target = self._element(statement.target.array)
        if statement.reduction is None:
            return
        if target.is_fixed and statement.reduction is Reduction.MUL:
            message = f"a product over iterations of {target} {self._where} is rounded at each step"
            yield message, "compute it in float, and convert the result"
        term = self._type(statement.value)
        if term is None or term.is_fixed is target.is_fixed:
            return
        if (target.is_fixed and term.is_float) or (term.is_fixed and target.is_integer):
            message = f"terms of {term} are added up in {target} {self._where}"
            yield message, f"convert the term to {target}"

    def stored(self, value: Expression, array: str) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with a value that goes into an array as it is."""
        element = self._element(array)
        if isinstance(value, Literal) and element.is_fixed:
            yield from self._literal(value, element)

    def part(self, part: Expression) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with one operation."""
        match part:
            case Binary(_, left, right):
                yield from self._mixed(left, right)
                yield from self._wide(part, self._type(part))
                yield from self._operands(part)
            case Compare(_, left, right):
                element = compared_type(left, right, self._element)
                yield from self._mixed(left, right)
                yield from self._wide(part, element)
                for literal in (left, right):
                    if isinstance(literal, Literal) and element is not None and element.is_fixed:
                        yield from self._literal(literal, element)
            case Select(_, left, right):
                yield from self._mixed(left, right)
            case Call(function, arguments):
                for pair in combinations(arguments, 2):
                    yield from self._mixed(*pair)
                yield from self._function(function, arguments)
            case Cast(element, Literal() as value) if element.is_fixed:
                yield from self._literal(value, element)
            case _:
                pass

    def _type(self, expression: Expression) -> ElementType | None:
        return expression_type(expression, self._element)

    def _mixed(self, left: Expression, right: Expression) -> Iterator[tuple[str, str]]:
        types = [kind for kind in map(self._type, (left, right)) if kind is not None]
        fixed = next((kind for kind in types if kind.is_fixed), None)
        real = next((kind for kind in types if kind.is_float), None)
        if fixed is not None and real is not None:
            message = f"{fixed} meets {real} {self._where}, and C++ has no type for both"
            yield message, f"convert one of them, to {real} or {fixed}"

    def _wide(self, part: Expression, element: ElementType | None) -> Iterator[tuple[str, str]]:
        if element is not None and element.is_fixed and element.bits > MAX_BITS:
            wide = element.bits if element.bits < 2 * MAX_BITS else f"more than {MAX_BITS}"
            kind = "comparison" if isinstance(part, Compare) else f"{getattr(part, 'op', '')}"
            message = f"the exact result of a {kind} {self._where} has {wide} bits, "
            message += f"and there are {MAX_BITS}"
            yield message, "convert an operand to a narrower type first"

    def _operands(self, part: Binary) -> Iterator[tuple[str, str]]:
        element = self._type(part)
        if element is None or not element.is_fixed:
            return
        types = operand_types(part, element, self._element)
        for operand, kind in zip((part.left, part.right), types, strict=True):
            if isinstance(operand, Literal):
                yield from self._literal(operand, kind)

    def _literal(self, literal: Literal, element: ElementType) -> Iterator[tuple[str, str]]:
        form = element.fixed_point
        low, high = (float(form.number(end)) for end in (form.lowest, form.highest))
        if not isfinite(literal.value) or not low <= literal.value <= high:
            message = f"{literal.value:g} {self._where} is outside the range of {element}, "
            message += f"{low:g} .. {high:g}"
            yield message, "take more integer bits, or convert the other operand"

    def _function(
        self, function: Function, arguments: tuple[Expression, ...]
    ) -> Iterator[tuple[str, str]]:
        for element in filter(None, map(self._type, arguments)):
            if element.is_fixed and function not in _DEFINED:
                message = f"{function} {self._where} is not defined for {element}"
                yield message, f"compute it in float: `{function}(float(x))`"
