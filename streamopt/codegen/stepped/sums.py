"""Updates that add a term to an element: ``x = x + term``, and with other operators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir.expression import Binary, BinaryOp, Call, Function, Read
from streamopt.ir.operators import Reduction

if TYPE_CHECKING:
    from streamopt.ir.expression import Expression
    from streamopt.ir.program import Statement


@dataclass(frozen=True, slots=True)
class LanedSum:
    """One update of an element.

    Attributes
    ----------
    reduction
        How terms are combined with each other.
    operator
        How a term, or their sum, is combined with the element: sums of what is subtracted are
        subtracted.
    """

    reduction: Reduction
    operator: BinaryOp | Function
    term: Expression

    def combined(self, own: Expression, term: Expression) -> Expression:
        """Return the update of an element by a term."""
        if isinstance(self.operator, Function):
            return Call(self.operator, (own, term))
        return Binary(self.operator, own, term)


def step_of(statement: Statement) -> LanedSum | None:
    """Return the update that a statement is; None if it is another one."""
    own = Read(statement.target)
    match statement.value:
        case Binary(BinaryOp.ADD | BinaryOp.MUL as op, left, right) if own in (left, right):
            return LanedSum(Reduction(op.value), op, right if left == own else left)
        case Binary(BinaryOp.SUB, left, right) if left == own:
            return LanedSum(Reduction.ADD, BinaryOp.SUB, right)
        case Call(Function.MAX | Function.MIN as function, (left, right)) if own in (left, right):
            return LanedSum(Reduction(function.value), function, right if left == own else left)
        case _:
            return None
