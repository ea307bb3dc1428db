"""Labels of nests after the operators of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.mlir.linalg.naming import operation_label
from streamopt.frontends.mlir.text.parsing import KIND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.frontends.mlir.text.syntax import Operation
    from streamopt.frontends.torch_module.places import SourcePlace

__all__ = ["label"]

_LINEAR = ("aten.linear", "aten.addmm", "aten.matmul", "aten.mm", "aten.bmm")
_SEVERAL = ("softmax", "layer_norm", "group_norm", "instance_norm", "var", "std", "attention")
_PARTS = {
    "maximumf": "max",
    "maxnumf": "max",
    "select": "max",
    "addf": "sum",
    "subf": "centre",
    "exp": "exp",
    "divf": "div",
    "mulf": "scale",
    "rsqrt": "rsqrt",
    "sqrt": "sqrt",
    "log": "log",
}


def label(op: Operation, places: Mapping[int, SourcePlace]) -> str:
    """Return the label of an operation: the operator's label, and which part of it this is."""
    place = places.get(op.loc.line or 0)
    if place is None:
        return operation_label(op)
    kind = op.attributes.get(KIND)
    text = kind.rpartition(".")[2] if isinstance(kind, str) else op.name.rpartition(".")[2]
    if text == "pad":
        return f"{place.label}_pad"
    if text == "transpose":
        is_move = place.operator.startswith(("aten.transpose", "aten.permute", "aten.t."))
        return place.label if is_move else f"{place.label}_transposed"
    if text == "collapse_shape":
        return f"{place.label}_copy"
    if "matmul" in text:
        return f"{place.label}_gemm"
    if place.operator.startswith(_LINEAR):
        return f"{place.label}_add"
    operator = place.operator.removeprefix("aten.").partition(".")[0]
    if text == "generic" and any(word in operator for word in _SEVERAL):
        part = _part(op)
        return f"{place.label}_{part}" if part else place.label
    return place.label


def _part(op: Operation) -> str:
    names = [inner.name.rpartition(".")[2] for block in op.blocks for inner in block.operations]
    known = [_PARTS[name] for name in names if name in _PARTS]
    is_pair = len(op.results) > 1
    return "max" if is_pair else known[-1] if known else ""
