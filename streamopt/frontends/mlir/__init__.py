"""MLIR text to programs: affine loops over memrefs, and linear algebra on tensors."""

from streamopt.frontends.mlir.linalg.usage import TensorLayout
from streamopt.frontends.mlir.reader import read_mlir

__all__ = ["TensorLayout", "read_mlir"]
