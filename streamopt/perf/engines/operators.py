"""The multipliers and adders of an engine, as the operator table of a device has them."""

from __future__ import annotations

from math import ceil, log2

from streamopt.ir.element import ElementType
from streamopt.ir.engines.shape import EngineShape, FloatAdder
from streamopt.ir.operators import Operator
from streamopt.target.device import Target
from streamopt.target.operators import OperatorCost

FABRIC, PACKED = "fabric", "packed"


def adder_cost(target: Target) -> OperatorCost:
    """Return an adder of ``float``: of LUTs where there is one, as multipliers need the DSPs."""
    has_luts = target.builds(Operator.ADD, ElementType.FLOAT, FABRIC)
    return target.operator(Operator.ADD, ElementType.FLOAT, FABRIC if has_luts else None)


def float_adder(target: Target) -> FloatAdder:
    """Return the adders of an engine of ``float``."""
    cost = adder_cost(target)
    return FloatAdder(max(1, cost.latency_cycles), cost.implementation)


def product_cost(target: Target, *, is_float: bool, packed: bool = False) -> OperatorCost:
    """Return a multiplier that isn't built from LUTs."""
    if is_float:
        return target.operator(Operator.MUL, ElementType.FLOAT)
    return target.operator(Operator.MUL, ElementType.INT8, PACKED if packed else None)


def multiply_cycles(shape: EngineShape, target: Target) -> int:
    """Return the cycles of the slowest multiplier."""
    is_float = shape.adder is not None
    cycles = product_cost(target, is_float=is_float).latency_cycles
    if is_float and shape.in_luts:
        in_luts = target.operator(Operator.MUL, ElementType.FLOAT, FABRIC)
        return max(cycles, in_luts.latency_cycles)
    return cycles


def sum_cycles(shape: EngineShape) -> int:
    """Return the cycles from the products of a step to the sum of its position.

    Sums of parts are added behind; floating-point ones that take turns, one after the other.
    """
    levels = ceil(log2(shape.depth))
    if shape.adder is None:
        return max(1, levels) + 1 + ceil(log2(shape.beside))
    return (levels + shape.partials) * shape.adder.cycles
