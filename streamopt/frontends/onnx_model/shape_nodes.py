"""Nodes that move elements: shapes, slices, parts, borders."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from math import prod

import numpy as np
from onnx import helper

from streamopt.frontends.onnx_model.context import Context, Lowerings
from streamopt.frontends.onnx_model.model import SHAPE
from streamopt.frontends.tensors import views
from streamopt.frontends.tensors.elementwise import broadcast, broadcast_shape
from streamopt.frontends.tensors.functions import running
from streamopt.frontends.tensors.gathering import taken
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.normalisation import normalized_axes
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra.constants import MAX_ELEMENTS, element_of
from streamopt.ir.element import ElementType
from streamopt.ir.expression import CompareOp, Expression


def _dropout(node: Context) -> tuple[LazyTensor, LazyTensor]:
    if node.number(2, "training_mode"):
        raise LoweringError("dropout in training mode", "export the model in eval mode")
    x = node.tensor()
    return x, splat(1.0, ElementType.UINT8, x.shape)


def _reshape(node: Context) -> LazyTensor:
    x = node.tensor()
    wanted = list(node.numbers("shape") or node.integers(1, "the new shape") or [])
    if not node.option("allowzero", 0):
        if any(n == 0 and at >= x.rank for at, n in enumerate(wanted)):
            raise LoweringError(f"shape {wanted} copies a dimension that {list(x.shape)} lacks")
        wanted = [x.shape[at] if n == 0 else n for at, n in enumerate(wanted)]
    if wanted.count(-1) > 1 or min(wanted, default=1) < -1:
        raise LoweringError(f"shape {wanted} can't be worked out")
    known = prod(n for n in wanted if n != -1)
    rest = x.size_elems // known if known else 0
    return views.reshaped(x, [rest if n == -1 else n for n in wanted])


def _flatten(node: Context) -> LazyTensor:
    x = node.tensor()
    axis = node.option("axis", 1)
    if not -x.rank <= axis <= x.rank:
        raise LoweringError(f"there is no dimension {axis} among {x.rank}")
    return views.flattened(x, axis + x.rank if axis < 0 else axis)


def _transpose(node: Context) -> LazyTensor:
    x = node.tensor()
    return views.transposed(x, node.numbers("perm") or tuple(reversed(range(x.rank))))


def _squeeze(node: Context) -> LazyTensor:
    axes, x = node.axes(), node.tensor()
    return views.squeezed(x, None if axes is None else normalized_axes(axes, x.rank))


def _slice(node: Context) -> LazyTensor:
    x = node.tensor()
    starts = node.numbers("starts") or node.integers(1, "the starts of a slice") or []
    stops = node.numbers("ends") or node.integers(2, "the ends of a slice") or []
    axes = node.numbers("axes") or node.integers(3, "the axes of a slice")
    axes = list(range(len(starts))) if axes is None else list(axes)
    steps = node.integers(4, "the steps of a slice") or [1] * len(starts)
    if not len(starts) == len(stops) == len(axes) == len(steps):
        raise LoweringError("starts, ends, axes and steps of a slice differ in number")
    if any(not -x.rank <= axis < x.rank for axis in axes):
        raise LoweringError(f"axes {axes} are not all among {x.rank} dimensions")
    for axis, start, stop, step in zip(axes, starts, stops, steps, strict=True):
        extent = x.shape[axis % x.rank]
        # Below -extent, Python's end is the element in front of the first one, as ONNX's.
        x = views.sliced(x, axis % x.rank, start, max(stop, -extent - 1), step)
    return x


def _concat(node: Context) -> LazyTensor:
    parts = node.tensors()
    return views.concatenated(node.builder, parts, node.axis("axis", 0, parts[0].rank))


def _split(node: Context) -> tuple[LazyTensor, ...]:
    x = node.tensor()
    axis = node.axis("axis", 0, x.rank)
    sizes = node.numbers("split") or node.integers(1, "the sizes of a split")
    if sizes is None:
        count = node.option("num_outputs", len(node.operator.outputs))
        each = -(-x.shape[axis] // max(1, count))
        sizes = [max(0, min(each, x.shape[axis] - each * at)) for at in range(count)]
    if sum(sizes) != x.shape[axis] or min(sizes, default=0) < 0:
        raise LoweringError(f"parts of {list(sizes)} don't make {x.shape[axis]}")
    ends = zip(sizes, accumulate(sizes), strict=True)
    return tuple(views.sliced(x, axis, end - size, end, 1) for size, end in ends)


def _expand(node: Context) -> LazyTensor:
    x = node.tensor()
    shape = node.integers(1, "the new shape") or []
    return broadcast(node.builder.settled(x), broadcast_shape(x.shape, shape))


def _tile(node: Context) -> LazyTensor:
    x, times = node.tensor(), node.integers(1, "the repeats") or []
    if len(times) != x.rank or min(times, default=1) < 1:
        raise LoweringError(f"repeats {times} don't fit {x.rank} dimensions")
    return views.tiled(node.builder, x, times)


def _pad(node: Context) -> LazyTensor:
    x = node.tensor()
    pads = (
        node.numbers("pads")
        or node.numbers("paddings")
        or node.integers(1, "the widths of a border")
        or []
    )
    axes = node.integers(3, "the axes of a border")
    axes = range(x.rank) if axes is None else normalized_axes(axes, x.rank)
    if len(pads) != 2 * len(axes):
        raise LoweringError(f"{len(pads)} widths of borders for {len(axes)} dimensions")
    before, after = [0] * x.rank, [0] * x.rank
    for at, axis in enumerate(axes):
        before[axis], after[axis] = pads[at], pads[at + len(axes)]
    match node.option("mode", "constant"):
        case "constant":
            value = node.number(2, "the value of a border") or node.option("value", 0.0)
            return views.padded(node.builder, x, before, after, value)
        case "wrap":
            return _wrapped(node, x, before, after)
        case "reflect" | "edge" as mode:
            return views.mirrored(node.builder, x, before, after, edge=mode == "edge")
        case mode:
            raise LoweringError(f"borders of mode {mode} are not supported")


def _wrapped(
    node: Context, x: LazyTensor, before: Sequence[int], after: Sequence[int]
) -> LazyTensor:
    """Return a tensor that goes on with its other end."""
    for axis, (low, high) in enumerate(zip(before, after, strict=True)):
        extent = x.shape[axis]
        if extent + low + high > MAX_ELEMENTS:
            raise LoweringError(f"a border of {low} and {high} elements")
        if low or high:
            x = taken(node.builder, x, axis, [at % extent for at in range(-low, extent + high)])
    return x


def _depth_to_space(node: Context) -> LazyTensor:
    x, block = node.tensor(), node.option("blocksize", 1)
    if x.rank != 4 or block < 1 or x.shape[1] % (block * block):
        raise LoweringError(f"blocks of {block} don't fit shape {list(x.shape)}")
    n, c, h, w = x.shape
    rest = c // (block * block)
    is_depth_first = node.option("mode", "DCR") == "DCR"
    split = (block, block, rest) if is_depth_first else (rest, block, block)
    order = (0, 3, 4, 1, 5, 2) if is_depth_first else (0, 1, 4, 2, 5, 3)
    parts = views.transposed(views.reshaped(x, (n, *split, h, w)), order)
    return views.reshaped(parts, (n, rest, h * block, w * block))


def _space_to_depth(node: Context) -> LazyTensor:
    x, block = node.tensor(), node.option("blocksize", 1)
    if x.rank != 4 or block < 1 or x.shape[2] % block or x.shape[3] % block:
        raise LoweringError(f"blocks of {block} don't fit shape {list(x.shape)}")
    n, c, h, w = x.shape
    parts = views.reshaped(x, (n, c, h // block, block, w // block, block))
    is_channel_first = node.option("mode", "DCR") == "CRD"
    parts = views.transposed(parts, (0, 1, 3, 5, 2, 4) if is_channel_first else (0, 3, 5, 1, 2, 4))
    return views.reshaped(parts, (n, c * block * block, h // block, w // block))


def _constant_of_shape(node: Context) -> LazyTensor:
    shape = node.integers(0, "the shape") or []
    value = node.operator.attributes.get("value")
    array = np.zeros(1, dtype=np.float32) if value is None else np.asarray(value)
    element = element_of(array.dtype)
    if element is None or min(shape, default=1) < 0:
        raise LoweringError(f"a constant of shape {shape} and type {array.dtype}", code=SHAPE)
    return splat(float(array.reshape(-1)[0]), element, shape)


def _range(node: Context) -> LazyTensor:
    """Return numbers from one to another, all ends constant."""
    start, stop, step = (node.number(at, "an end of a range") or 0.0 for at in range(3))
    count = (stop - start) / step if step else 0.0
    if not 0 < count <= MAX_ELEMENTS:
        raise LoweringError(f"a range of {count} elements", code=SHAPE)
    values = start + step * np.arange(-(-count // 1))
    return node.builder.constant(node.builder.label, values.astype(node.tensor().element.dtype))


def _triangle(node: Context) -> LazyTensor:
    """Return the part of matrices above or below a diagonal; zeros elsewhere."""
    x, shift = node.tensor(), int(node.number(1, "the diagonal") or 0)
    if x.rank < 2:
        raise LoweringError(f"a triangle of {x.rank} dimensions")
    is_upper = bool(node.option("upper", 1))

    def value(point: ElementPoint) -> Expression:
        *_, row, column = point.indices
        bound = shift + (not is_upper)
        holds = ex.index_holds(CompareOp.GE, column - row, bound, point.trip_counts)
        sides = (lambda: ex.as_number(x.at(point)), lambda: ex.ZERO)
        return ex.chosen(holds, *(sides if is_upper else sides[::-1]))

    return replace(node.builder.computed(x, value, x, operations=2), is_truth=False)


def _diagonal(node: Context) -> LazyTensor:
    """Return ones on a diagonal, in the shape of a matrix."""
    x = node.tensor()
    if x.rank != 2 or x.size_elems > MAX_ELEMENTS:
        raise LoweringError(f"a diagonal of shape {list(x.shape)}")
    kind = node.option("dtype", 0)
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind)) if kind else np.dtype(x.element.dtype)
    ones = np.eye(*x.shape, k=node.option("k", 0), dtype=dtype)
    return node.builder.constant(node.builder.label, ones)


def _running(node: Context) -> LazyTensor:
    x, axis = node.tensor(), int(node.number(1, "the axis") or 0)
    if not -x.rank <= axis < x.rank:
        raise LoweringError(f"there is no dimension {axis} among {x.rank}")
    ways = {name: node.option(name, 0) != 0 for name in ("reverse", "exclusive")}
    is_sum = node.operator.kind == "CumSum"
    combine, identity = (ex.add, 0.0) if is_sum else (ex.multiply, 1.0)
    return running(node.builder, x, axis % x.rank, combine=combine, identity=identity, **ways)


LOWERINGS: Lowerings = {
    "Identity": Context.tensor,
    "Dropout": _dropout,
    "Reshape": _reshape,
    "Flatten": _flatten,
    "Transpose": _transpose,
    "Squeeze": _squeeze,
    "Unsqueeze": lambda node: views.unsqueezed(node.tensor(), node.axes() or ()),
    "Slice": _slice,
    "Concat": _concat,
    "Split": _split,
    "CumSum": _running,
    "CumProd": _running,
    "EyeLike": _diagonal,
    "Trilu": _triangle,
    "Expand": _expand,
    "Range": _range,
    "Tile": _tile,
    "Pad": _pad,
    "DepthToSpace": _depth_to_space,
    "SpaceToDepth": _space_to_depth,
    "ConstantOfShape": _constant_of_shape,
}
