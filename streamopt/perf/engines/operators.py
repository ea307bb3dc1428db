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


def product_cost(target: Target, *, is_float: bool, built: str | None = None) -> OperatorCost:
    """Return a multiplier of some parts; the usual ones where none are named."""
    element = ElementType.FLOAT if is_float else ElementType.INT8
    return target.operator(Operator.MUL, element, built)


def multiply_cycles(shape: EngineShape, target: Target) -> int:
    """Return the cycles of the slowest multiplier."""
    is_float = shape.adder is not None
    cycles = product_cost(target, is_float=is_float).latency_cycles
    if is_float and shape.in_luts:
        return max(cycles, product_cost(target, is_float=True, built=FABRIC).latency_cycles)
    return cycles


def sum_cycles(shape: EngineShape) -> int:
    """Return the cycles from the products of a step to the sum of its position.

    Sums of parts are added behind; floating-point ones that take turns, one after the other.
    """
    levels = ceil(log2(shape.depth))
    if shape.adder is None:
        return max(1, levels) + 1 + ceil(log2(shape.beside))
    return (levels + shape.partials) * shape.adder.cycles
