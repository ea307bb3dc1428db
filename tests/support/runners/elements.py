"""Programs run one scalar at a time, to check what front ends make of operators."""

from __future__ import annotations

import math
import operator
from itertools import product
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from streamopt.ir.expression import (
    Binary,
    Call,
    Cast,
    Compare,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
)
from streamopt.ir.program import Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from streamopt.ir.element import ElementType
    from streamopt.ir.expression import Expression
    from streamopt.ir.program import Program, Statement


def _quotient(above: Any, below: Any) -> Any:
    whole = isinstance(above, int) and isinstance(below, int)
    return math.trunc(above / below) if whole else above / below


_OPERATORS: dict[str, Any] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": _quotient,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne, "%": math.fmod,
    "max": max, "min": min, "abs": abs, "sqrt": math.sqrt, "log": math.log,
    "exp": math.exp, "tanh": math.tanh, "erf": math.erf, "sin": math.sin, "cos": math.cos,
    "floor": math.floor, "ceil": math.ceil, "rint": round, "atan": math.atan, "pow": math.pow,
}  # fmt: skip


def run(program: Program, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the outputs; in double precision, integers exactly."""
    state: dict[str, NDArray[Any]] = {}
    for array in program.arrays:
        values = inputs.get(array.name, program.values.get(array.name))
        if array.is_given:
            assert values is not None, array.name
            assert values.shape == array.shape
            state[array.name] = np.asarray(values)
        else:
            undefined = np.full(array.shape, np.nan)
            state[array.name] = undefined if array.element.is_float else undefined.astype(object)
    written: list[str] = []
    for nest in program.nests:
        assert len(nest.statements) == 1
        assert nest.statements[0].target.array not in written
        written.append(nest.statements[0].target.array)
        ranges = [range(loop.trip_count) for loop in nest.loops]
        touched: set[tuple[int, ...]] = set()
        for values in product(*ranges):
            point = dict(zip((loop.name for loop in nest.loops), values, strict=True))
            _step(program, nest.statements[0], point, state, touched)
        assert len(touched) == state[written[-1]].size
    return {a.name: state[a.name] for a in program.arrays if a.role is Role.OUTPUT}


def _step(
    program: Program,
    statement: Statement,
    point: dict[str, int],
    state: dict[str, NDArray[Any]],
    touched: set[tuple[int, ...]],
) -> None:
    target = state[statement.target.array]
    index = _place(statement.target.subscripts, point, target.shape)
    value = _evaluate(statement.value, point, state)
    if statement.reduction is None:
        assert index not in touched, f"{statement.target} is assigned twice"
    elif index in touched:
        value = _OPERATORS[statement.reduction.value](target[index], value)
    elif statement.start is not None:
        start = _evaluate(statement.start, point, state)
        value = _OPERATORS[statement.reduction.value](start, value)
    touched.add(index)
    target[index] = _converted(value, program.array(statement.target.array).element)


def _place(subscripts: Any, point: dict[str, int], shape: tuple[int, ...]) -> tuple[int, ...]:
    index = tuple(s.evaluate(point) for s in subscripts)
    assert len(index) == len(shape)
    assert all(0 <= i < n for i, n in zip(index, shape, strict=True)), (index, shape)
    return index


def _converted(value: Any, element: ElementType) -> Any:
    if element.is_float:
        return float(value)
    number = int(value) % 2**element.bits
    return (
        number - 2**element.bits if element.is_signed and number >> (element.bits - 1) else number
    )


def _evaluate(expression: Expression, point: dict[str, int], state: Mapping[str, Any]) -> Any:
    def inner(operand: Expression) -> Any:
        return _evaluate(operand, point, state)

    match expression:
        case Literal(value):
            return int(value) if value.is_integer() else value
        case Index(value):
            return value.evaluate(point)
        case Read(access):
            values = state[access.array]
            return np.asarray(values[_place(access.subscripts, point, values.shape)]).item()
        case Cast(element, operand):
            return _converted(inner(operand), element)
        case Binary(op, left, right) | Compare(op, left, right):
            return _OPERATORS[op.value](inner(left), inner(right))
        case Logic(op, operands):
            found = [bool(inner(operand)) for operand in operands]
            return all(found) if op is LogicOp.AND else any(found)
        case Call(function, arguments):
            return _OPERATORS[function.value](*map(inner, arguments))
        case Select(condition, then, otherwise):
            return inner(then) if inner(condition) else inner(otherwise)
        case _:
            assert_never(expression)
