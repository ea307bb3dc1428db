"""Index arithmetic: affine expressions of the iterators, and bounds of loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.mlir.scalars import UnsupportedError
from streamopt.frontends.mlir.text.syntax import AffineMap
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Index, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.frontends.mlir.loops.state import LoopState
    from streamopt.frontends.mlir.text.syntax import Operation, Value

__all__ = ["applied", "bound_of", "constant_index", "is_index_operation", "lower_index"]

_CASTS = ("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.trunci", "arith.extui")
_DIVISIONS = ("arith.divsi", "arith.divui", "arith.floordivsi", "arith.remsi", "arith.remui")
_ARITHMETIC = ("arith.addi", "arith.subi", "arith.muli", *_DIVISIONS)
_AFFINE = ("affine.apply", "affine.min", "affine.max", "affine.delinearize_index")


def is_index_operation(op: Operation) -> bool:
    """Return whether an operation computes an index."""
    if op.name in _AFFINE:
        return True
    is_index = len(op.results) == 1 and op.results[0].type.element == "index"
    return is_index and op.name in (*_ARITHMETIC, *_CASTS, "arith.constant")


def lower_index(state: LoopState, op: Operation) -> None:
    """Give the result of an index operation its value.

    Raises
    ------
    UnsupportedError
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
    left, right = (state.index(value) for value in op.operands)
    state.numbers[number] = Index(_arithmetic(state, op, left, right))


def _arithmetic(state: LoopState, op: Operation, left: Affine, right: Affine) -> Affine:
    match op.name:
        case "arith.addi":
            return left + right
        case "arith.subi":
            return left - right
        case "arith.muli" if not right.terms:
            return left.scaled(right.constant)
        case "arith.muli" if not left.terms:
            return right.scaled(left.constant)
        case "arith.muli":
            raise UnsupportedError("a product of iterators is not affine")
        case _:
            return _quotient(state, op, left, right)


def _quotient(state: LoopState, op: Operation, left: Affine, right: Affine) -> Affine:
    if right.terms or right.constant <= 0:
        raise UnsupportedError("a division by anything but a positive constant is not affine")
    interval = state.interval(left)
    if op.name != "arith.floordivsi" and (interval is None or interval[0] < 0):
        hint = "divide what is never negative, or use arith.floordivsi"
        raise UnsupportedError("a truncating division of a negative index is not affine", hint)
    if op.name.startswith("arith.rem"):
        return left.mod(right.constant)
    return left.floordiv(right.constant)


def _lower_affine(state: LoopState, op: Operation) -> None:
    mapped = op.attributes.get("map")
    if not isinstance(mapped, AffineMap):
        raise UnsupportedError(f"operation {op.name} is not supported")
    found = tuple(applied(mapped, [state.index(value) for value in op.operands]))
    number = op.results[0].number
    if op.name == "affine.apply" or len(found) == 1:
        state.numbers[number] = Index(found[0])
    else:
        state.bounds[number] = op.name.rpartition(".")[2], found


def bound_of(state: LoopState, op: Operation, value: Value) -> tuple[str, tuple[Affine, ...]]:
    """Return a bound of a loop: ``min`` or ``max`` of several, or ``""`` and one expression."""
    if value.number in state.bounds:
        return state.bounds[value.number]
    return "", (state.index(value),)


def applied(mapped: AffineMap, operands: Sequence[Affine]) -> Iterator[Affine]:
    """Yield the results of a map at operands: dimensions, then symbols.

    Raises
    ------
    UnsupportedError
        If the map isn't affine.
    """
    names = [*(f"d{n}" for n in range(mapped.dims)), *(f"s{n}" for n in range(mapped.symbols))]
    places = dict(zip(names, operands, strict=True))
    for result in mapped.results:
        if result is None:
            raise UnsupportedError("an expression is not affine in the iterators")
        yield result.substitute(places)


def constant_index(state: LoopState, value: Value) -> int:
    """Return an index that is a constant; raises UnsupportedError if it isn't."""
    match state.read(value):
        case Index(Affine((), constant)):
            return constant
        case Literal(number) if number.is_integer():
            return int(number)
        case _:
            raise UnsupportedError("a step that is not a constant is not affine")
