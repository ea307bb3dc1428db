"""Nodes that compute element by element."""

import math
from collections.abc import Callable, Mapping
from functools import partial, reduce

import numpy as np

from streamopt.frontends.onnx_model.context import Context, Lowerings
from streamopt.frontends.onnx_model.loading import numpy_type
from streamopt.frontends.tensors.elementwise import (
    cast,
    choose,
    compare,
    connect,
    elementwise,
    opposite,
)
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.frontends.tensors.views import reshaped
from streamopt.ir import expression as ir
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra import formulas
from streamopt.ir.algebra.constants import element_of
from streamopt.ir.arithmetic import negated
from streamopt.ir.element import ElementType


def _of(
    function: Callable[..., ir.Expression], **options: float
) -> Callable[[Context], LazyTensor]:
    """Return the lowering of a function of one operand, with attributes and their defaults."""

    def lowering(node: Context) -> LazyTensor:
        given = {name: node.option(name, default) for name, default in options.items()}
        return elementwise(node.builder, partial(function, **given), node.tensor())

    return lowering


def _formula(text: str, **options: float) -> Callable[[Context], LazyTensor]:
    return _of(formulas.formula(text), **options)


def _joined(
    function: Callable[[ir.Expression, ir.Expression], ir.Expression],
) -> Callable[[Context], LazyTensor]:
    return lambda node: reduce(partial(elementwise, node.builder, function), _operands(node))


def _operands(node: Context) -> list[LazyTensor]:
    """Return the operands; before opset 7 a second one may lie at an axis of the first."""
    found = node.tensors()
    if node.opset >= 7 or len(found) != 2 or not found[1].rank:
        return found
    left, right = found
    default = 1 if node.operator.kind == "PRelu" else left.rank - right.rank
    axis = node.option("axis", max(0, min(default, left.rank - right.rank)))
    behind = max(0, left.rank - axis % max(left.rank, 1) - right.rank)
    return [left, reshaped(right, (*right.shape, *[1] * behind))]


def _truths(
    function: Callable[..., LazyTensor], op: ir.CompareOp | ir.LogicOp
) -> Callable[[Context], LazyTensor]:
    return lambda node: function(node.builder, op, *_operands(node))


def _mean(node: Context) -> LazyTensor:
    total = _joined(ex.add)(node)
    count = splat(len(node.operator.inputs), total.element)
    return elementwise(node.builder, ex.divide, total, count)


def _power(node: Context) -> LazyTensor:
    x, exponent = node.tensor(0), node.values.constants.get(node.operator.inputs[1])
    if exponent is not None and exponent.size == 1 and exponent.ndim <= x.rank:
        return _of(partial(formulas.power, exponent=float(exponent.reshape(-1)[0])))(node)
    return _joined(partial(ex.call, ir.Function.POW))(node)


def _clip(node: Context) -> LazyTensor:
    x = node.tensor()
    for position, name, function in ((1, "min", ex.maximum), (2, "max", ex.minimum)):
        own = node.option(name, math.nan)  # until opset 10
        limit = node.optional(position) if math.isnan(own) else splat(own, x.element)
        if limit is not None:
            x = elementwise(node.builder, function, x, limit)
    return x


def _gelu(node: Context) -> LazyTensor:
    is_short = node.option("approximate", "none") == "tanh"
    return _formula("tanh_gelu(x)" if is_short else "gelu(x)")(node)


def _remainder(node: Context) -> LazyTensor:
    """Return remainders with the sign of the dividend if asked for, else of the divisor."""
    is_like_divisor, kind = not node.option("fmod", 0), node.tensor().element
    if kind.is_float:
        return _joined(_floored if is_like_divisor else _truncated)(node)
    if is_like_divisor and kind.is_signed:
        return _joined(_of_divisor_sign)(node)
    return _joined(partial(ir.Binary, ir.BinaryOp.MOD))(node)


_floored = formulas.formula("x - alpha * floor(x / alpha)")
_truncated = formulas.formula(
    "x - alpha * floor(x / alpha) if x / alpha >= 0 else x - alpha * ceil(x / alpha)"
)


