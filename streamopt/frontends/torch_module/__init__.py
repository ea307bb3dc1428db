"""PyTorch modules to programs, through torch.export and torch-mlir."""
