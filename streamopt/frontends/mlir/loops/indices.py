"""Index arithmetic: affine expressions of the iterators, and bounds of loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.mlir.scalars import as_affine
from streamopt.frontends.mlir.text.syntax import AffineMap
from streamopt.frontends.tensors.tensor import LoweringError
from streamopt.ir.affine import LARGEST, Affine, NotAffine
from streamopt.ir.expression import BinaryOp, Index

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.frontends.mlir.loops.state import LoopState
    from streamopt.frontends.mlir.text.syntax import MlirOperation, MlirValue

__all__ = ["applied", "bound_of", "constant_index", "is_index_operation", "lower_index"]

_CASTS = ("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.trunci", "arith.extui")
_ARITHMETIC: Mapping[str, BinaryOp] = {
    "arith.addi": BinaryOp.ADD,
    "arith.subi": BinaryOp.SUB,
    "arith.muli": BinaryOp.MUL,
    "arith.divsi": BinaryOp.DIV,
    "arith.divui": BinaryOp.DIV,
    "arith.floordivsi": BinaryOp.DIV,
    "arith.remsi": BinaryOp.MOD,
    "arith.remui": BinaryOp.MOD,
}
_AFFINE = ("affine.apply", "affine.min", "affine.max", "affine.delinearize_index")


def is_index_operation(op: MlirOperation) -> bool:
    """Return whether an operation computes an index."""
    if op.name in _AFFINE:
        return True
    is_index = len(op.results) == 1 and op.results[0].type.element == "index"
    return is_index and op.name in (*_ARITHMETIC, *_CASTS, "arith.constant")


def lower_index(state: LoopState, op: MlirOperation) -> None:
    """Give the result of an index operation its value.

    Raises
    ------
    LoweringError
        If it isn't affine.
    """
    number = op.results[0].number
    if op.name == "arith.constant":
        value = op.attributes.get("value")
        state.numbers[number] = Index(Affine.of(value if isinstance(value, int) else 0))
        return
    if op.name in _AFFINE:
        _lower_affine(state, op)
        return
    if op.name in _CASTS:
        state.numbers[number] = state.read(op.operands[0])
        return
    state.numbers[number] = Index(_arithmetic(state, op))


def _arithmetic(state: LoopState, op: MlirOperation) -> Affine:
    left, right = (state.index(value) for value in op.operands)
    interval = (0, LARGEST) if op.name == "arith.floordivsi" else state.interval(left)
    match left.combined(_ARITHMETIC[op.name], right, interval):
        case Affine() as combined:
            return combined
        case NotAffine.NEGATIVE:
            hint = "divide what is never negative, or use arith.floordivsi"
            raise LoweringError("a truncating division of a negative index is not affine", hint)
        case problem:
            raise LoweringError(f"{problem.value} is not affine")


def _lower_affine(state: LoopState, op: MlirOperation) -> None:
    mapped = op.attributes.get("map")
    if not isinstance(mapped, AffineMap):
        raise LoweringError(f"operation {op.name} is not supported")
    found = tuple(applied(mapped, [state.index(value) for value in op.operands]))
    number = op.results[0].number
    if op.name == "affine.apply" or len(found) == 1:
        state.numbers[number] = Index(found[0])
    else:
        state.bounds[number] = op.name.rpartition(".")[2], found


def bound_of(
    state: LoopState, op: MlirOperation, value: MlirValue
) -> tuple[str, tuple[Affine, ...]]:
    """Return a bound of a loop: ``min`` or ``max`` of several, or ``""`` and one expression."""
    if value.number in state.bounds:
        return state.bounds[value.number]
    return "", (state.index(value),)


def applied(mapped: AffineMap, operands: Sequence[Affine]) -> Iterator[Affine]:
    """Yield the results of a map at operands: dimensions, then symbols.

    Raises
    ------
    LoweringError
        If the map isn't affine.
    """
    names = [*(f"d{n}" for n in range(mapped.dims)), *(f"s{n}" for n in range(mapped.symbols))]
    places = dict(zip(names, operands, strict=True))
    for result in mapped.results:
        if result is None:
            raise LoweringError("an expression is not affine in the iterators")
        yield result.substitute(places)


def constant_index(state: LoopState, value: MlirValue) -> int:
    """Return an index that is a constant; raises LoweringError if it isn't."""
    found = as_affine(state.read(value))
    if found is None or found.terms:
        raise LoweringError("a step that is not a constant is not affine")
    return found.constant
