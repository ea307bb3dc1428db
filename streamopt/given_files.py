"""Files that a user names: regular ones, of a limited size. Devices and pipes never end."""

from __future__ import annotations

from errno import EINVAL, EISDIR, ENOENT
from os import fstat, strerror
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["MAX_BYTES", "read_bytes", "read_text"]

MAX_BYTES = 64 * 2**20
"""Largest file that is read where a reader has no limit of its own."""


def read_bytes(path: str | PathLike[str], limit_bytes: int = MAX_BYTES) -> bytes:
    """Return what is in a file.

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
