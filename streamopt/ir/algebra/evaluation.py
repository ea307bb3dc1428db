"""Values of expressions and conditions at the points of a grid: NumPy arrays that broadcast."""

import math
from collections.abc import Callable, Mapping
from functools import reduce
from types import MappingProxyType
from typing import Any, assert_never, cast

import numpy as np
from numpy.typing import NDArray

from streamopt.ir import expression as ir
from streamopt.ir.element import ElementType

NO_ARRAYS: Mapping[str, NDArray[Any]] = MappingProxyType({})


def _quotient(left: Any, right: Any) -> Any:
    if np.issubdtype(np.result_type(left, right), np.integer):
        return np.trunc(np.divide(left, right)).astype(np.result_type(left, right))
    return np.divide(left, right)


_erf = cast("Callable[[Any], Any]", np.vectorize(math.erf, otypes=[np.float64]))
_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    ir.BinaryOp.ADD: np.add,
    ir.BinaryOp.SUB: np.subtract,
    ir.BinaryOp.MUL: np.multiply,
    ir.BinaryOp.DIV: _quotient,
    ir.BinaryOp.MOD: np.fmod,
    ir.BinaryOp.SHL: np.left_shift,
    ir.BinaryOp.SHR: np.right_shift,
    ir.BinaryOp.AND: np.bitwise_and,
    ir.BinaryOp.OR: np.bitwise_or,
    ir.BinaryOp.XOR: np.bitwise_xor,
    ir.LogicOp.AND: np.logical_and,
    ir.LogicOp.OR: np.logical_or,
    **{op: op.holds for op in ir.CompareOp},
}
_WHERE: Callable[..., Any] = np.where
_CALLS: Mapping[ir.Function, Callable[..., Any]] = {
    ir.Function.EXP: np.exp,
    ir.Function.LOG: np.log,
    ir.Function.SQRT: np.sqrt,
    ir.Function.TANH: np.tanh,
    ir.Function.ERF: _erf,
    ir.Function.SIN: np.sin,
    ir.Function.COS: np.cos,
    ir.Function.FLOOR: np.floor,
    ir.Function.CEIL: np.ceil,
    ir.Function.RINT: np.rint,
    ir.Function.TRUNC: np.trunc,
    ir.Function.ABS: np.abs,
    ir.Function.MAX: np.maximum,
    ir.Function.MIN: np.minimum,
    ir.Function.POW: np.power,
    ir.Function.TAN: np.tan,
    ir.Function.ASIN: np.arcsin,
    ir.Function.ACOS: np.arccos,
    ir.Function.SINH: np.sinh,
    ir.Function.COSH: np.cosh,
    ir.Function.EXP2: np.exp2,
    ir.Function.EXPM1: np.expm1,
    ir.Function.LOG2: np.log2,
    ir.Function.LOG10: np.log10,
    ir.Function.LOG1P: np.log1p,
    ir.Function.CBRT: np.cbrt,
    ir.Function.ATAN2: np.arctan2,
    ir.Function.HYPOT: np.hypot,
    ir.Function.FMOD: np.fmod,
    ir.Function.COPYSIGN: np.copysign,
}


def _called(function: ir.Function, *arguments: Any) -> Any:
    known = _CALLS.get(function) or np.vectorize(function.of_reals, otypes=[np.float64])
    return known(*arguments)


def evaluated(
    expression: ir.Expression,
    shape: tuple[int, ...],
    iterators: Mapping[str, int],
    arrays: Mapping[str, NDArray[Any]],
    element: ElementType,
) -> NDArray[Any]:
    """Return the expression's values over the box ``shape``, in an element type.

    Parameters
    ----------
    iterators
        Dimension of the box that each iterator walks.
    arrays
        Values of all arrays that the expression reads.
    """
    axes = np.ix_(*(np.arange(extent, dtype=np.int64) for extent in shape))
    grid = {name: axes[dimension] for name, dimension in iterators.items()}
    with np.errstate(all="ignore"):
        values = evaluate(expression, grid, arrays, is_whole=not element.is_float)
        result = np.asarray(values).astype(element.dtype)
    return np.ascontiguousarray(np.broadcast_to(result, shape)).reshape(shape)  # () became (1,)


def evaluate(
    expression: ir.Expression,
    point: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]] = NO_ARRAYS,
    *,
    is_whole: bool = True,
) -> Any:
    """Return the value of an expression, or the truth of a condition.

    Parameters
    ----------
    point
        Values of the iterators: numbers, or arrays that broadcast.
    arrays
        Values of all arrays that the expression reads.
    is_whole
        Whether a quotient of literals alone is one of whole numbers.
    """

    def inner(operand: ir.Expression) -> Any:
        return evaluate(operand, point, arrays, is_whole=is_whole)

    match expression:
        case ir.Literal(value):
            return int(value) if float(value).is_integer() else value
        case ir.Read(access):
            return _read(arrays[access.array], [s.evaluate(point) for s in access.subscripts])
        case ir.Index(value):
            return value.evaluate(point)
        case ir.Cast(element, operand):
            return np.asarray(inner(operand)).astype(element.dtype)
        case ir.Binary(op, left, right) | ir.Compare(op, left, right):
            operator = _operator(expression, op, is_whole=is_whole)
            return operator(inner(left), inner(right))
        case ir.Call(function, arguments):
            return _called(function, *map(inner, arguments))
        case ir.Logic(op, operands):
            return reduce(_OPERATORS[op], map(inner, operands))
        case ir.Select(condition, then, otherwise):
            return _WHERE(inner(condition), inner(then), inner(otherwise))
        case _:
            assert_never(expression)


def _operator(
    expression: ir.Binary | ir.Compare, op: ir.BinaryOp | ir.CompareOp, *, is_whole: bool
) -> Callable[[Any, Any], Any]:
    if op is ir.BinaryOp.DIV and not is_whole and _is_loose(expression):
        return np.divide
    return _OPERATORS[op]


def _is_loose(expression: ir.Expression) -> bool:
    """Return whether an expression is of literals alone, which take the type of what they meet."""
    match expression:
        case ir.Binary(_, left, right):
            return _is_loose(left) and _is_loose(right)
        case ir.Call(_, arguments):
            return all(map(_is_loose, arguments))
        case _:
            return isinstance(expression, ir.Literal)


def _read(values: NDArray[Any], subscripts: list[Any]) -> Any:
    """Return elements; both branches of a select are computed, so that some may lie outside."""
    inside = (np.clip(s, 0, n - 1) for s, n in zip(subscripts, values.shape, strict=True))
    return values[tuple(inside)]
