"""Truth values of the DSL."""

from __future__ import annotations

from dataclasses import dataclass

from streamopt.errors import FrontendError
from streamopt.frontends.dsl.facts import EXPRESSIONS, Facts, problem
from streamopt.ir import expression as ir
from streamopt.ir.expression import Logic, LogicOp


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Condition:
    """A comparison, or several joined by ``&`` and ``|``; ``~`` turns it round."""

    expression: ir.Condition
    facts: Facts

    def __and__(self, other: Condition) -> Condition:
        return self._joined(LogicOp.AND, other)

    def __or__(self, other: Condition) -> Condition:
        return self._joined(LogicOp.OR, other)

    def __invert__(self) -> Condition:
        return Condition(ir.negated(self.expression), self.facts)

    def __bool__(self) -> bool:
        message = "a comparison of expressions is neither true nor false while the program is made"
        hint = "write where(condition, a, b), and join by & and | with brackets: (i > 0) & (i < 9)"
        raise FrontendError(problem(EXPRESSIONS, message, hint))

    def _joined(self, op: LogicOp, other: object) -> Condition:
        if not isinstance(other, Condition):
            message = f"{op} joins conditions, not {type(other).__name__}"
            hint = "put brackets around comparisons: (i > 0) & (i < 9)"
            facts = self.facts.with_problem(EXPRESSIONS, message, hint)
            return Condition(self.expression, facts)
        facts = Facts.joined(self.facts, other.facts)
        excess = facts.excess()
        if excess is not None:
            return Condition(self.expression, excess)
        parts = (*_operands(op, self.expression), *_operands(op, other.expression))
        return Condition(Logic(op, parts), facts)


def _operands(op: LogicOp, condition: ir.Condition) -> tuple[ir.Condition, ...]:
    if isinstance(condition, Logic) and condition.op is op:
        return condition.operands
    return (condition,)
