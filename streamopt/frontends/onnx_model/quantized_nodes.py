"""Integers that stand for real numbers: ``(x - zero point) * scale``, and back.

Between a DequantizeLinear and a QuantizeLinear, products are computed of the integers, and the
scales of a product, and of what is quantized behind it, are one factor (Jacob et al., Quantization
and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, CVPR 2018).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.frontends.onnx_model.context import Context, Lowerings, Scaled
from streamopt.frontends.onnx_model.elementwise_nodes import LOWERINGS as ELEMENTWISE
from streamopt.frontends.onnx_model.layer_nodes import LOWERINGS as LAYERS
from streamopt.frontends.onnx_model.loading import numpy_type
from streamopt.frontends.onnx_model.shape_nodes import LOWERINGS as SHAPES
from streamopt.frontends.tensors.elementwise import cast, elementwise
from streamopt.frontends.tensors.gathering import taken
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.frontends.tensors.views import reshaped
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra.constants import element_of
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Cast, Expression, Function, Literal

_KEPT = frozenset(["Relu", "MaxPool", "GlobalMaxPool"])
"""Operators that are the same of integers and of the numbers they stand for, by channel."""
_MOVED = frozenset(["Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "Identity"])
"""Operators that are the same if all elements have one scale."""
_LOWERINGS: Lowerings = {**ELEMENTWISE, **LAYERS, **SHAPES}


def _along_axis(node: Context, tensor: LazyTensor, x: LazyTensor) -> LazyTensor:
    """Return scales or zero points in a shape that broadcasts to that of ``x``."""
    if tensor.size_elems == 1:
        return reshaped(tensor, ())
    axis, block = node.axis("axis", 1, x.rank), node.option("block_size", 0)
    if tensor.rank == x.rank and block > 0:
        return taken(node.builder, tensor, axis, [at // block for at in range(x.shape[axis])])
    if tensor.shape != (x.shape[axis],):
        raise LoweringError(f"scales of shape {list(tensor.shape)} for {list(x.shape)}")
    return reshaped(tensor, [x.shape[axis] if at == axis else 1 for at in range(x.rank)])


def _centred(node: Context, x: LazyTensor, zero: LazyTensor | None) -> LazyTensor:
    """Return integers less their zero point, in 32 bits."""
    wide = cast(node.builder, x, ElementType.INT32)
    if zero is None:
        return wide
    known = node.builder.known(zero)
    if known is not None and not known.any():
        return wide
    zero = cast(node.builder, zero, ElementType.INT32)
    return elementwise(node.builder, ex.subtract, wide, zero)


def _dequantized(node: Context) -> tuple[LazyTensor, Scaled | None]:
    x, scale, zero = node.tensor(0), node.tensor(1), node.optional(2)
    scale = _along_axis(node, scale, x)
    zero = None if zero is None else _along_axis(node, zero, x)
    integers = _centred(node, x, zero)
    factor = node.builder.known(scale)
    if factor is None:
        real = cast(node.builder, integers, scale.element)
        return elementwise(node.builder, ex.multiply, real, scale), None
    scaled = Scaled(node.values.define(integers), factor)
    return real_values(node, scaled), scaled


def real_values(node: Context, scaled: Scaled) -> LazyTensor:
    """Return the real numbers that integers stand for."""
    element = element_of(scaled.factor.dtype) or ElementType.FLOAT
    return _times(node, node.values.tensor(scaled.integers), scaled.factor, element)


def _times(
    node: Context, integers: LazyTensor, factor: NDArray[Any], element: ElementType
) -> LazyTensor:
    by = node.builder.constant(f"{node.builder.label}_scale", factor.astype(element.dtype))
    return elementwise(node.builder, ex.multiply, cast(node.builder, integers, element), by)


def _product(node: Context) -> tuple[LazyTensor, Scaled | None] | None:
    """Return a product of integers, times the scales of both sides; None if there are none."""
    names, values = node.operator.inputs, node.values
    left, right = (values.scaled.get(name) for name in names[:2])
    if left is None or right is None or left.factor.size != 1:
        return None
    factor = _of_columns(node, right.factor, values.shape(names[1]))
    if factor is None or any(node.option(name, 1.0) != 1.0 for name in ("alpha", "beta")):
        return None
    factor = left.factor.reshape(()) * factor
    bias = values.scaled.get(names[2]) if node.has(2) else None
    own = bias is not None and _agree(bias.factor, factor)
    inputs = [left.integers, right.integers, *([bias.integers] if bias and own else [])]
    sums = LAYERS[node.operator.kind](node.with_inputs(inputs))
    assert isinstance(sums, LazyTensor)
    scaled = Scaled(values.define(node.builder.settled(sums)), factor)
    real = real_values(node, scaled)
    if own or not node.has(2):
        return real, scaled
    addend = node.tensor(2)
    if node.operator.kind == "Conv":
        addend = reshaped(addend, (addend.size_elems, *[1] * (real.rank - 2)))
    return elementwise(node.builder, ex.add, real, addend), None


def _of_columns(node: Context, factor: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any] | None:
    """Return the scales of a weight in a shape that broadcasts to that of the product."""
    if factor.size == 1:
        return factor.reshape(())
    is_first = node.operator.kind == "Conv" or node.option("transB", 0)
    axis = 0 if is_first else len(shape) - 1
    if factor.size != shape[axis] or factor.shape[axis - len(shape)] != factor.size:
        return None
    return factor.reshape((-1, *[1] * (len(shape) - 2)) if node.operator.kind == "Conv" else (-1,))


def _agree(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Return whether scales are the same but for rounding."""
    sizes = left.size, right.size
    if sizes[0] != sizes[1] and 1 not in sizes:
        return False
    return bool(np.allclose(left.reshape(-1), right.reshape(-1), rtol=1e-5, atol=0.0))


