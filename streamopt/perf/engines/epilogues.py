"""Resources and latency of an epilogue in hardware."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from streamopt.ir.arithmetic import compared_type, expression_type
from streamopt.ir.element import ElementType
from streamopt.ir.engines.layers import SUM
from streamopt.ir.engines.table import Form
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    Expression,
    Literal,
    Read,
    Select,
    children,
)
from streamopt.ir.operators import Operator
from streamopt.perf.engines.operators import adder_cost
from streamopt.target.device import Target
from streamopt.target.operators import OperatorCost
from streamopt.target.resources import Resources

SHIFTS = {BinaryOp.SHL, BinaryOp.SHR}
OPERATORS = {
    BinaryOp.ADD: Operator.ADD,
    BinaryOp.SUB: Operator.SUB,
    BinaryOp.MUL: Operator.MUL,
    BinaryOp.DIV: Operator.DIV,
    BinaryOp.MOD: Operator.MOD,
}


@dataclass(frozen=True, slots=True)
class EpilogueCost:
    """Resources and latency of one result a cycle."""

    resources: Resources
    latency_cycles: int


def epilogue_cost(form: Form, target: Target) -> EpilogueCost:
    """Return the cost of an epilogue: its operators, each as the table of the device has it.

    Every level of the expression takes a cycle at least, as the clock of a long chain is unknown.
    """
    types = {SUM: form.accumulator}
    types |= {f"map{place}": kind for place, kind in enumerate(form.maps)}
    types |= {f"parameter{place}": kind for place, kind in enumerate(form.parameters)}
    types |= {f"number{place}": ElementType.INT32 for place in range(form.numbers)}
    return _cost(form.value, types.__getitem__, target)


def _cost(value: Expression, kind: Callable[[str], ElementType], target: Target) -> EpilogueCost:
    operands = [_cost(one, kind, target) for one in children(value)]
    own = _own(value, kind, target)
    before = max((one.latency_cycles for one in operands), default=0)
    total = own.resources
    for one in operands:
        total += one.resources
    return EpilogueCost(total, before + own.latency_cycles)


def _own(value: Expression, kind: Callable[[str], ElementType], target: Target) -> EpilogueCost:
    """Return the cost of the operation at the root of an expression."""
    element = expression_type(value, kind) or ElementType.INT32
    match value:
        case Read() | Literal() | Cast():
            return EpilogueCost(Resources(), 0)
        case Binary(op, _, right) if op in SHIFTS:
            return _shift(element, is_constant=isinstance(right, Literal))
        case Binary(BinaryOp.ADD | BinaryOp.SUB) if element is ElementType.FLOAT:
            adder = adder_cost(target)
            return EpilogueCost(operator_resources(adder), max(1, adder.latency_cycles))
        case Binary(BinaryOp.MUL, Literal(factor), _) | Binary(
            BinaryOp.MUL, _, Literal(factor)
        ) if element.is_integer:
            return _constant_product(int(factor), element)
        case Binary(op):
            return _listed(OPERATORS.get(op, Operator.BITS), element, target)
        case Call(function):
            return _listed(Operator(function.value), element, target)
        case Compare(_, left, right):
            both = compared_type(left, right, kind) or ElementType.INT32
            return _listed(Operator.COMPARE, both, target)
        case Select():
            return _listed(Operator.SELECT, element, target)
        case _:
            return _listed(Operator.LOGIC, element, target)


def operator_resources(cost: OperatorCost) -> Resources:
    """Return the resources of an operator."""
    return Resources(cost.dsps, 0, 0, cost.luts, cost.ffs)


def _listed(operator: Operator, element: ElementType, target: Target) -> EpilogueCost:
    cost = target.operator(operator, element)
    return EpilogueCost(operator_resources(cost), max(1, cost.latency_cycles))


def _shift(element: ElementType, *, is_constant: bool) -> EpilogueCost:
    """Return a shift: wires by a constant, else a stage of multiplexers for two bits of it."""
    if is_constant:
        return EpilogueCost(Resources(), 0)
    stages = -(-(element.bits - 1).bit_length() // 2)
    return EpilogueCost(Resources(luts=stages * element.bits), 1)


def _constant_product(factor: int, element: ElementType) -> EpilogueCost:
    """Return a product with a constant: an adder for every digit but one of its signed digits."""
    digits, left = 0, abs(factor)
    while left:
        if left & 1:
            digits += 1
            left += 1 if left & 3 == 3 else -1  # the canonical form has no two digits in a row
        left >>= 1
    adders = max(0, digits - 1)
    latency = adders.bit_length()
    return EpilogueCost(Resources(luts=adders * element.bits), latency)
