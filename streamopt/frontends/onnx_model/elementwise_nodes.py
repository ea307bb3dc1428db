"""Nodes that compute element by element."""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors import functions
from streamopt.frontends.tensors.constants import element_of
from streamopt.frontends.tensors.elementwise import (
    cast,
    choose,
    compare,
    connect,
    elementwise,
    opposite,
)
from streamopt.frontends.tensors.tensor import LazyTensor, splat
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Compare,
    CompareOp,
    Expression,
    Function,
    Literal,
    LogicOp,
    Select,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.frontends.onnx_model.context import Context, Lowering, Lowerings

__all__ = ["LOWERINGS"]


def _unary(function: Callable[[Expression], Expression]) -> Lowering:
    return lambda node: elementwise(node.builder, function, node.tensor())


def _call(function: Function) -> Lowering:
    return _unary(partial(ex.call, function))


def _binary(function: Callable[[Expression, Expression], Expression]) -> Lowering:
    return lambda node: elementwise(node.builder, function, node.tensor(0), node.tensor(1))


def _joined(node: Context, function: Callable[[Expression, Expression], Expression]) -> LazyTensor:
    return reduce(partial(elementwise, node.builder, function), node.tensors())


def _variadic(function: Callable[[Expression, Expression], Expression]) -> Lowering:
    return lambda node: _joined(node, function)


def _comparison(op: CompareOp) -> Lowering:
    return lambda node: compare(node.builder, op, node.tensor(0), node.tensor(1))


def _connective(op: LogicOp) -> Lowering:
    return lambda node: connect(node.builder, op, node.tensor(0), node.tensor(1))


def _sign(x: Expression) -> Expression:
    negative = Select(Compare(CompareOp.LT, x, ex.ZERO), Literal(-1.0), ex.ZERO)
    return Select(Compare(CompareOp.GT, x, ex.ZERO), ex.ONE, negative)


def _mish(x: Expression) -> Expression:
    return ex.multiply(x, ex.call(Function.TANH, functions.softplus(x)))


def _either(left: Expression, right: Expression) -> Expression:
    return Compare(CompareOp.NE, ex.as_number(left), ex.as_number(right))


def _mean(node: Context) -> LazyTensor:
    total = _joined(node, ex.add)
    return elementwise(
        node.builder, ex.divide, total, splat(len(node.operator.inputs), total.element)
    )


def _power(node: Context) -> LazyTensor:
    x, exponent = node.tensor(0), node.values.constants.get(node.operator.inputs[1])
    if exponent is not None and exponent.size == 1 and exponent.ndim <= x.rank:
        function = partial(functions.power, exponent=float(exponent.reshape(-1)[0]))
        return elementwise(node.builder, function, x)
    power = partial(ex.call, Function.POW)
    return elementwise(node.builder, power, x, node.tensor(1))


def _clip(node: Context) -> LazyTensor:
    x = node.tensor()
    for position, function in ((1, ex.maximum), (2, ex.minimum)):
        limit = node.optional(position)
        if limit is not None:
            x = elementwise(node.builder, function, x, limit)
    return x


def _leaky_relu(node: Context) -> LazyTensor:
    slope = splat(node.real("alpha", 0.01), node.tensor().element)
    return elementwise(node.builder, functions.leaky_relu, node.tensor(), slope)


def _elu(node: Context) -> LazyTensor:
    function = partial(functions.elu, alpha=node.real("alpha", 1.0))
    return elementwise(node.builder, function, node.tensor())


def _celu(node: Context) -> LazyTensor:
    alpha = node.real("alpha", 1.0)

    def function(x: Expression) -> Expression:
        power = ex.exponential(ex.divide(x, Literal(alpha)))
        below = ex.multiply(Literal(alpha), ex.subtract(power, ex.ONE))
        return ex.add(ex.maximum(ex.ZERO, x), ex.minimum(ex.ZERO, below))

    return elementwise(node.builder, function, node.tensor())


def _selu(node: Context) -> LazyTensor:
    alpha = node.real("alpha", 1.67326319217681884765625)
    gamma = node.real("gamma", 1.05070102214813232421875)
    return elementwise(
        node.builder, partial(functions.selu, alpha=alpha, gamma=gamma), node.tensor()
    )


def _hard_sigmoid(node: Context) -> LazyTensor:
    alpha, beta = node.real("alpha", 0.2), node.real("beta", 0.5)
    function = partial(functions.hard_sigmoid, alpha=alpha, beta=beta)
    return elementwise(node.builder, function, node.tensor())


def _thresholded_relu(node: Context) -> LazyTensor:
    limit = Literal(node.real("alpha", 1.0))

    def function(x: Expression) -> Expression:
        return Select(Compare(CompareOp.GT, x, limit), x, ex.ZERO)

    return elementwise(node.builder, function, node.tensor())


