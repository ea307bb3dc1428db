"""Truth values of the DSL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from streamopt.errors import FrontendError
from streamopt.frontends.dsl.facts import EXPRESSIONS, Facts, problem
from streamopt.ir import expression as ir
from streamopt.ir.expression import Compare, Logic, LogicOp


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Condition:
    """A comparison, or several joined by ``&`` and ``|``; ``~`` turns it round.

    Attributes
    ----------
    is_exact
        Whether it compares integers only, of which ``<`` is the opposite of ``>=``.
    """

    expression: ir.Condition
    facts: Facts
    is_exact: bool

    def __and__(self, other: Condition) -> Condition:
        return self._joined(LogicOp.AND, other)

    def __or__(self, other: Condition) -> Condition:
        return self._joined(LogicOp.OR, other)

    def __invert__(self) -> Condition:
        if self.is_exact:
            return Condition(_negated(self.expression), self.facts, is_exact=True)
        message = "~ turns round comparisons of integers; of others < is not the opposite of >="
        facts = self.facts.with_problem(EXPRESSIONS, message, "swap the two values of the where")
        return Condition(self.expression, facts, is_exact=False)

    def __bool__(self) -> bool:
        message = "a comparison of expressions is neither true nor false while the program is made"
        hint = "write where(condition, a, b), and join by & and | with brackets: (i > 0) & (i < 9)"
        raise FrontendError(problem(EXPRESSIONS, message, hint))

    def _joined(self, op: LogicOp, other: object) -> Condition:
        if not isinstance(other, Condition):
            message = f"{op} joins conditions, not {type(other).__name__}"
            hint = "put brackets around comparisons: (i > 0) & (i < 9)"
            facts = self.facts.with_problem(EXPRESSIONS, message, hint)
            return Condition(self.expression, facts, self.is_exact)
        facts = Facts.joined(self.facts, other.facts)
        excess = facts.excess()
        if excess is not None:
            return Condition(self.expression, excess, self.is_exact)
        parts = (*_operands(op, self.expression), *_operands(op, other.expression))
        return Condition(Logic(op, parts), facts, self.is_exact and other.is_exact)


def _operands(op: LogicOp, condition: ir.Condition) -> tuple[ir.Condition, ...]:
    if isinstance(condition, Logic) and condition.op is op:
        return condition.operands
    return (condition,)


def _negated(condition: ir.Condition) -> ir.Condition:
    match condition:
        case Compare(op, left, right):
            return Compare(op.opposite, left, right)
        case Logic(op, operands):
            other = LogicOp.OR if op is LogicOp.AND else LogicOp.AND
            return Logic(other, tuple(map(_negated, operands)))
        case _:
            assert_never(condition)
