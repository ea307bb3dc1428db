"""The operations that are built: what is left when constants are folded.

Vitis HLS folds operations on constants, and with ``-unsafe_math_optimizations`` adds no zero and
turns a division by a constant into a multiplication (reports of the published Stream-HLS
designs: the scaling of attention scores has multipliers, a batch normalisation with constant
statistics no square root).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.network import AccessMode, Operator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from streamopt.ir.network import Operation, Pipeline

__all__ = [
    "built_operations",
    "chain_cycles",
]


def built_operations(pipeline: Pipeline) -> tuple[Operation, ...]:
    """Return the operations that need hardware, in order, as the operators that are built."""
    reads = {port.value for port in pipeline.ports if port.mode is AccessMode.READ}
    varying = reads | {operation.result for operation in pipeline.operations}
    found: list[Operation] = []
    for operation in pipeline.operations:
        if not any(operand in varying for operand in operation.operands):
            varying -= {operation.result} - reads
        else:
            found.append(_as_built(operation, varying))
    return tuple(found)


def _as_built(operation: Operation, varying: set[str]) -> Operation:
    operator = _built(operation, varying)
    if operator is operation.operator:
        return operation
    return replace(operation, operator=operator, implementation=None)


def _built(operation: Operation, varying: set[str]) -> Operator:
    if not operation.element.is_float or len(operation.operands) != 2:
        return operation.operator
    left, right = operation.operands
    match operation.operator:
        case Operator.DIV if right not in varying:
            return Operator.MUL
        case Operator.DIV if _literal(left) == 1:
            return Operator.RECIPROCAL
        case Operator.ADD | Operator.SUB if _literal(right) == 0:
            return Operator.COPY
        case Operator.ADD | Operator.MUL if _literal(left) == _NEUTRAL[operation.operator]:
            return Operator.COPY
        case _:
            return operation.operator


_NEUTRAL = {Operator.ADD: 0, Operator.MUL: 1}


def _literal(name: str) -> float | None:
    try:
        return float(name)
    except ValueError:
        return None


def chain_cycles(operations: Iterable[Operation], cycles: Callable[[Operation], int]) -> int:
    """Return after how many cycles the last of some operations is done; 0 of none.

    Parameters
    ----------
    operations
        Each behind those that make its operands.
    cycles
        That one takes.
    """
    ready: dict[str, int] = {}
    for operation in operations:
        begin = max((ready.get(name, 0) for name in operation.operands), default=0)
        ready[operation.result] = begin + cycles(operation)
    return max(ready.values(), default=0)
