"""The MLIR library: modules without types, loaded with this one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["ir", "passmanager"]

ir: Any = import_module("torch_mlir.ir")
passmanager: Any = import_module("torch_mlir.passmanager")
