"""Files that a user names: read up to a limit, written whole or not at all.

Only regular files are read: devices and pipes never end.
"""

import os
from contextlib import suppress
from errno import EINVAL, EISDIR, ENOENT
from os import PathLike, fstat, strerror
from pathlib import Path
from uuid import uuid4

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, reason

MAX_BYTES = 64 * 2**20
"""Largest file that is read where a reader has no limit of its own."""


def read_bytes(path: str | PathLike[str], limit_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a file.

    Raises
    ------
    OSError
        If it can't be read, or is a device or a pipe.
    ValueError
        If it is larger than the limit.
    """
    file = Path(path)
    if not file.is_file():
        if not file.exists() or file.is_dir():
            code = EISDIR if file.exists() else ENOENT
            raise OSError(code, strerror(code))
        raise OSError(EINVAL, "it is a device or a pipe, not a regular file")
    with file.open("rb") as stream:
        size_bytes = fstat(stream.fileno()).st_size  # a read takes room for all that it may return
        data = stream.read(min(size_bytes, limit_bytes) + 1)
    if len(data) > limit_bytes:
        raise ValueError(f"the file is larger than {limit_bytes} bytes")
    return data


def read_text(
    path: str | PathLike[str], limit_bytes: int = MAX_BYTES, encoding: str = "utf-8"
) -> str:
    """Return the text in a file, its lines ended as in Python; raises as `read_bytes`."""
    text = read_bytes(path, limit_bytes).decode(encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def load_text(path: str | PathLike[str], code: str, limit_bytes: int = MAX_BYTES) -> str:
    """Return the text in a front end's file, without the mark that some editors put first.

    Raises
    ------
    FrontendError
        With the code that is given, if the file can't be read or is larger than the limit.
    """
    try:
        return read_text(path, limit_bytes, "utf-8-sig")
    except (OSError, ValueError) as error:
        message = f"the file can't be read: {reason(error)}"
        raise FrontendError(Diagnostic(code, message, SourceLoc(str(path)))) from None


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