def integer_form(node: Context) -> tuple[LazyTensor, Scaled | None] | None:
    """Return a node's result computed of integers, and which these are; None if it isn't."""
    kind, names = node.operator.kind, node.operator.inputs
    if kind == "DequantizeLinear":
        return _dequantized(node)
    if kind in ("Conv", "MatMul", "Gemm"):
        return _product(node)
    scaled = node.values.scaled.get(names[0]) if names else None
    if scaled is None or any(node.operator.outputs[1:]) or (scaled.factor <= 0).any():
        return None
    if kind not in _KEPT and not (kind in _MOVED and scaled.factor.size == 1):
        return None
    made = _LOWERINGS[kind](node.with_inputs([scaled.integers, *names[1:]]))
    assert isinstance(made, LazyTensor)
    result = Scaled(node.values.define(node.builder.settled(made)), scaled.factor)
    return real_values(node, result), result


def _quantized(node: Context) -> LazyTensor:
    x, scale, zero = node.tensor(0), node.tensor(1), node.optional(2)
    given = _output_element(node.option("output_dtype", 0))
    element = given if zero is None else zero.element
    scale = _along_axis(node, scale, x)
    zero = None if zero is None else _along_axis(node, zero, x)
    known, scaled = node.builder.known(scale), node.values.scaled.get(node.operator.inputs[0])
    if known is not None and scaled is not None:
        quotient = (scaled.factor / known.astype(scaled.factor.dtype)).astype(np.float32)
        steps = _times(node, node.values.tensor(scaled.integers), quotient, ElementType.FLOAT)
    elif known is not None and (np.frexp(known)[0] == 0.5).all():
        inverse = node.builder.constant(f"{node.builder.label}_inverse", 1 / known)
        steps = elementwise(node.builder, ex.multiply, x, inverse)
    else:
        steps = elementwise(node.builder, ex.divide, x, scale)
    return _rounded(node, steps, zero, element)


