"""Reductions recognised: statements that combine a target with a term, term by term.

Before::

    s[i] = s[i] + A[i][j]          m[i] = max(m[i], x[i][j])

After::

    s[i] (+)= A[i][j]              m[i] (max)= x[i][j]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Call,
    Function,
    Literal,
    Read,
    reads,
)
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from streamopt.ir.expression import Access, Expression

__all__ = ["Recognized", "recognized"]


@dataclass(frozen=True, slots=True)
class Recognized:
    """``target = target (reduction) term``; the term doesn't read the target."""

    reduction: Reduction
    term: Expression


def recognized(target: Access, value: Expression) -> Recognized | None:
    """Return the reduction that an assignment is a step of, if it is one."""
    own = Read(target)
    match value:
        case Binary(BinaryOp.ADD | BinaryOp.MUL as op, left, right) if own in (left, right):
            found = Recognized(Reduction(op.value), right if left == own else left)
        case Binary(BinaryOp.SUB, left, right) if left == own:
            found = Recognized(Reduction.ADD, _opposite(right))
        case Call(Function.MAX | Function.MIN as function, (left, right)) if own in (left, right):
            found = Recognized(Reduction(function.value), right if left == own else left)
        case _:
            found = None
    if found is None or target in reads(found.term):
        return None
    return found


def _opposite(value: Expression) -> Expression:
    """Return the value with the other sign, that of zeros included."""
    return Binary(BinaryOp.SUB, Literal(-0.0), value)
