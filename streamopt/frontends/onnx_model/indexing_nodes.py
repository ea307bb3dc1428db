"""Nodes that read or write elements at positions; constants of the model, or they don't stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.frontends.onnx_model.model import DATA_DEPENDENT
from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.gathering import (
    MAX_POSITIONS,
    along,
    gathered,
    scattered,
    taken,
)
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError
from streamopt.frontends.tensors.views import reshaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamopt.frontends.onnx_model.context import Context, Lowerings

    Indices = NDArray[np.int64]

__all__ = ["LOWERINGS"]

_HINT = "compute it outside the program"
_EMBEDDING_HINT = "give the embedded vectors as the model's input instead of their indices"
_COMBINE: Any = {
    "none": None,
    "add": ex.add,
    "mul": ex.multiply,
    "max": ex.maximum,
    "min": ex.minimum,
}


def _indices(node: Context, hint: str = _HINT) -> Indices:
    """Return the second operand; raises RefusedError if it isn't constant."""
    found = node.constant(1, "the list of indices", DATA_DEPENDENT, hint)
    if found is None or found.dtype.kind not in "iu" or not found.size:
        raise LoweringError("the indices are no whole numbers, or none at all")
    if found.size > MAX_POSITIONS:
        raise node.refuse(f"{found.size} constant indices are too many")
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
    x, indices, batch = node.tensor(), _indices(node), node.integer("batch_dims", 0)
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
    kind = node.text("reduction", "none")
    if kind not in _COMBINE:
        raise node.refuse(f"reduction {kind} is not supported")
    return _COMBINE[kind]


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


LOWERINGS: Lowerings = {
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
}
