"""Constants of the text as tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.mlir.element_types import element_type
from streamopt.frontends.mlir.scalars import UnsupportedError
from streamopt.frontends.mlir.syntax import Dense
from streamopt.frontends.tensors.tensor import Tensor, splat
from streamopt.ir.program import Role

if TYPE_CHECKING:
    from streamopt.frontends.mlir.syntax import Operation
    from streamopt.frontends.tensors.builder import ProgramBuilder

__all__ = ["dense_tensor"]


def dense_tensor(builder: ProgramBuilder, name: str, op: Operation) -> Tensor:
    """Return the tensor of an ``arith.constant``: a weight, or one number for all elements.

    Raises
    ------
    UnsupportedError
        For types that programs don't have.
    """
    import numpy as np

    dense = op.attributes["value"]
    assert isinstance(dense, Dense)
    element = element_type(dense.type.element)
    if element is None:
        hint = "types are f16, f32, f64 and integers of 8, 16, 32 or 64 bits"
        raise UnsupportedError(f"elements of type {dense.type.element} are not supported", hint)
    if dense.values is None:
        # The text doesn't have the values, so that the caller gives them.
        return builder.given(name, dense.type.shape, element, Role.WEIGHT)
    values = dense.values
    if values.size and np.all(values == values.flat[0]):
        return splat(float(values.flat[0]), element, values.shape)
    return builder.constant(name, values)
