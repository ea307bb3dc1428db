"""The costs of operators: latency, DSPs, LUTs and flip-flops by implementation and clock."""

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from math import ceil

from streamopt.errors import Diagnostic, TargetError
from streamopt.ir.element import ElementType
from streamopt.ir.operators import Operator


class OperatorsName(StrEnum):
    """Whose operators a design is built of."""

    OPEN = "open"
    """Those of our own Verilog."""
    VENDOR = "vendor"
    """Those that the vendor's tool makes."""


@dataclass(frozen=True, slots=True)
class OperatorCost:
    """One operator in hardware, with a new operand every cycle."""

    latency_cycles: int
    """Registers between operands and result; 0 for combinational logic. A report's stages are one
    more."""
    dsps: int
    luts: int
    ffs: int
    implementation: str
    """As ``bind_op`` of Vitis HLS names it: ``fulldsp``, ``fabric``, ...; ``packed`` for what it
    has no name for."""
    clock_ns: float
    """Clock period of the table's row, which is not above the target's."""
    source: str
    products: int = 1
    """That one unit does at once; ``source`` says what they have in common."""


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """A row of an operator table: a cost, and the operators and element types that have it."""

    operators: frozenset[Operator]
    elements: frozenset[ElementType]
    cost: OperatorCost


@dataclass(frozen=True, slots=True)
class OperatorTable:
    """The operators of a device family, and the name of the file that lists them."""

    file: str
    rows: tuple[OperatorRow, ...]
    is_open: bool = False
    """Whether they are those of our own Verilog, in whose schedule nothing but operators and
    memories takes a cycle."""


def operator_cost(
    table: OperatorTable,
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
    known = [
        row.cost for row in table.rows if operator in row.operators and element in row.elements
    ]
    names = list(dict.fromkeys(cost.implementation for cost in known))
    wanted = implementation if implementation is not None or not names else names[0]
    subject = f"'{operator.value}' of {element.value}"
    if wanted not in names:
        if element.is_fixed or element.is_narrow:
            return _fixed_point_cost(table, operator, element, implementation, clock_ns)
        message = f"the operator table has no {subject}" + (f" in '{wanted}'" if wanted else "")
        hint = f"add an [[operator]] row to {table.file}"
        if table.is_open:
            hint = "our Verilog doesn't compute it: choose --operators vendor"
        if names:
            hint = f"implementations: {', '.join(names)}; or {hint}"
        raise TargetError(Diagnostic("E854", message, hint=hint))
    costs = [cost for cost in known if cost.implementation == wanted]
    fitting = [cost for cost in costs if cost.clock_ns <= clock_ns]
    if not fitting:
        fastest = min(cost.clock_ns for cost in costs)
        message = f"no row of {subject} in '{wanted}' is for a clock of {clock_ns} ns"
        hint = (
            f"the fastest is for {fastest} ns: take a longer period, or add a row to {table.file}"
        )
        raise TargetError(Diagnostic("E855", message, hint=hint))
    return max(fitting, key=lambda cost: cost.clock_ns)


def _fixed_point_cost(
    table: OperatorTable,
    operator: Operator,
    element: ElementType,
    implementation: str | None,
    clock_ns: float,
) -> OperatorCost:
    """Return the cost of an operator on mantissas or narrow integers, which are whole numbers.

    The table's row is that of the narrowest fixed-point or integer type that is as wide, or the
    widest. The row of an integer type is scaled: LUTs and flip-flops by the width, those of a
    divider by its square; a divider has a stage less for each bit less.
    """
    listed = {kind for row in table.rows if operator in row.operators for kind in row.elements}
    known = sorted(
        (kind for kind in listed if not kind.is_float and kind.is_signed),
        key=lambda kind: (kind.bits < element.bits, abs(kind.bits - element.bits), kind.value),
    )
    if not known:
        message = f"the operator table has no '{operator.value}' of fixed-point or integer types"
        hint = f"add an [[operator]] row to {table.file}"
        raise TargetError(Diagnostic("E854", message, hint=hint))
    cost = operator_cost(table, operator, known[0], implementation, clock_ns)
    if known[0].is_fixed:
        return cost
    ratio = Fraction(element.bits, known[0].bits)
    fewer = known[0].bits - element.bits if operator is Operator.DIV else 0
    area = ratio * ratio if operator is Operator.DIV else ratio
    return replace(
        cost,
        latency_cycles=max(1, cost.latency_cycles - fewer) if fewer else cost.latency_cycles,
        luts=ceil(cost.luts * area),
        ffs=ceil(cost.ffs * area),
    )
