"""PyTorch modules to programs, through torch.export and torch-mlir."""

from __future__ import annotations

from streamopt.frontends.torch_module.module_files import load_module
from streamopt.frontends.torch_module.reader import read_torch

__all__ = ["load_module", "read_torch"]
