"""What operators cost: latency, DSPs, LUTs and flip-flops by implementation and clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, TargetError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamopt.ir.element import ElementType
    from streamopt.ir.network import Operator

__all__ = ["OperatorCost", "OperatorRow", "operator_cost"]


@dataclass(frozen=True, slots=True)
class OperatorCost:
    """One operator in hardware, with a new operand every cycle.

    Attributes
    ----------
    latency_cycles
        Registers between operands and result; 0 for combinational logic. A report's stages are
        one more.
    implementation
        As ``bind_op`` of Vitis HLS names it: ``fulldsp``, ``fabric``, ...
    clock_ns
        Clock period of the table's row, which is not above the target's.
    """

    latency_cycles: int
    dsps: int
    luts: int
    ffs: int
    implementation: str
    clock_ns: float
    source: str


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """A row of an operator table: a cost, and the operators and element types that have it."""

    operators: frozenset[Operator]
    elements: frozenset[ElementType]
    cost: OperatorCost


def operator_cost(
    rows: Iterable[OperatorRow],
    operator: Operator,
    element: ElementType,
    implementation: str | None,
    clock_ns: float,
) -> OperatorCost:
    """Return the cost of an operator at a clock.

    A table has few clocks. The row taken is the one of the longest period that does not exceed
    ``clock_ns``: pipelined for a clock at least as fast, it works, with perhaps a register more
    than it needs.

    Parameters
    ----------
    implementation
        None for the first in the table.

    Raises
    ------
    TargetError
        E854 if the table has no such operator or implementation; E855 if all of its rows are for
        slower clocks.
    """
    known = [row.cost for row in rows if operator in row.operators and element in row.elements]
    names = list(dict.fromkeys(cost.implementation for cost in known))
    wanted = implementation if implementation is not None or not names else names[0]
    subject = f"'{operator.value}' of {element.value}"
    if wanted not in names:
        message = f"the operator table has no {subject}" + (f" in '{wanted}'" if wanted else "")
        hint = f"implementations: {', '.join(names)}" if names else "add a row to the table"
        raise TargetError(Diagnostic("E854", message, hint=hint))
    costs = [cost for cost in known if cost.implementation == wanted]
    fitting = [cost for cost in costs if cost.clock_ns <= clock_ns]
    if not fitting:
        fastest = min(cost.clock_ns for cost in costs)
        message = f"no row of {subject} in '{wanted}' is for a clock of {clock_ns} ns"
        hint = f"the fastest is for {fastest} ns: take a longer period, or add a row to the table"
        raise TargetError(Diagnostic("E855", message, hint=hint))
    return max(fitting, key=lambda cost: cost.clock_ns)
