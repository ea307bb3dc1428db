"""Where in the user's code something was written, and the codes of what can be wrong with it."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Final

from streamopt.errors import Diagnostic, SourceLoc

__all__ = [
    "ARRAYS",
    "EXPRESSIONS",
    "ITERATORS",
    "NAMES",
    "NOT_AFFINE",
    "OUTPUTS",
    "RANGE",
    "SUBSCRIPTS",
    "WRITES",
    "caller",
    "problem",
]

NOT_AFFINE: Final = "E181"
SUBSCRIPTS: Final = "E182"
RANGE: Final = "E183"
ITERATORS: Final = "E184"
NAMES: Final = "E185"
ARRAYS: Final = "E186"
EXPRESSIONS: Final = "E187"
OUTPUTS: Final = "E188"
WRITES: Final = "E189"

_HERE = str(Path(__file__).parent)


def caller() -> SourceLoc:
    """Return file and line of the innermost call that isn't in this package."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    if frame is None:
        return SourceLoc("?")
    return SourceLoc(frame.f_code.co_filename, line=frame.f_lineno)


def problem(code: str, message: str, hint: str = "", loc: SourceLoc | None = None) -> Diagnostic:
    """Return a diagnostic at a place, or else where the user's code is now."""
    return Diagnostic(code, message, loc or caller(), hint)
