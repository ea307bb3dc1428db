"""Nodes whose operands are all constant: shape arithmetic, masks, and the like.

They are computed by ONNX's own reference implementation, if the result is small. Large weights
that are only moved or scaled are left to the lowering, which keeps them as views.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from streamopt.frontends.onnx_model.model import OnnxOperator

MAX_ELEMENTS = 2**22
SMALL_ELEMENTS = 64
"""Floating-point constants of more elements are weights."""

_FOLDED_TEXT = """
Abs Add And Cast CastLike Ceil Clip Concat ConstantOfShape Cos CumSum Div Equal Erf Exp Expand
EyeLike Flatten Floor Gather Greater GreaterOrEqual Identity IsInf IsNaN Less LessOrEqual Log
Max Min Mod Mul Neg NonZero Not OneHot Or Pad Pow Range Reciprocal ReduceMax ReduceMean
ReduceMin ReduceProd ReduceSum Reshape Round Sign Sin Slice Split Sqrt Squeeze Sub Tanh Tile
Transpose Tril Trilu Unsqueeze Where Xor
"""
_FOLDED = frozenset(_FOLDED_TEXT.split())


def shape_value(operator: OnnxOperator, shape: Sequence[int]) -> NDArray[np.int64] | None:
    """Return the result of a Shape or Size node; None for other nodes."""
    match operator.kind:
        case "Shape":
            start = operator.attributes.get("start", 0)
            end = operator.attributes.get("end")
            return np.array(list(shape)[start:end], dtype=np.int64)
        case "Size":
            return np.array(prod(shape), dtype=np.int64)
        case _:
            return None


def constant_value(operator: OnnxOperator) -> NDArray[Any] | None:
    """Return the value of a Constant node; None where it is no array of numbers."""
    for name, value in operator.attributes.items():
        match name:
            case "value":
                return value
            case "value_int" | "value_ints":
                return np.array(value, dtype=np.int64)
            case "value_float" | "value_floats":
                return np.array(value, dtype=np.float32)
            case _:
                pass
    return None


def folded(
    operator: OnnxOperator,
    operands: Sequence[NDArray[Any] | None],
    opset: int,
    *,
    is_needed: bool,
) -> tuple[NDArray[Any], ...] | None:
    """Return the results of a node with constant operands; None where it is to be lowered.

    Parameters
    ----------
    operands
        Values in order; None for those that are left out.
    is_needed
        Whether nothing else can lower the node.
    """
    if operator.kind not in _FOLDED or operator.domain:
        return None
    given = [operand for operand in operands if operand is not None]
    is_weight = any(o.dtype.kind == "f" and o.size > SMALL_ELEMENTS for o in given)
    if (is_weight and not is_needed) or _result_bound(operator, given) > MAX_ELEMENTS:
        return None
    try:
        with np.errstate(all="ignore"):
            results = _computed(operator, operands, opset)
    except Exception:  # the reference implementation checks nothing, and raises anything
        return None
    arrays = [np.asarray(result) for result in results]
    valid = len(arrays) >= len(operator.outputs) and all(a.dtype.kind in "biuf" for a in arrays)
    return tuple(arrays) if valid else None


def _result_bound(operator: OnnxOperator, operands: Sequence[NDArray[Any]]) -> int:
    """Return a bound on the number of elements of the result, from the operands' values."""
    sizes = [operand.size for operand in operands]
    total = sum(sizes)
    match operator.kind:
        case "ConstantOfShape" | "Expand":
            return prod(max(1, abs(int(n))) for n in operands[-1].reshape(-1)) * max(1, sizes[0])
        case "Tile":
            return max(1, sizes[0]) * prod(max(1, abs(int(n))) for n in operands[1].reshape(-1))
        case "Pad":
            border = sum(abs(int(n)) for n in operands[1].reshape(-1))
            return prod(extent + border for extent in operands[0].shape)
        case "Range":
            start, stop, step = (float(operand.reshape(-1)[0]) for operand in operands)
            return int(min(abs((stop - start) / step), 1e18)) + 1 if step else MAX_ELEMENTS + 1
        case "Gather":
            return sizes[0] * max(1, sizes[1])
        case "OneHot":
            return sizes[0] * int(abs(operands[1].reshape(-1)[0])) + total
        case "NonZero":
            return total * max(1, operands[0].ndim)
        case _:
            shapes = [operand.shape for operand in operands]
            try:
                return max(total, prod(np.broadcast_shapes(*shapes)))
            except ValueError:
                return total


def _computed(
    operator: OnnxOperator, operands: Sequence[NDArray[Any] | None], opset: int
) -> Sequence[Any]:
    from onnx import helper, numpy_helper
    from onnx.reference import ReferenceEvaluator

    attributes: dict[str, Any] = {
        name: numpy_helper.from_array(cast("Any", value))
        if isinstance(value, np.ndarray)
        else value
        for name, value in operator.attributes.items()
    }
    feeds = {f"x{at}": array for at, array in enumerate(operands) if array is not None}
    names = [name if name in feeds else "" for name in (f"x{at}" for at in range(len(operands)))]
    outputs = [f"y{at}" for at in range(len(operator.outputs))]
    node = helper.make_node(operator.kind, names, outputs, **attributes)
    versions = [helper.make_opsetid("", opset)]
    function = helper.make_function("", "constant", list(feeds), outputs, [node], versions)
    return cast("Any", ReferenceEvaluator(function)).run(None, feeds, {})
