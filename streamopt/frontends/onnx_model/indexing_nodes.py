"""Nodes that read or write elements at positions, and that find positions of the best elements.

Positions that are read are constants of the model, or they don't stream.

The positions of a Resize, and the weights of its neighbours, follow from extents and attributes.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streamopt.frontends.onnx_model.context import Context, Lowerings
from streamopt.frontends.onnx_model.model import DATA_DEPENDENT
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.functions import best_of, one_hot, place_of_best
from streamopt.frontends.tensors.gathering import MAX_POSITIONS, along, gathered, scattered, taken
from streamopt.frontends.tensors.normalisation import normalized_axes
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.frontends.tensors.views import concatenated, flattened, reshaped, squeezed
from streamopt.ir.algebra import composing as ex

Indices = NDArray[np.int64]


_HINT = "compute it outside the program"
_EMBEDDING_HINT = "give the embedded vectors as the model's input instead of their indices"
_COMBINE: Any = {"add": ex.add, "mul": ex.multiply, "max": ex.maximum, "min": ex.minimum}


def _indices(node: Context, hint: str = _HINT) -> Indices:
    """Return the second operand; raises RefusedError if it isn't constant."""
    found = node.constant(1, "the list of indices", DATA_DEPENDENT, hint)
    if found is None or found.dtype.kind not in "iu" or not found.size:
        raise LoweringError("the indices are no whole numbers, or none at all")
    if found.size > MAX_POSITIONS:
        raise LoweringError(f"{found.size} constant indices are too many")
    return found.astype(np.int64)


def _from_front(indices: Indices, extent: int) -> Indices:
    """Return indices with negative ones counted from the front."""
    return np.where(indices < 0, indices + extent, indices)


def _gather(node: Context) -> LazyTensor:
    x, indices = node.tensor(), _indices(node, _EMBEDDING_HINT)
    axis = node.axis("axis", 0, x.rank)
    found = taken(node.builder, x, axis, indices.reshape(-1).tolist())
    return reshaped(found, (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))


def _along_others(indices: Indices, axis: int, shape: Sequence[int]) -> list[Indices]:
    """Return positions for each dimension: those given along one, every element along others."""
    if indices.ndim != len(shape):
        raise LoweringError(f"indices of {indices.ndim} dimensions for {len(shape)}")
    return [
        _from_front(indices, extent)
        if at == axis
        else along(np.arange(indices.shape[at], dtype=np.int64), at, len(shape))
        for at, extent in enumerate(shape)
    ]


def _gather_elements(node: Context) -> LazyTensor:
    x, indices = node.tensor(), _indices(node)
    tables = _along_others(indices, node.axis("axis", 0, x.rank), x.shape)
    return gathered(node.builder, x, tables, indices.shape)


def _gather_nd(node: Context) -> LazyTensor:
    x, indices, batch = node.tensor(), _indices(node), node.option("batch_dims", 0)
    outer, count = indices.shape[:-1], indices.shape[-1]
    if not 0 <= batch < indices.ndim or batch + count > x.rank:
        raise LoweringError(f"indices of shape {list(indices.shape)} for {list(x.shape)}")
    shape = (*outer, *x.shape[batch + count :])
    tables: list[Indices] = []
    for axis, extent in enumerate(x.shape):
        if batch <= axis < batch + count:
            own = _from_front(indices[..., axis - batch], extent)
            tables.append(own.reshape((*outer, *[1] * (len(shape) - len(outer)))))
        else:
            place = axis if axis < batch else len(outer) + axis - batch - count
            tables.append(along(np.arange(extent, dtype=np.int64), place, len(shape)))
    return gathered(node.builder, x, tables, shape)


def _combination(node: Context) -> Any:
    kind = node.option("reduction", "none")
    if kind not in ("none", *_COMBINE):
        raise LoweringError(f"reduction {kind} is not supported")
    return _COMBINE.get(kind)


def _scatter_elements(node: Context) -> LazyTensor:
    x, indices, updates = node.tensor(), _indices(node), node.tensor(2)
    targets = _along_others(indices, node.axis("axis", 0, x.rank), x.shape)
    if updates.shape != indices.shape:
        raise LoweringError(f"updates of {list(updates.shape)} for {list(indices.shape)} indices")
    return scattered(node.builder, x, updates, targets, _combination(node))


def _scatter_nd(node: Context) -> LazyTensor:
    x, indices, updates = node.tensor(), _indices(node), node.tensor(2)
    count = indices.shape[-1]
    if count > x.rank or updates.shape != (*indices.shape[:-1], *x.shape[count:]):
        raise LoweringError(f"updates of {list(updates.shape)} for {list(indices.shape)} indices")
    targets = [_from_front(indices[..., axis], x.shape[axis]) for axis in range(count)]
    return scattered(node.builder, x, updates, targets, _combination(node))


