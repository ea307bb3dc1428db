"""Why a node of an ONNX model can't be lowered."""

from __future__ import annotations

__all__ = [
    "DATA_DEPENDENT",
    "EXPORT_HINT",
    "INVALID",
    "SHAPE",
    "TOO_LARGE",
    "UNSUPPORTED",
    "RefusedError",
]

UNSUPPORTED = "E172"
SHAPE = "E173"
INVALID = "E174"
TOO_LARGE = "E175"
DATA_DEPENDENT = "E176"

EXPORT_HINT = "export the model again, and check it with onnx.checker.check_model"


class RefusedError(Exception):
    """Leaves the lowering of one node: a code, a message and what to change."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
