"""ONNX models: read them as programs."""
