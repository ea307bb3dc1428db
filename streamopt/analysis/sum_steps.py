"""Sums along lanes: the term that a lane adds, and how their sum meets the element."""

from dataclasses import dataclass

from streamopt.ir.expression import Binary, BinaryOp, Call, Expression, Function, Read, reads
from streamopt.ir.operators import Operator
from streamopt.ir.program import Statement

_FUNCTIONS = {Function.MAX: Operator.MAX, Function.MIN: Operator.MIN}
_OPERATORS = {BinaryOp.ADD: Operator.ADD, BinaryOp.MUL: Operator.MUL}


@dataclass(frozen=True, slots=True)
class SumStep:
    """``target = target (update) term``.

    Attributes
    ----------
    terms
        Operator that combines terms of lanes.
    update
        Operator between the element, on its left, and the combined terms.
    """

    term: Expression
    terms: Operator
    update: Operator


def sum_step(statement: Statement) -> SumStep | None:
    """Return the step of a sum that a statement is, if it is one.

    Before: ``A[i] = A[i] - x[i][k]``
    After:  terms ``x[i][k]``, joined by additions, then ``A[i] - sum``
    """
    own, value = Read(statement.target), statement.value
    match value:
        case Binary(BinaryOp.ADD | BinaryOp.MUL as op, left, right) if own in (left, right):
            terms = _OPERATORS[op]
            found = SumStep(right if left == own else left, terms, terms)
        case Binary(BinaryOp.SUB, left, right) if left == own:
            found = SumStep(right, Operator.ADD, Operator.SUB)
        case Call(Function.MAX | Function.MIN as function, (left, right)) if own in (left, right):
            terms = _FUNCTIONS[function]
            found = SumStep(right if left == own else left, terms, terms)
        case _:
            return None
    return None if statement.target in reads(found.term) else found
