"""Runs sources as they stand, statement after statement: what loop transformations are tried on.

It shares nothing with the analyses: conditions, bounds and subscripts are evaluated point by point.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    CompareOp,
    Function,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
    children,
)
from streamopt.ir.source import Assign, Branch, RangeLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from streamopt.ir.expression import Expression
    from streamopt.ir.source import Item, Source

__all__ = ["run_source"]

Point = dict[str, int]
_TYPES = {"float": np.float32, "double": np.float64}
_BINARY: Mapping[BinaryOp, Callable[[Any, Any], Any]] = {
    BinaryOp.ADD: np.add,
    BinaryOp.SUB: np.subtract,
    BinaryOp.MUL: np.multiply,
    BinaryOp.AND: np.bitwise_and,
    BinaryOp.OR: np.bitwise_or,
    BinaryOp.XOR: np.bitwise_xor,
}
_COMPARE: Mapping[CompareOp, Callable[[Any, Any], Any]] = {
    CompareOp.LT: operator.lt,
    CompareOp.LE: operator.le,
    CompareOp.GT: operator.gt,
    CompareOp.GE: operator.ge,
    CompareOp.EQ: operator.eq,
    CompareOp.NE: operator.ne,
}
_CALLS: Mapping[Function, Callable[..., Any]] = {
    Function.MAX: np.maximum,
    Function.MIN: np.minimum,
    Function.ABS: np.abs,
    Function.SQRT: np.sqrt,
    Function.EXP: np.exp,
}


def run_source(source: Source, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return all arguments after a run; other variables begin as zeros."""
    state: dict[str, NDArray[Any]] = {}
    for variable in source.variables:
        dtype = _TYPES.get(variable.element, np.int64)
        state[variable.name] = np.zeros(variable.shape, dtype)
        given = source.values.get(variable.name, inputs.get(variable.name))
        if given is not None:
            state[variable.name][...] = given
    with np.errstate(all="ignore"):
        _run(source.body, {}, state)
    return {v.name: state[v.name] for v in source.variables if v.is_argument}


def _run(items: Sequence[Item], point: Point, state: Mapping[str, NDArray[Any]]) -> None:
    for item in items:
        match item:
            case RangeLoop(iterator, lower, upper, body):
                low = max(bound.evaluate(point) for bound in lower)
                high = min(bound.evaluate(point) for bound in upper)
                for value in range(low, high):
                    _run(body, {**point, iterator: value}, state)
            case Branch(condition, then, otherwise):
                _run(then if _value(condition, point, state) else otherwise, point, state)
            case Assign(target, value):
                place = _place(target.subscripts, point, state[target.array].shape)
                found = _value(value, point, state)
                is_whole = state[target.array].dtype == np.int64
                state[target.array][place] = _integer(found) if is_whole else found


def _integer(value: Any) -> int:
    """What doesn't fit is undefined in C; here it is always the same."""
    return int(value) % 65_536 if np.isfinite(value) else 0


def _place(subscripts: Sequence[Any], point: Point, shape: tuple[int, ...]) -> tuple[int, ...]:
    place = tuple(subscript.evaluate(point) for subscript in subscripts)
    assert all(0 <= at < extent for at, extent in zip(place, shape, strict=True)), place
    return place


def _value(expression: Expression, point: Point, state: Mapping[str, NDArray[Any]]) -> Any:
    def value(part: Expression) -> Any:
        return _value(part, point, state)

    match expression:
        case Literal(number):
            return number
        case Index(affine):
            return affine.evaluate(point)
        case Read(access):
            return state[access.array][_place(access.subscripts, point, state[access.array].shape)]
        case Select(condition, then, otherwise):
            return value(then) if value(condition) else value(otherwise)
        case Logic(op, operands):
            return (all if op is LogicOp.AND else any)(map(value, operands))
        case _:
            return _computed(expression, [value(part) for part in children(expression)])


def _computed(expression: Expression, operands: Sequence[Any]) -> Any:
    match expression:
        case Cast(element):
            return _TYPES.get(element, np.int64)(*operands)
        case Binary(op) if op in _BINARY:
            return _BINARY[op](*operands)
        case Binary(op):
            left, right = operands
            safe = np.float64(right) if right != 0 else np.float64(1)
            return np.float64(left) / safe if op is BinaryOp.DIV else np.fmod(left, safe)
        case Call(function):
            known = _CALLS.get(function)
            return sum(operands) if known is None else known(*operands)
        case _:
            assert isinstance(expression, Compare)
            return _COMPARE[expression.op](*operands)
