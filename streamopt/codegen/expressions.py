"""C++ text of expressions: same operations in the same order, with as few brackets as needed.

Types are C's on both sides, so the compiler's own conversions do what the expression tree says;
casts stand only where C++ would do something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

import numpy as np

from streamopt.codegen.operators import OPERATOR_FUNCTION_NAMES
from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    Function,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
    is_negation,
)
from streamopt.ir.expression_type import expression_type
from streamopt.ir.network import Operator
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Access, Condition, Expression

__all__ = ["FUNCTION_NAMES", "ExpressionText"]

_SELECT, _OR, _AND, _BIT_OR, _BIT_XOR, _BIT_AND, _EQUAL, _LESS, _SHIFT, _SUM, _PRODUCT, _ATOM = (
    range(12)
)
_PRECEDENCE = {
    BinaryOp.ADD: _SUM,
    BinaryOp.SUB: _SUM,
    BinaryOp.MUL: _PRODUCT,
    BinaryOp.DIV: _PRODUCT,
    BinaryOp.MOD: _PRODUCT,
    BinaryOp.SHL: _SHIFT,
    BinaryOp.SHR: _SHIFT,
    BinaryOp.AND: _BIT_AND,
    BinaryOp.XOR: _BIT_XOR,
    BinaryOp.OR: _BIT_OR,
}
_BOUND = {
    BinaryOp.ADD: Operator.ADD,
    BinaryOp.SUB: Operator.SUB,
    BinaryOp.MUL: Operator.MUL,
}
_REDUCING = {Reduction.ADD: Operator.ADD, Reduction.MUL: Operator.MUL}
_CONNECTIVES = {LogicOp.AND: ("&&", _AND), LogicOp.OR: ("||", _OR)}

_FUNCTIONS = {
    **{function: function.value for function in Function},
    Function.ABS: "fabs",
    Function.MAX: "fmax",
    Function.MIN: "fmin",
}
FUNCTION_NAMES = OPERATOR_FUNCTION_NAMES.union(
    f"{name}{suffix}" for name in _FUNCTIONS.values() for suffix in ("", "f")
)
"""All functions that emitted code may call."""


def _no_function(operator: Operator, element: ElementType) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class ExpressionText:
    """Prints expressions.

    Attributes
    ----------
    element_of
        Element type of an array by name.
    read
        Text of an operand, of its array's type.
    index
        Text of an affine expression of the iterators.
    function
        Name of the function that stands for an operator; None for the operator itself.
    """

    element_of: Callable[[str], ElementType]
    read: Callable[[Access], str]
    index: Callable[[Affine], str]
    function: Callable[[Operator, ElementType], str | None] = _no_function

    def text(self, expression: Expression, wanted: ElementType) -> str:
        """Return the text of an expression's value, converted to a type.

        Raises
        ------
        CodegenError
            E601 for a literal that is no finite number of its type.
        """
        element = self._type(expression) or wanted
        text = self._text(expression, element)[0]
        widens = (element, wanted) == (ElementType.FLOAT, ElementType.DOUBLE)
        return text if element is wanted or widens else f"static_cast<{wanted}>({text})"

    def condition(self, condition: Condition) -> str:
        """Return the text of a truth value."""
        return self._truth(condition)[0]

    def literal(self, value: float, element: ElementType) -> str:
        """Return the shortest text that gives back the value in an element type."""
        if not element.is_float:
            return f"INT64_C({int(value)})" if element.bits == 64 else str(int(value))
        double = element is ElementType.DOUBLE
        with np.errstate(over="ignore"):
            number = np.float64(value) if double else np.float32(value)
        if not np.isfinite(number):
            raise CodegenError(Diagnostic("E601", f"literal {value} is not a finite {element}"))
        return str(number) if double else f"{number!s}f"

    def combine(self, reduction: Reduction, left: str, right: str, element: ElementType) -> str:
        """Return one step of a reduction; the operands are names or in brackets."""
        match reduction:
            case Reduction.ADD | Reduction.MUL:
                function = self.function(_REDUCING[reduction], element)
                return f"{function}({left}, {right})" if function else f"{left} {reduction} {right}"
            case Reduction.MAX | Reduction.MIN:
                return self._called(Function(reduction.value), [left, right], element)

    def _type(self, expression: Expression) -> ElementType | None:
        return expression_type(expression, self.element_of)

    def _binary(
        self, op: BinaryOp, left: Expression, right: Expression, element: ElementType
    ) -> tuple[str, int]:
        function = self.function(_BOUND[op], element) if op in _BOUND else None
        if function is not None:
            operands = [self._exactly(side, element) for side in (left, right)]
            return f"{function}({', '.join(operands)})", _ATOM
        level = least = _PRECEDENCE[op]
        if level <= _SHIFT and not (isinstance(left, Binary) and left.op is op):
            least = _PRODUCT  # compilers warn of sums, shifts and bits without brackets
        after = max(level + 1, _PRODUCT) if level <= _SHIFT else level + 1
        sides = self._inside(left, least, element), self._inside(right, after, element)
        return f"{sides[0]} {op} {sides[1]}", level

    def _called(self, function: Function, arguments: list[str], element: ElementType) -> str:
        listed = ", ".join(arguments)
        if not element.is_float:
            name = {Function.ABS: "abs"}.get(function, f"{function}<{element}>")
            return f"std::{name}({listed})"
        return f"{_FUNCTIONS[function]}{'f' if element is ElementType.FLOAT else ''}({listed})"

    def _text(self, expression: Expression, element: ElementType) -> tuple[str, int]:
        match expression:
            case Literal(value):
                text = self.literal(value, element)
                return (f"({text})" if text.startswith("-") else text), _ATOM
            case Read(access):
                return self.read(access), _ATOM
            case Index(value):
                text = self.index(value)
                return (text if text.isidentifier() else f"({text})"), _ATOM
            case Cast(target, operand):
                inner = self._text(operand, self._type(operand) or target)[0]
                return f"static_cast<{target}>({inner})", _ATOM
            case Binary(_, _, operand) if is_negation(expression):
                return f"-{self._inside(operand, _ATOM, element)}", _PRODUCT
            case Binary(op, left, right):
                return self._binary(op, left, right, element)
            case Call(function, arguments):
                texts = [self._exactly(argument, element) for argument in arguments]
                return self._called(function, texts, element), _ATOM
            case Select(condition, then, otherwise):
                sides = self._inside(then, _OR, element), self._inside(otherwise, _OR, element)
                return f"({self.condition(condition)} ? {sides[0]} : {sides[1]})", _ATOM
            case Compare() | Logic():
                return self._truth(expression)
            case _:
                assert_never(expression)

    def _truth(self, condition: Condition) -> tuple[str, int]:
        match condition:
            case Compare(op, left, right):
                element = self._type(Binary(BinaryOp.ADD, left, right)) or ElementType.DOUBLE
                sides = self._side(left, element), self._side(right, element)
                return f"{sides[0]} {op} {sides[1]}", _LESS
            case Logic(op, operands):
                symbol, level = _CONNECTIVES[op]
                parts = (self._truth(operand) for operand in operands)
                texts = (text if own >= _BIT_OR else f"({text})" for text, own in parts)
                return f" {symbol} ".join(texts), level
            case _:
                assert_never(condition)

    def _side(self, expression: Expression, element: ElementType) -> str:
        """Return one side of a comparison; integers of the other sign are converted."""
        if isinstance(expression, Index):
            return self.index(expression.value)
        own = self._type(expression)
        if own is not None and not element.is_float and own.is_signed is not element.is_signed:
            return self._exactly(expression, element)
        return self._inside(expression, _SUM, element)

    def _exactly(self, expression: Expression, element: ElementType) -> str:
        """Return the text of an operand, with a cast where it has another type."""
        own = self._type(expression) or element
        text = self._text(expression, own)[0]
        return text if own is element else f"static_cast<{element}>({text})"

    def _inside(self, expression: Expression, level: int, element: ElementType) -> str:
        """Return the text of an operand, in brackets if it binds weaker than ``level``."""
        text, own = self._text(expression, element)
        return text if own >= level else f"({text})"
