"""NumPy's ``.npz`` files, read without pickles; the weights beside a graph.json lie in one.

A member may say that it is of any shape, and unpack to a thousand times its size in the file. So a
member that is not of the shape that its name should have is refused by its header alone, and of
the others as many bytes are unpacked as the shape takes. Weights' files also hold the sample of a
program, if it brings one, under names that begin with ``sample.``.

The format is described in NumPy's documentation, "NPY format" (``numpy.lib.format``).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, SourceLoc, reason
from streamopt.ir.program import Array, Program

if TYPE_CHECKING:
    from zipfile import ZipInfo

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
    """The header of a member: name, type and shape."""

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


_SAMPLE = "sample."


def weights_bytes(program: Program) -> bytes:
    """Return the bytes of a file with a program's values and sample; the same every time."""
    sample = {f"{_SAMPLE}{name}": value for name, value in program.sample.items()}
    return arrays_bytes({**program.values, **sample})


def arrays_bytes(values: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes that ``numpy.savez`` writes, which takes no array named ``file``."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name in sorted(values):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asarray(values[name]), allow_pickle=False)
    return buffer.getvalue()


def read_weights(
    path: Path, arrays: Mapping[str, Array | None], problems: list[Diagnostic]
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Return the values and the sample in a file, by array; problems (E115) are appended."""
    place = SourceLoc(str(path))

    def refuse(message: str) -> None:
        hint = 'write it again with `streamopt graph`, or take "weights" out of the graph'
        problems.append(Diagnostic("E115", message, place, hint))

    def is_refused(header: Header) -> bool:
        message = _misfit(header, arrays)
        if message:
            refuse(message)
        return bool(message)

    try:
        values = read_npz(path, is_refused)
    except NotNpzError as error:
        refuse(f"the file of weights {error}")
        return {}, {}
    sample = {k.removeprefix(_SAMPLE): v for k, v in values.items() if k.startswith(_SAMPLE)}
    return {k: v for k, v in values.items() if not k.startswith(_SAMPLE)}, sample


def _misfit(header: Header, arrays: Mapping[str, Array | None]) -> str:
    """Return why values are not those of an array of the graph; empty if they may be."""
    name = header.name.removeprefix(_SAMPLE)
    roles = ("input", "output") if header.name.startswith(_SAMPLE) else ("weight",)
    array = arrays.get(name)
    if array is None:
        return f"there are values of '{name}', which is no array of the graph"
    if array.role.value not in roles:
        wanted = " or ".join(roles)
        return f"there are values of '{name}', which has role {array.role}, not {wanted}"
    if header.shape != array.shape or header.dtype.kind not in "fiub":
        return f"the values of '{name}' are {header}, not {array.shape}"
    return ""
