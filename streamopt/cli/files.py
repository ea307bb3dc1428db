"""Small files, written whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from uuid import uuid4

from streamopt.errors import CodegenError, Diagnostic

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_text"]


def write_text(path: Path, text: str) -> None:
    """Write a file through a temporary one beside it.

    Raises
    ------
    CodegenError
        E690 where the system refuses to write.
    """
    fresh = path.with_name(f".{path.name}.{uuid4().hex}.new")
    try:
        fresh.write_text(text, encoding="utf-8", newline="\n")
        os.replace(fresh, path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        message = f"{path} can't be written: {error.strerror or error}"
        raise CodegenError(Diagnostic("E690", message, hint="choose another path")) from error
