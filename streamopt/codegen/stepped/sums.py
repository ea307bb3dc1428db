"""Sums of lanes: how terms are combined, what stands for one that isn't there, and the update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.codegen.expressions import literal
from streamopt.ir.expression import Binary, Call, Compare, Select
from streamopt.ir.operators import BinaryOp, CompareOp, Function, Operator, Reduction

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.analysis.sum_steps import SumStep
    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Expression

_FUNCTIONS = {Operator.MAX: Function.MAX, Operator.MIN: Function.MIN}
_BINARY = {Operator.ADD: BinaryOp.ADD, Operator.SUB: BinaryOp.SUB, Operator.MUL: BinaryOp.MUL}


_CHOOSING = {Operator.MAX: CompareOp.GE, Operator.MIN: CompareOp.LE}


def updated(step: SumStep, own: Expression, terms: Expression) -> Expression:
    """Return the update of an element by a term, or by many that are combined."""
    if step.is_chosen:
        return Select(Compare(_CHOOSING[step.update], own, terms), own, terms)
    if step.update in _FUNCTIONS:
        return Call(_FUNCTIONS[step.update], (own, terms))
    return Binary(_BINARY[step.update], own, terms)


def joined(
    step: SumStep, element: ElementType, combine: Callable[..., str]
) -> Callable[[str, str], str]:
    """Return how the texts of two terms become that of both; they are names or in brackets."""
    if not step.is_chosen:
        return lambda left, right: combine(step.reduction, left, right, element)
    op = _CHOOSING[step.terms]
    return lambda left, right: f"{left} {op} {right} ? {left} : {right}"


def identity(reduction: Reduction, element: ElementType, extreme: Callable[..., str]) -> str:
    """Return the value that changes no sum; where its type has none, a bound."""
    if reduction in (Reduction.ADD, Reduction.MUL):
        return literal(reduction.identity, element)
    return extreme(element, largest=reduction is Reduction.MIN)
