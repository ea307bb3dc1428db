"""An ONNX model without protobuf: nodes and attributes as Python values, and their problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, SourceLoc

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Input:
    """An input of the graph."""

    name: str
    dtype: str
    """NumPy's name of the element type; the name in ONNX where NumPy has none."""
    shape: tuple[int | str, ...] | None
    """Extents; the name of a dimension, perhaps empty, where it is not fixed. None if even the
    number of dimensions is unknown."""


@dataclass(frozen=True, slots=True)
class OnnxOperator:
    """A node of the graph."""

    name: str
    kind: str
    domain: str
    """Empty for ONNX's own operators."""
    # inputs, outputs: names of values; empty for those that are left out
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    """Numbers, texts, tuples of them, or arrays; graphs are left out."""
    loc: SourceLoc
    bodies: Mapping[str, Body]
    """Graphs inside the node, by the name of the attribute."""


@dataclass(frozen=True, slots=True)
class Body:
    """A graph inside a node, which sees the values around it."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    constants: Mapping[str, NDArray[Any]]
    operators: tuple[OnnxOperator, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """A graph in topological order."""

    name: str
    opset: int
    """Version of ONNX's own operators."""
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    constants: Mapping[str, NDArray[Any]]
    operators: tuple[OnnxOperator, ...]
    loc: SourceLoc
    misfits: tuple[Diagnostic, ...] = ()
    """Problems that ONNX's inference of types and shapes finds."""


UNSUPPORTED = "E172"
SHAPE = "E173"
INVALID = "E174"
TOO_LARGE = "E175"
DATA_DEPENDENT = "E176"

EXPORT_HINT = "export the model again, and check it with onnx.checker.check_model"
