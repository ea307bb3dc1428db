"""Resize: where each element comes from is known here, and what neighbours count for too."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.elementwise import elementwise
from streamopt.frontends.tensors.gathering import along, taken
from streamopt.frontends.tensors.normalisation import normalized_axes
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError

if TYPE_CHECKING:
    from streamopt.frontends.onnx_model.context import Context, Lowerings

__all__ = ["LOWERINGS"]

MAX_EXTENT = 2**20

Places: TypeAlias = NDArray[np.float64]


def _resize(node: Context) -> LazyTensor:
    x = node.tensor()
    mode = node.text("mode", "nearest")
    if mode not in ("nearest", "linear", "cubic"):
        raise node.refuse(f"resizing by {mode} interpolation is not supported")
    if node.integer("antialias", 0) or node.integer("exclude_outside", 0):
        raise node.refuse("resizing with antialias or exclude_outside is not supported")
    if node.text("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise node.refuse("resizing with an aspect ratio policy is not supported")
    given = node.numbers("axes")
    axes = tuple(range(x.rank)) if given is None else normalized_axes(given, x.rank)
    for axis, factor, count in zip(axes, *_factors(node, x, axes), strict=True):
        if factor != 1.0 or count != x.shape[axis]:
            x = _resized(node, x, axis, factor, count)
    return x


def _factors(node: Context, x: LazyTensor, axes: tuple[int, ...]) -> tuple[list[float], list[int]]:
    """Return how much longer each dimension becomes, and how long."""
    sizes, scales = node.integers(3, "the new sizes"), node.constant(2, "the scales")
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
    if node.text("mode", "nearest") == "nearest":
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
    if node.text("mode", "linear") == "linear":
        return [(0, 1 - past), (1, past)]
    a = node.real("cubic_coeff_a", -0.75)

    def near(distance: Places) -> Places:
        return ((a + 2) * distance - (a + 3)) * distance * distance + 1

    def far(distance: Places) -> Places:
        return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a

    return [(-1, far(past + 1)), (0, near(past)), (1, near(1 - past)), (2, far(2 - past))]


def _coordinates(node: Context, extent: int, count: int, factor: float) -> Places:
    """Return where each result lies among the elements."""
    at = np.arange(count, dtype=np.float64)
    match node.text("coordinate_transformation_mode", "half_pixel"):
        case "asymmetric":
            return at / factor
        case "half_pixel":
            return (at + 0.5) / factor - 0.5
        case "half_pixel_symmetric":
            shift = extent / 2 * (1 - count / (extent * factor))
            return shift + (at + 0.5) / factor - 0.5
        case "pytorch_half_pixel":
            return (at + 0.5) / factor - 0.5 if count > 1 else at * 0
        case "align_corners":
            return at * ((extent - 1) / (count - 1) if count > 1 else 0.0)
        case mode:
            raise node.refuse(f"resizing with {mode} coordinates is not supported")


def _rounded(node: Context, places: Places) -> Places:
    match node.text("nearest_mode", "round_prefer_floor"):
        case "floor":
            return np.floor(places)
        case "ceil":
            return np.ceil(places)
        case "round_prefer_ceil":
            return np.floor(places + 0.5)
        case _:
            return np.ceil(places - 0.5)


LOWERINGS: Lowerings = {"Resize": _resize}