def _compressed(node: Context) -> LazyTensor:
    """Return the elements along an axis for which a constant condition holds."""
    x, condition = node.tensor(), node.constant(1, "the condition", DATA_DEPENDENT, _HINT)
    if condition is None:
        raise LoweringError("the condition is missing")
    if "axis" not in node.operator.attributes:
        x = reshaped(x, (x.size_elems,))
    axis = node.axis("axis", 0, x.rank)
    places = np.flatnonzero(condition).tolist()
    if not places or places[-1] >= x.shape[axis]:
        raise LoweringError(f"{len(places)} elements of {x.shape[axis]} are taken")
    return taken(node.builder, x, axis, places)


def _reversed(node: Context) -> LazyTensor:
    """Return sequences of constant lengths, each backwards up to its length."""
    x, lengths = node.tensor(), _indices(node).reshape(-1)
    time, batch = node.axis("time_axis", 0, x.rank), node.axis("batch_axis", 1, x.rank)
    if len(lengths) != x.shape[batch] or time == batch:
        raise LoweringError(f"{len(lengths)} lengths for {x.shape[batch]} sequences")
    steps = along(np.arange(x.shape[time], dtype=np.int64), time, x.rank)
    ends = along(lengths, batch, x.rank)
    tables = [along(np.arange(n, dtype=np.int64), at, x.rank) for at, n in enumerate(x.shape)]
    tables[time] = np.where(steps < ends, ends - 1 - steps, steps)
    return gathered(node.builder, x, tables, x.shape)


MAX_EXTENT = 2**20

Places: TypeAlias = NDArray[np.float64]