def _output_element(kind: int) -> ElementType:
    if not kind:
        return ElementType.UINT8
    dtype = numpy_type(kind)
    found = None if dtype is None else element_of(dtype)
    if found is None or found.is_float:
        raise LoweringError("quantization to this type is not supported")
    return found


def _rounded(
    node: Context, steps: LazyTensor, zero: LazyTensor | None, element: ElementType
) -> LazyTensor:
    """Return the nearest integers, plus a zero point, within the range of a type."""
    limits = np.iinfo(element.dtype)
    low, high = Literal(float(limits.min)), Literal(float(limits.max))
    zero = splat(0.0, ElementType.INT32) if zero is None else zero
    real = cast(node.builder, zero, steps.element)

    def function(value: Expression, offset: Expression) -> Expression:
        moved = ex.add(ex.call(Function.RINT, value), offset)
        return Cast(element, ex.minimum(ex.maximum(moved, low), high))

    return elementwise(node.builder, function, steps, real, element=element)


def _with_zeros(node: Context, places: Sequence[tuple[int, int]]) -> list[LazyTensor]:
    """Return the operands of a product of integers less their zero points, by their positions."""
    found: list[LazyTensor] = []
    for at, zero_at in places:
        x, zero = node.tensor(at), node.optional(zero_at)
        if zero is not None:
            zero = reshaped(zero, _beside(node, x, is_left=at == 0) if zero.size_elems > 1 else ())
        found.append(_centred(node, x, zero))
    return found


def _beside(node: Context, x: LazyTensor, *, is_left: bool) -> list[int]:
    """Return the shape of zero points or scales: of rows on the left, of outputs on the right."""
    if "Conv" in node.operator.kind:
        return [x.shape[0], *[1] * (x.rank - 1)]
    return [x.shape[-2], 1] if is_left else [x.shape[-1]]


def _integer_product(node: Context) -> LazyTensor:
    return _summed(node, _with_zeros(node, ((0, 2), (1, 3))), [])


def _summed(node: Context, operands: list[LazyTensor], bias: list[str]) -> LazyTensor:
    kind = "Conv" if "Conv" in node.operator.kind else "MatMul"
    names = [node.values.define(operand) for operand in operands]
    sums = LAYERS[kind](node.with_inputs([*names, *bias]))
    assert isinstance(sums, LazyTensor)
    return sums


def _quantized_product(node: Context) -> LazyTensor:
    """Return a product of integers with scales and zero points of all three sides."""
    operands = _with_zeros(node, ((0, 2), (3, 5)))
    bias = [node.operator.inputs[8]] if node.has(8) else []
    sums = node.builder.settled(_summed(node, operands, bias))
    scales = [node.constant(at, "a scale") for at in (1, 4, 6)]
    if any(scale is None for scale in scales):
        raise LoweringError("a scale is missing")
    left, right, result = (np.asarray(scale) for scale in scales)
    if left.size > 1:
        left = left.reshape(-1, 1)
    if right.size > 1:
        right = right.reshape((-1, *[1] * (sums.rank - 2)) if "Conv" in node.operator.kind else -1)
    factor = (left * right / result).astype(np.float32)
    factor = factor.reshape(()) if factor.size == 1 else factor
    zero = node.optional(7)
    element = ElementType.UINT8 if zero is None else zero.element
    steps = _times(node, sums, factor, ElementType.FLOAT)
    zero = None if zero is None else reshaped(zero, () if zero.size_elems == 1 else zero.shape)
    return _rounded(node, steps, zero, element)


LOWERINGS: Lowerings = {
    "QuantizeLinear": _quantized,
    "DequantizeLinear": lambda node: _dequantized(node)[0],
    "MatMulInteger": _integer_product,
    "ConvInteger": _integer_product,
    "QLinearMatMul": _quantized_product,
    "QLinearConv": _quantized_product,
}