def _of_divisor_sign(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    rest = ir.Binary(ir.BinaryOp.MOD, left, right)
    return ir.Binary(ir.BinaryOp.MOD, ir.Binary(ir.BinaryOp.ADD, rest, right), right)


def _shift(node: Context) -> LazyTensor:
    direction = {"LEFT": ir.BinaryOp.SHL, "RIGHT": ir.BinaryOp.SHR}.get(
        node.option("direction", "")
    )
    kind = node.tensor().element
    if direction is None:
        raise LoweringError("a shift without direction")
    return _joined(partial(_shifted, direction, kind.bits, kind.is_signed))(node)


def _shifted(
    op: ir.BinaryOp, bits: int, is_signed: bool, value: ir.Expression, by: ir.Expression
) -> ir.Expression:
    """Return a shift by as many bits as there are at most: then nothing is left but the sign."""
    moved = ir.Binary(op, value, ex.minimum(by, ir.Literal(bits - 1.0)))
    if op is ir.BinaryOp.SHR and is_signed:
        return moved
    return ex.select(ir.Compare(ir.CompareOp.LT, by, ir.Literal(float(bits))), moved, ex.ZERO)


def _truth(function: Callable[[ir.Expression], ir.Expression]) -> Callable[[Context], LazyTensor]:
    return lambda node: elementwise(
        node.builder, function, node.tensor(), element=ElementType.UINT8, is_truth=True
    )


def _is_infinite(node: Context) -> LazyTensor:
    kinds = [node.option(f"detect_{sign}", 1) for sign in ("negative", "positive")]
    limits = [
        ir.Literal(sign * math.inf) for sign, kind in zip((-1, 1), kinds, strict=True) if kind
    ]
    if not limits:
        return splat(0.0, ElementType.UINT8, node.tensor().shape)

    def holds(value: ir.Expression) -> ir.Expression:
        found = [ir.Compare(ir.CompareOp.EQ, value, limit) for limit in limits]
        return found[0] if len(found) == 1 else ir.Logic(ir.LogicOp.OR, tuple(found))

    return _truth(holds)(node)


def _cast(node: Context) -> LazyTensor:
    x, dtype = node.tensor(), numpy_type(node.option("to", 0))
    if dtype is None:
        raise LoweringError("a cast to this type is not supported")
    element = element_of(dtype)
    if element is None:
        raise LoweringError(f"a cast to {dtype} is not supported", "convert the model to float32")
    if dtype == np.bool_:
        return compare(node.builder, ir.CompareOp.NE, x, splat(0, x.element))
    return cast(node.builder, x, element)


ACTIVATIONS: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "Elu": ("elu(x, alpha)", {"alpha": 1.0}),
    "HardSigmoid": ("hard_sigmoid(x, alpha, beta)", {"alpha": 0.2, "beta": 0.5}),
    "LeakyRelu": ("leaky_relu(x, alpha)", {"alpha": 0.01}),
    "Relu": ("relu(x)", {}),
    "Sigmoid": ("sigmoid(x)", {}),
    "Softplus": ("softplus(x)", {}),
    "Softsign": ("softsign(x)", {}),
    "ThresholdedRelu": ("thresholded_relu(x, alpha)", {"alpha": 1.0}),
}
"""By name: a formula, and the usual alpha and beta; also those of recurrent nodes."""

LOWERINGS: Lowerings = {
    **{name.capitalize(): _of(function) for name, function in formulas.ELEMENTARY.items()},
    "Add": _joined(ex.add),
    "Sub": _joined(ex.subtract),
    "Mul": _joined(ex.multiply),
    "Div": _joined(ex.divide),
    "Pow": _power,
    "Mod": _remainder,
    "Max": _joined(ex.maximum),
    "Min": _joined(ex.minimum),
    "Sum": _joined(ex.add),
    "Mean": _mean,
    "Neg": _of(negated),
    "Reciprocal": _of(ex.reciprocal),
    "Round": _of(formulas.ELEMENTARY["rint"]),
    "Sign": _formula("sign(x)"),
    **{name: _formula(text, **numbers) for name, (text, numbers) in ACTIVATIONS.items()},
    "PRelu": _joined(formulas.formula("leaky_relu(x, alpha)")),
    "Celu": _formula("celu(x, alpha)", alpha=1.0),
    "Selu": _formula(
        "gamma * elu(x, alpha)", alpha=1.67326319217681884765625, gamma=1.05070102214813232421875
    ),
    "HardSwish": _formula("hard_swish(x)"),
    "Swish": _formula("silu(x, alpha)", alpha=1.0),
    "Mish": _formula("mish(x)"),
    "Gelu": _gelu,
    "Clip": _clip,
    "Cast": _cast,
    "Where": lambda node: choose(node.builder, node.tensor(0), node.tensor(1), node.tensor(2)),
    "Equal": _truths(compare, ir.CompareOp.EQ),
    "Greater": _truths(compare, ir.CompareOp.GT),
    "GreaterOrEqual": _truths(compare, ir.CompareOp.GE),
    "Less": _truths(compare, ir.CompareOp.LT),
    "LessOrEqual": _truths(compare, ir.CompareOp.LE),
    "And": _truths(connect, ir.LogicOp.AND),
    "Or": _truths(connect, ir.LogicOp.OR),
    "Xor": _truths(compare, ir.CompareOp.NE),
    "BitShift": _shift,
    "BitwiseAnd": _joined(partial(ir.Binary, ir.BinaryOp.AND)),
    "BitwiseOr": _joined(partial(ir.Binary, ir.BinaryOp.OR)),
    "BitwiseXor": _joined(partial(ir.Binary, ir.BinaryOp.XOR)),
    "BitwiseNot": _formula("-1 - x"),
    "IsNaN": _truth(lambda value: ir.Compare(ir.CompareOp.NE, value, value)),
    "IsInf": _is_infinite,
    "Not": lambda node: opposite(node.builder, node.tensor()),
}
