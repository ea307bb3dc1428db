"""ONNX models to programs."""

from __future__ import annotations

from streamopt.frontends.onnx_model.reader import read_onnx

__all__ = ["read_onnx"]