def _resize(node: Context) -> LazyTensor:
    x = node.tensor()
    mode = node.option("mode", "nearest")
    if mode not in ("nearest", "linear", "cubic"):
        raise LoweringError(f"resizing by {mode} interpolation is not supported")
    if node.option("antialias", 0) or node.option("exclude_outside", 0):
        raise LoweringError("resizing with antialias or exclude_outside is not supported")
    if node.option("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise LoweringError("resizing with an aspect ratio policy is not supported")
    given = node.numbers("axes")
    axes = tuple(range(x.rank)) if given is None else tuple(axis % x.rank for axis in given)
    normalized_axes(axes, x.rank)
    for axis, factor, count in zip(axes, *_factors(node, x, axes), strict=True):
        if factor != 1.0 or count != x.shape[axis]:
            x = _resized(node, x, axis, factor, count)
    return x


def _factors(node: Context, x: LazyTensor, axes: tuple[int, ...]) -> tuple[list[float], list[int]]:
    """Return how much longer each dimension becomes, and how long."""
    at = 1 if node.operator.kind == "Upsample" or node.opset < 11 else 2
    sizes, scales = node.integers(3, "the new sizes"), node.constant(at, "the scales")
    if scales is None and "scales" in node.operator.attributes:
        scales = np.asarray(node.operator.attributes["scales"])
    extents = [x.shape[axis] for axis in axes]
    if sizes:
        factors = [new / old for new, old in zip(sizes, extents, strict=False)]
    else:
        factors = [] if scales is None else [float(scale) for scale in scales.reshape(-1)]
    if len(factors) != len(axes):
        raise LoweringError(f"{len(factors)} scales or sizes for {len(axes)} dimensions")
    counts: list[int] = []
    for factor, extent in zip(factors, extents, strict=True):
        count = extent * factor
        if not 1 <= count <= MAX_EXTENT:
            raise LoweringError(f"a factor of {factor} for an extent of {extent}")
        counts.append(int(np.floor(count + 1e-9)))
    return factors, sizes or counts


def _resized(node: Context, x: LazyTensor, axis: int, factor: float, count: int) -> LazyTensor:
    """Return the tensor with one dimension stretched or thinned."""
    extent = x.shape[axis]
    places = _coordinates(node, extent, count, factor)
    builder = node.builder
    if node.option("mode", "nearest") == "nearest":
        nearest = _rounded(node, places)
        return taken(builder, x, axis, np.clip(nearest, 0, extent - 1).astype(int).tolist())
    x = builder.settled(x)
    total: LazyTensor | None = None
    for offset, weights in _neighbours(node, places):
        own = np.clip(np.floor(places).astype(np.int64) + offset, 0, extent - 1)
        values = along(weights, axis, x.rank).astype(x.element.dtype)
        part = taken(builder, x, axis, own.tolist())
        weight = builder.constant(f"{builder.label}_weight", values)
        product = elementwise(builder, ex.multiply, part, weight)
        total = product if total is None else elementwise(builder, ex.add, total, product)
    assert total is not None
    return total


def _neighbours(node: Context, places: Places) -> list[tuple[int, Places]]:
    """Return offsets from the element in front of a place, and what each of them counts for."""
    past = places - np.floor(places)
    if node.option("mode", "linear") == "linear":
        return [(0, 1 - past), (1, past)]
    a = node.option("cubic_coeff_a", -0.75)

    def near(distance: Places) -> Places:
        return ((a + 2) * distance - (a + 3)) * distance * distance + 1

    def far(distance: Places) -> Places:
        return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a

    return [(-1, far(past + 1)), (0, near(past)), (1, near(1 - past)), (2, far(2 - past))]


def _coordinates(node: Context, extent: int, count: int, factor: float) -> Places:
    """Return where each result lies among the elements."""
    at = np.arange(count, dtype=np.float64)
    default = "half_pixel" if _is_new(node) else "asymmetric"
    match node.option("coordinate_transformation_mode", default):
        case "asymmetric":
            return at / factor
        case "half_pixel":
            return (at + 0.5) / factor - 0.5
        case "half_pixel_symmetric":
            return extent / 2 * (1 - count / (extent * factor)) + (at + 0.5) / factor - 0.5
        case "pytorch_half_pixel":
            return (at + 0.5) / factor - 0.5 if count > 1 else at * 0
        case "align_corners":
            return at * ((extent - 1) / (count - 1) if count > 1 else 0.0)
        case mode:
            raise LoweringError(f"resizing with {mode} coordinates is not supported")


def _is_new(node: Context) -> bool:
    """Return whether the node says where elements lie; before, they lay at their beginning."""
    return node.operator.kind == "Resize" and node.opset >= 11


def _rounded(node: Context, places: Places) -> Places:
    match node.option("nearest_mode", "round_prefer_floor" if _is_new(node) else "floor"):
        case "floor":
            return np.floor(places)
        case "ceil":
            return np.ceil(places)
        case "round_prefer_ceil":
            return np.floor(places + 0.5)
        case _:
            return np.ceil(places - 0.5)


def _not_zero(node: Context) -> LazyTensor:
    """Return the positions of what is not 0 in a constant, a row for each dimension."""
    found = node.constant(0, "the condition", DATA_DEPENDENT, _HINT)
    places = np.array(np.nonzero(np.asarray(found)), dtype=np.int64)
    return node.builder.constant(node.builder.label, places)


def _place(node: Context, *, largest: bool) -> LazyTensor:
    x = node.tensor()
    axis, last = node.axis("axis", 0, x.rank), bool(node.option("select_last_index", 0))
    _, place = place_of_best(node.builder, x, axis, largest=largest, last=last)
    return place if node.option("keepdims", 1) else squeezed(place, [axis])


def _hardmax(node: Context) -> LazyTensor:
    x, is_new = node.tensor(), node.opset >= 13
    axis = node.axis("axis", -1 if is_new else 1, x.rank)
    flat, axis = (x, axis) if is_new else (flattened(x, axis), 1)
    _, place = place_of_best(node.builder, flat, axis)
    zero, one = (splat(number, x.element) for number in (0.0, 1.0))
    made = one_hot(node.builder, squeezed(place, [axis]), axis, flat.shape[axis], zero, one)
    return reshaped(made, x.shape)


def _one_hot(node: Context) -> LazyTensor:
    positions = node.tensor(0)
    depth = int(node.number(1, "the depth") or 0)
    values = node.constant(2, "the pair of values")
    if depth < 1 or values is None or values.size != 2:
        raise LoweringError(f"a depth of {depth}, or not two values")
    off, on = (splat(float(value), node.tensor(2).element) for value in values.reshape(-1))
    axis = node.axis("axis", -1, positions.rank + 1)
    return one_hot(node.builder, positions, axis, depth, off, on)


def _best(node: Context) -> tuple[LazyTensor, ...]:
    x = node.tensor()
    count = node.option("k", 0) or int(node.number(1, "the number of elements") or 0)
    axis = node.axis("axis", -1, x.rank)
    largest = bool(node.option("largest", 1))
    found, places = best_of(node.builder, x, axis, count, largest=largest)
    return tuple(concatenated(node.builder, parts, axis) for parts in (found, places))


LOWERINGS: Lowerings = {
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "NonZero": _not_zero,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "Compress": _compressed,
    "Scatter": _scatter_elements,
    "ReverseSequence": _reversed,
    "Resize": _resize,
    "Upsample": _resize,
    "ArgMax": partial(_place, largest=True),
    "ArgMin": partial(_place, largest=False),
    "Hardmax": _hardmax,
    "OneHot": _one_hot,
    "TopK": _best,
}
