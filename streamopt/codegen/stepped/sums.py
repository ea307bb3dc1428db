"""Sums of lanes: how terms are combined, what stands for one that isn't there, and the update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.codegen.expressions import literal
from streamopt.ir.expression import Binary, Call
from streamopt.ir.operators import BinaryOp, Function, Operator, Reduction

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Expression

REDUCTIONS = {
    Operator.ADD: Reduction.ADD,
    Operator.MUL: Reduction.MUL,
    Operator.MAX: Reduction.MAX,
    Operator.MIN: Reduction.MIN,
}
_FUNCTIONS = {Operator.MAX: Function.MAX, Operator.MIN: Function.MIN}
_BINARY = {Operator.ADD: BinaryOp.ADD, Operator.SUB: BinaryOp.SUB, Operator.MUL: BinaryOp.MUL}


def updated(operator: Operator, own: Expression, terms: Expression) -> Expression:
    """Return the update of an element by a term, or by many that are combined."""
    if operator in _FUNCTIONS:
        return Call(_FUNCTIONS[operator], (own, terms))
    return Binary(_BINARY[operator], own, terms)


def identity(reduction: Reduction, element: ElementType, extreme: Callable[..., str]) -> str:
    """Return the value that changes no sum; where its type has none, a bound."""
    if reduction in (Reduction.ADD, Reduction.MUL):
        return literal(reduction.identity, element)
    return extreme(element, largest=reduction is Reduction.MIN)
