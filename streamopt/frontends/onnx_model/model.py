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
    """An input of the graph.

    Attributes
    ----------
    dtype
        NumPy's name of the element type; the name in ONNX where NumPy has none.
    shape
        Extents; the name of a dimension, perhaps empty, where it is not fixed. None if even the
        number of dimensions is unknown.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None


@dataclass(frozen=True, slots=True)
class OnnxOperator:
    """A node of the graph.

    Attributes
    ----------
    domain
        Empty for ONNX's own operators.
    inputs, outputs
        Names of values; empty for those that are left out.
    attributes
        Numbers, texts, tuples of them, or arrays; graphs are left out.
    """

    name: str
    kind: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    has_subgraph: bool
    loc: SourceLoc


@dataclass(frozen=True, slots=True)
class Model:
    """A graph in topological order.

    Attributes
    ----------
    opset
        Version of ONNX's own operators.
    misfits
        Problems that ONNX's inference of types and shapes finds.
    """

    name: str
    opset: int
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    constants: Mapping[str, NDArray[Any]]
    operators: tuple[OnnxOperator, ...]
    loc: SourceLoc
    misfits: tuple[Diagnostic, ...] = ()


UNSUPPORTED = "E172"
SHAPE = "E173"
INVALID = "E174"
TOO_LARGE = "E175"
DATA_DEPENDENT = "E176"

EXPORT_HINT = "export the model again, and check it with onnx.checker.check_model"