def _gelu(node: Context) -> LazyTensor:
    approximate = node.text("approximate", "none") == "tanh"
    function = functions.tanh_gelu if approximate else functions.gelu
    return elementwise(node.builder, function, node.tensor())


def _swish(node: Context) -> LazyTensor:
    function = partial(functions.silu, beta=node.real("alpha", 1.0))
    return elementwise(node.builder, function, node.tensor())


def _remainder(node: Context) -> LazyTensor:
    if not node.integer("fmod", 0):
        if node.tensor().element.is_float or node.tensor().element.is_signed:
            raise node.refuse("a remainder with the sign of the divisor is not supported")
    elif node.tensor().element.is_float:
        raise node.refuse("a remainder of floating-point numbers is not supported")

    def function(left: Expression, right: Expression) -> Expression:
        return Binary(BinaryOp.MOD, left, right)

    return elementwise(node.builder, function, node.tensor(0), node.tensor(1))


def _cast(node: Context) -> LazyTensor:
    from onnx import helper

    try:
        dtype: np.dtype[Any] = np.dtype(helper.tensor_dtype_to_np_dtype(node.integer("to", 0)))
    except (KeyError, TypeError, ValueError):
        raise node.refuse("a cast to this type is not supported") from None
    return _converted(node, dtype)


def _converted(node: Context, dtype: np.dtype[Any]) -> LazyTensor:
    x, element = node.tensor(), element_of(dtype)
    if element is None:
        message = f"a cast to {dtype} is not supported"
        raise node.refuse(message, "convert the model to float32")
    if dtype == np.bool_:
        return compare(node.builder, CompareOp.NE, x, splat(0, x.element))
    return cast(node.builder, x, element)


def _cast_like(node: Context) -> LazyTensor:
    like = node.tensor(1)
    return (
        _converted(node, np.dtype(bool))
        if like.is_truth
        else cast(node.builder, node.tensor(), like.element)
    )


def _where(node: Context) -> LazyTensor:
    return choose(node.builder, node.tensor(0), node.tensor(1), node.tensor(2))


def _xor(node: Context) -> LazyTensor:
    operands = node.tensor(0), node.tensor(1)
    kind = ElementType.UINT8
    return elementwise(node.builder, _either, *operands, element=kind, is_truth=True)


def _not(node: Context) -> LazyTensor:
    return opposite(node.builder, node.tensor())


LOWERINGS: Lowerings = {
    "Add": _binary(ex.add),
    "Sub": _binary(ex.subtract),
    "Mul": _binary(ex.multiply),
    "Div": _binary(ex.divide),
    "Pow": _power,
    "Mod": _remainder,
    "Max": _variadic(ex.maximum),
    "Min": _variadic(ex.minimum),
    "Sum": _variadic(ex.add),
    "Mean": _mean,
    "Neg": _unary(ex.negative),
    "Reciprocal": _unary(ex.reciprocal),
    "Abs": _call(Function.ABS),
    "Exp": _call(Function.EXP),
    "Log": _call(Function.LOG),
    "Sqrt": _call(Function.SQRT),
    "Tanh": _call(Function.TANH),
    "Erf": _call(Function.ERF),
    "Sin": _call(Function.SIN),
    "Cos": _call(Function.COS),
    "Tan": _unary(functions.tangent),
    "Sinh": _unary(functions.hyperbolic_sine),
    "Cosh": _unary(functions.hyperbolic_cosine),
    "Asinh": _unary(functions.arc_hyperbolic_sine),
    "Acosh": _unary(functions.arc_hyperbolic_cosine),
    "Atanh": _unary(functions.arc_hyperbolic_tangent),
    "Round": _unary(functions.round_half_even),
    "Floor": _call(Function.FLOOR),
    "Ceil": _call(Function.CEIL),
    "Sign": _unary(_sign),
    "Relu": _unary(functions.relu),
    "LeakyRelu": _leaky_relu,
    "PRelu": _binary(functions.leaky_relu),
    "Elu": _elu,
    "Celu": _celu,
    "Selu": _selu,
    "ThresholdedRelu": _thresholded_relu,
    "Sigmoid": _unary(functions.sigmoid),
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": _unary(functions.hard_swish),
    "Swish": _swish,
    "Mish": _unary(_mish),
    "Gelu": _gelu,
    "Softplus": _unary(functions.softplus),
    "Softsign": _unary(functions.softsign),
    "Clip": _clip,
    "Cast": _cast,
    "CastLike": _cast_like,
    "Where": _where,
    "Equal": _comparison(CompareOp.EQ),
    "Greater": _comparison(CompareOp.GT),
    "GreaterOrEqual": _comparison(CompareOp.GE),
    "Less": _comparison(CompareOp.LT),
    "LessOrEqual": _comparison(CompareOp.LE),
    "And": _connective(LogicOp.AND),
    "Or": _connective(LogicOp.OR),
    "Xor": _xor,
    "Not": _not,
}
