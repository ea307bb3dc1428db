"""ONNX models to programs."""

from streamopt.frontends.onnx_model.reader import read_onnx

__all__ = ["read_onnx"]
