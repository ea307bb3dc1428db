"""Statements as reads and operations, each operation with the least that it takes."""

from dataclasses import dataclass
from typing import NamedTuple

from streamopt.analysis.operations import OperationList, read_guards
from streamopt.analysis.sum_steps import SumStep, sum_step
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Condition, affine_conjuncts, is_affine_condition
from streamopt.ir.network import Operation
from streamopt.ir.operators import Operator, Reduction
from streamopt.ir.program import Statement
from streamopt.target.device import Target

_TERMS = {
    Reduction.ADD: Operator.ADD,
    Reduction.MUL: Operator.MUL,
    Reduction.MAX: Operator.MAX,
    Reduction.MIN: Operator.MIN,
}


class OperationPrice(NamedTuple):
    """The least that an operation takes."""

    latency_cycles: int
    """Of the quickest implementation that the device's table has."""
    dsps: int
    """Of the one that the tool takes unasked, which is kept busy for a cycle."""
    builds: tuple[tuple[float, int], ...] = ()
    """DSPs and LUTs of each implementation; of one that does several products, its share."""


@dataclass(frozen=True, slots=True, eq=False)
class StatementBody:
    """A statement as reads and operations, equal ones once."""

    statement: Statement
    reads: tuple[tuple[str, Access, tuple[Condition, ...]], ...]
    """Triples (value, access, affine conditions under which it is read)."""
    operations: tuple[tuple[Operation, OperationPrice], ...]
    """Each behind those that make its operands."""
    result: str
    """Value that is assigned, or the term that is added to a sum."""
    sum_price: OperationPrice | None
    """Of the operator that adds the term; None for what is no sum."""
    conditions: tuple[Condition, ...]
    """Affine ones under which it runs."""
    waits_for: str = ""
    """Value of its condition on data; empty if it has none."""

    @property
    def prices(self) -> tuple[OperationPrice, ...]:
        """Return the prices of all operations of one execution."""
        own = tuple(price for _, price in self.operations)
        return own if self.sum_price is None else (*own, self.sum_price)

    @property
    def dsps(self) -> int:
        """Return the DSPs that one execution keeps busy for a cycle."""
        return sum(price.dsps for price in self.prices)


def statement_body(statement: Statement, among: ValueContext, on: Target) -> StatementBody:
    """Return the reads and operations of one execution of a statement.

    Parameters
    ----------
    among
        All loops around it.
    """
    step = _step(statement)
    named: dict[Access, str] = {}
    listed = OperationList(among, lambda access: named.setdefault(access, f"v{len(named)}"))
    result = listed.value(statement.value if step is None else step.term)
    guard, waits_for = statement.guard, ""
    if guard is not None and not is_affine_condition(guard):
        waits_for = listed.value(guard)
    under = read_guards(statement)
    element = among.element_of(statement.target.array)
    return StatementBody(
        statement,
        tuple(
            (name, access, affine_conjuncts(under[access]) if access in under else ())
            for access, name in named.items()
        ),
        tuple((each, _price(on, each.operator, each.element)) for each in listed.operations),
        result,
        None if step is None else _price(on, step.terms, element),
        () if guard is None else affine_conjuncts(guard),
        waits_for,
    )


def _step(statement: Statement) -> SumStep | None:
    if statement.reduction is None:
        return sum_step(statement)
    operator = _TERMS[statement.reduction]
    return SumStep(statement.value, operator, operator)


def _price(on: Target, operator: Operator, element: ElementType) -> OperationPrice:
    known = (row for row in on.operators.rows if operator in row.operators)
    names = dict.fromkeys(row.cost.implementation for row in known if element in row.elements)
    usual = on.operator(operator, element)
    costs = [on.operator(operator, element, n) for n in names if on.builds(operator, element, n)]
    latency = min((cost.latency_cycles for cost in costs), default=usual.latency_cycles)
    builds = tuple((cost.dsps / cost.products, cost.luts // cost.products) for cost in costs)
    return OperationPrice(latency, usual.dsps, builds)
