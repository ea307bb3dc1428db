"""Sums along lanes: the term that a lane adds, and how their sum meets the element."""

from dataclasses import dataclass

from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Compare,
    CompareOp,
    Condition,
    Expression,
    Function,
    Read,
    Select,
    reads,
)
from streamopt.ir.operators import Operator, Reduction
from streamopt.ir.program import Statement

_FUNCTIONS = {Function.MAX: Operator.MAX, Function.MIN: Operator.MIN}
_GREATER = (CompareOp.GT, CompareOp.GE)
_LESS = (CompareOp.LT, CompareOp.LE)
_OPPOSITE = {Function.MAX: Function.MIN, Function.MIN: Function.MAX}
_OPERATORS = {BinaryOp.ADD: Operator.ADD, BinaryOp.MUL: Operator.MUL}
_REDUCTIONS = {
    Operator.ADD: Reduction.ADD,
    Operator.MUL: Reduction.MUL,
    Operator.MAX: Reduction.MAX,
    Operator.MIN: Reduction.MIN,
}


@dataclass(frozen=True, slots=True)
class SumStep:
    """``target = target (update) term``.

    Attributes
    ----------
    terms
        Operator that combines terms of lanes.
    update
        Operator between the element, on its left, and the combined terms.
    is_chosen
        Whether comparisons choose the larger or smaller value, as the statement does: they take
        fewer LUTs than a function that tells numbers from others.
    """

    term: Expression
    terms: Operator
    update: Operator
    is_chosen: bool = False

    @property
    def reduction(self) -> Reduction:
        """Return the reduction that combines terms of lanes."""
        return _REDUCTIONS[self.terms]


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
        case _:
            extreme = extreme_update(statement.target, value)
            if extreme is None:
                return None
            terms = _FUNCTIONS[extreme[0]]
            found = SumStep(extreme[1], terms, terms, isinstance(value, Select))
    return None if statement.target in reads(found.term) else found


def extreme_update(target: Access, value: Expression) -> tuple[Function, Expression] | None:
    """Return the function and the term of ``target = max(target, term)``, or of a minimum.

    A comparison and a selection do the same wherever two numbers are compared. With floating-point
    numbers the sign of a zero may differ where ``>=`` or ``<=`` is written, and a target that is
    not a number at the start is replaced.

    Before: ``m[i] = x[i][j] > m[i] ? x[i][j] : m[i]``
    After:  maximum, ``x[i][j]``
    """
    own = Read(target)
    match value:
        case Call(Function.MAX | Function.MIN as function, (left, right)) if own in (left, right):
            return function, right if left == own else left
        case Select(condition, then, otherwise) if otherwise == own:
            function, term = _function(condition, then, own), then
        case Select(condition, then, otherwise) if then == own:
            found = _function(condition, otherwise, own)
            function, term = None if found is None else _OPPOSITE[found], otherwise
        case _:
            return None
    return None if function is None else (function, term)


def _function(condition: Condition, term: Expression, own: Read) -> Function | None:
    """Return which of two values a condition takes the term for, if it compares just these."""
    match condition:
        case Compare(op, left, right) if {left, right} == {term, own} and left != right:
            greater = op in (_GREATER if left == term else _LESS)
            smaller = op in (_LESS if left == term else _GREATER)
            return Function.MAX if greater else Function.MIN if smaller else None
        case _:
            return None
