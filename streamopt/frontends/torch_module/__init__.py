"""PyTorch modules to programs, through torch.export and torch-mlir."""

from streamopt.frontends.torch_module.reader import example_inputs, read_torch

__all__ = ["example_inputs", "read_torch"]
