"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, reason

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_file"]


def write_file(path: Path, content: bytes) -> None:
    """Write a file through a temporary one beside it; a device such as ``/dev/null`` directly.

    Raises
    ------
    FrontendError
        E116 where the system refuses to write.
    """
    if path.is_char_device() or path.is_fifo():
        path.write_bytes(content)
        return
    fresh = path.with_name(f".{path.name}.{uuid4().hex}.new")
    try:
        fresh.write_bytes(content)
        os.replace(fresh, path)
    except (OSError, ValueError) as error:
        message = f"the file can't be written: {reason(error)}"
        place = SourceLoc(str(path))
        raise FrontendError(Diagnostic("E116", message, place, "choose another path")) from None
    finally:
        with suppress(OSError, ValueError):
            fresh.unlink(missing_ok=True)
