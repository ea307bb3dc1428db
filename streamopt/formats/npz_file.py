"""NumPy's ``.npz`` files, read without pickles: nothing is unpacked before its header is compared.

A member may say that it is of any shape, and unpack to a thousand times its size in the file. So a
member that is not of the shape that its name should have is refused by its header alone, and of
the others as many bytes are unpacked as the shape takes.

The format is described in NumPy's documentation, "NPY format" (``numpy.lib.format``).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from streamopt.errors import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from zipfile import ZipInfo

    from numpy.typing import NDArray

__all__ = ["Header", "NotNpzError", "read_npz"]

_SUFFIX = ".npy"
PART_BYTES = 2**20
"""Unpacked at once."""
_BROKEN = (
    BadZipFile,
    ValueError,
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    OverflowError,  # of an extent in a header
    SyntaxError,  # of a header's text, as is the next one
    TokenError,
    TypeError,
)


class NotNpzError(Exception):
    """The file can't be read, or is none of this form; the text says why."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a member says of itself."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_column_major: bool = False

    def __str__(self) -> str:
        """Return type and shape."""
        return f"{self.dtype} {self.shape}"


def read_npz(path: Path, refuse: Callable[[Header], bool]) -> Mapping[str, NDArray[Any]]:
    """Return the arrays of a file that are not refused, by name.

    Parameters
    ----------
    refuse
        Whether an array is to be left out, asked before it is unpacked.

    Raises
    ------
    NotNpzError
        If the file can't be read.
    """
    if path.exists() and not path.is_file():
        raise NotNpzError("can't be read: it is not a regular file")
    try:
        with ZipFile(path) as packed:
            return dict(_members(packed, refuse))
    except OSError as error:
        raise NotNpzError(f"can't be read: {reason(error)}") from None
    except _BROKEN as error:
        raise NotNpzError(f"is not in NumPy's format: {error}") from None


def _members(
    packed: ZipFile, refuse: Callable[[Header], bool]
) -> Iterator[tuple[str, NDArray[Any]]]:
    for item in packed.infolist():
        with packed.open(item) as member:
            header = _header(item, member)
            if not refuse(header):
                yield header.name, _values(header, member)


def _header(item: ZipInfo, member: IO[bytes]) -> Header:
    version = np.lib.format.read_magic(member)
    if version != (1, 0):  # later ones are for headers of more than 64 KiB, of structures
        raise ValueError(f"'{item.filename}' has version {version} of the format")
    shape, is_column_major, dtype = np.lib.format.read_array_header_1_0(member)
    if dtype.hasobject:
        raise ValueError(f"'{item.filename}' has objects, which are not read")
    return Header(item.filename.removesuffix(_SUFFIX), dtype, shape, is_column_major)


def _values(header: Header, member: IO[bytes]) -> NDArray[Any]:
    count = 1
    for extent in header.shape:
        count *= extent
    flat = np.empty(count, header.dtype)
    room = flat.view(np.uint8).data
    while room:
        part = member.read(min(len(room), PART_BYTES))
        if not part:
            raise ValueError(f"'{header.name}' is shorter than its header says")
        room[: len(part)] = part
        room = room[len(part) :]
    if member.read(1):  # which checks the sum of what was unpacked
        raise ValueError(f"'{header.name}' is longer than its header says")
    return flat.reshape(header.shape, order="F" if header.is_column_major else "C")
