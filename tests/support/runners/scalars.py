"""A second interpreter, as plain as can be: one scalar at a time, any precision, any order."""

from __future__ import annotations

import math
import operator
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.ir.expression import Binary, Call, Compare, Literal, Read, Select
from streamopt.ir.operators import Reduction
from streamopt.ir.program import ElementType

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from streamopt.ir.expression import Expression
    from streamopt.ir.program import Program


def _erf(value: Any) -> Any:
    return type(value)(math.erf(value))


def _round(value: Any) -> Any:
    return np.trunc(value + np.copysign(np.nextafter(0.5, 0.0), value))


_OPERATORS: dict[str, Any] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": np.divide,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "abs": np.abs,
    "max": np.fmax, "min": np.fmin, "sin": np.sin, "cos": np.cos,
    "atan": np.arctan, "floor": np.floor, "ceil": np.ceil, "rint": np.rint,
    "pow": np.power, "erf": _erf, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "sinh": np.sinh, "cosh": np.cosh, "exp2": np.exp2, "expm1": np.expm1, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "cbrt": np.cbrt,
    "trunc": np.trunc, "round": _round,
}  # fmt: skip


def run(
    program: Program, inputs: Mapping[str, NDArray[Any]], *, double: bool, shuffle: random.Random
) -> dict[str, NDArray[Any]]:
    """Execute in the arrays' own types or all in double; reductions in a random order."""

    def dtype(element: ElementType) -> Any:
        return np.float64 if double or element is ElementType.DOUBLE else np.float32

    state = {a.name: np.full(a.shape, np.nan, dtype(a.element)) for a in program.arrays}
    for name, values in inputs.items():
        state[name][...] = values
    with np.errstate(all="ignore"):
        for nest in program.nests:
            (statement,) = nest.statements
            points = [*product(*(range(loop.trip_count) for loop in nest.loops))]
            if statement.reduction is not None:
                shuffle.shuffle(points)
            number, started = dtype(program.array(statement.target.array).element), set[Any]()
            for values in points:
                point = dict(zip((loop.name for loop in nest.loops), values, strict=True))
                index = tuple(s.evaluate(point) for s in statement.target.subscripts)
                result = _evaluate(statement.value, point, state, number)
                result = number(result)
                target = state[statement.target.array]
                if statement.reduction is not None and index in started:
                    result = number(_combine(statement.reduction, target[index], result))
                target[index] = result
                started.add(index)
    return state


def _combine(reduction: Reduction, old: Any, term: Any) -> Any:
    match reduction:
        case Reduction.MAX | Reduction.MIN:
            return _OPERATORS[reduction.value](old, term)
        case Reduction.ADD:
            return old + term
        case Reduction.MUL:
            return old * term


def _evaluate(
    expression: Expression, point: dict[str, int], state: dict[str, NDArray[Any]], number: Any
) -> Any:
    def inner(operand: Expression) -> Any:
        return _evaluate(operand, point, state, number)

    def applied(function: Any, *operands: Expression) -> Any:
        """NumPy promotes as C does; literals take the type of what they meet, so stay floats."""
        values = [inner(operand) for operand in operands]
        result = function(*values)
        return float(result) if all(type(value) is float for value in values) else result

    match expression:
        case Literal(value):
            return value
        case Read(access):
            return state[access.array][tuple(s.evaluate(point) for s in access.subscripts)]
        case Binary(op, left, right) | Compare(op, left, right):
            return applied(_OPERATORS[op.value], left, right)
        case Call(function, arguments):
            return applied(_OPERATORS[function.value], *arguments)
        case Select(condition, then, otherwise):
            taken, other = inner(then), inner(otherwise)
            if type(taken) is float and type(other) is float:
                return taken if inner(condition) else other
            return np.where(inner(condition), taken, other)[()]
        case _:
            raise AssertionError(expression)
