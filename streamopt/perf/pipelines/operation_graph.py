"""The operations that are built: what is left when constants are folded.

Vitis HLS folds operations on constants, and those that give an operand back in every case: ``x *
1``, ``x - 0`` and ``x / 1``; a division by a power of two is a multiplication, which is as exact.
So does any compiler that keeps to IEEE 754 (LLVM's InstCombine). With
``-unsafe_math_optimizations`` it adds no zero either, and turns a division by any constant into a
multiplication (reports of the published Stream-HLS designs: the scaling of attention scores has
multipliers, a batch normalisation with constant statistics no square root).
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import frexp

from streamopt.ir.network import AccessMode, Operation, Pipeline
from streamopt.ir.operators import Operator


def built_operations(pipeline: Pipeline) -> tuple[Operation, ...]:
    """Return the operations that need hardware, in order, as the operators that are built."""
    reads = {port.value for port in pipeline.ports if port.mode is AccessMode.READ}
    varying = reads | {operation.result for operation in pipeline.operations}
    found: list[Operation] = []
    for operation in pipeline.operations:
        if not any(operand in varying for operand in operation.operands):
            varying -= {operation.result} - reads
        else:
            found.append(_as_built(operation, varying, reassociates=pipeline.reassociates))
    return tuple(found)


def _as_built(operation: Operation, varying: set[str], *, reassociates: bool) -> Operation:
    operator = _built(operation)
    if reassociates and operator is operation.operator:
        operator = _built_of_reals(operation, varying)
    if operator is operation.operator:
        return operation
    return replace(operation, operator=operator, implementation=None)


def _built(operation: Operation) -> Operator:
    """Return the operator that gives the same number for all operands."""
    if not operation.element.is_float or len(operation.operands) != 2:
        return operation.operator
    return operator_with(operation.operator, *map(_literal, operation.operands))


def operator_with(operator: Operator, left: float | None, right: float | None) -> Operator:
    """Return the operator of floats that gives the same number, one operand being known or none.

    A copy gives the other operand, a product the one by the reciprocal of a power of two.
    """
    match operator:
        case Operator.MUL if 1 in (left, right):
            return Operator.COPY
        case Operator.DIV if right == 1:
            return Operator.COPY
        case Operator.SUB if right == 0:
            return Operator.COPY
        case Operator.DIV if right and abs(frexp(right)[0]) == 0.5:
            return Operator.MUL
        case Operator.DIV if left == 1:
            return Operator.RECIPROCAL
        case _:
            return operator


def _built_of_reals(operation: Operation, varying: set[str]) -> Operator:
    """Return the operator that gives the same number but for rounding and the sign of zero."""
    if not operation.element.is_float or len(operation.operands) != 2:
        return operation.operator
    match operation.operator:
        case Operator.DIV if operation.operands[1] not in varying:
            return Operator.MUL
        case Operator.ADD if 0 in map(_literal, operation.operands):
            return Operator.COPY
        case _:
            return operation.operator


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
