"""C++ text of expressions: same operations in the same order, with as few brackets as needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

import numpy as np

from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Call,
    Compare,
    Function,
    Literal,
    Read,
    Select,
)
from streamopt.ir.program import ElementType, Reduction

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.expression import Access, Expression

__all__ = ["FUNCTION_NAMES", "ExpressionText"]

_PRECEDENCE = {BinaryOp.ADD: 1, BinaryOp.SUB: 1, BinaryOp.MUL: 2, BinaryOp.DIV: 2}
_ATOM = 3

_FUNCTIONS = {
    Function.EXP: "exp",
    Function.LOG: "log",
    Function.SQRT: "sqrt",
    Function.TANH: "tanh",
    Function.ERF: "erf",
    Function.ABS: "fabs",
    Function.MAX: "fmax",
    Function.MIN: "fmin",
}
FUNCTION_NAMES = frozenset(
    f"{name}{suffix}" for name in _FUNCTIONS.values() for suffix in ("", "f")
)
"""All functions that emitted code may call."""


@dataclass(frozen=True, slots=True)
class ExpressionText:
    """Prints expressions that compute in one element type.

    Attributes
    ----------
    read
        Text of an operand, of the element type.
    """

    element: ElementType
    read: Callable[[Access], str]

    def text(self, expression: Expression) -> str:
        """Return the text of an expression.

        Raises
        ------
        CodegenError
            E601 for a literal that is no finite number of the element type.
        """
        return self._text(expression)[0]

    def literal(self, value: float) -> str:
        """Return the shortest text that gives back the value in the element type."""
        double = self.element is ElementType.DOUBLE
        with np.errstate(over="ignore"):
            number = np.float64(value) if double else np.float32(value)
        if not np.isfinite(number):
            message = f"literal {value} is not a finite {self.element}"
            raise CodegenError(Diagnostic("E601", message))
        return str(number) if double else f"{number!s}f"

    def combine(self, reduction: Reduction, left: str, right: str) -> str:
        """Return one step of a reduction; the operands are names or in brackets."""
        match reduction:
            case Reduction.ADD | Reduction.MUL:
                return f"{left} {reduction} {right}"
            case Reduction.MAX:
                return f"{self._function(Function.MAX)}({left}, {right})"
            case Reduction.MIN:
                return f"{self._function(Function.MIN)}({left}, {right})"

    def _function(self, function: Function) -> str:
        suffix = "f" if self.element is ElementType.FLOAT else ""
        return f"{_FUNCTIONS[function]}{suffix}"

    def _text(self, expression: Expression) -> tuple[str, int]:
        match expression:
            case Literal(value):
                text = self.literal(value)
                return (f"({text})" if text.startswith("-") else text), _ATOM
            case Read(access):
                return self.read(access), _ATOM
            case Binary(op, left, right):
                level = _PRECEDENCE[op]
                operands = f"{self._inside(left, level)} {op} {self._inside(right, level + 1)}"
                return operands, level
            case Call(function, arguments):
                listed = ", ".join(self.text(argument) for argument in arguments)
                return f"{self._function(function)}({listed})", _ATOM
            case Compare(op, left, right):
                return f"{self._inside(left, 1)} {op} {self._inside(right, 1)}", 0
            case Select(condition, then, otherwise):
                branches = f"{self._inside(then, 1)} : {self._inside(otherwise, 1)}"
                return f"({self.text(condition)} ? {branches})", _ATOM
            case _:
                assert_never(expression)

    def _inside(self, expression: Expression, level: int) -> str:
        """Return the text of an operand, in brackets if it binds weaker than ``level``."""
        text, own = self._text(expression)
        return text if own >= level else f"({text})"
