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
    BinaryOp.ADD: operator.add,
    BinaryOp.SUB: operator.sub,
    BinaryOp.MUL: operator.mul,
    BinaryOp.AND: operator.and_,
    BinaryOp.OR: operator.or_,
    BinaryOp.XOR: operator.xor,
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
        case Cast(element, operand):
            return _TYPES.get(element, np.int64)(value(operand))
        case Binary(op, left, right):
            a, b = value(left), value(right)
            if op in _BINARY:
                return _BINARY[op](a, b)
            safe = np.float64(b) if b != 0 else np.float64(1)
            return np.float64(a) / safe if op is BinaryOp.DIV else np.fmod(a, safe)
        case Call(function, arguments):
            known = _CALLS.get(function, lambda *values: sum(values))
            return known(*map(value, arguments))
        case Compare(op, left, right):
            return _COMPARE[op](value(left), value(right))
        case Logic(op, operands):
            return (all if op is LogicOp.AND else any)(map(value, operands))
        case Select(condition, then, otherwise):
            return value(then) if value(condition) else value(otherwise)
