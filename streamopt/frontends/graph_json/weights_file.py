"""Values of weights in a file beside a graph.json: NumPy's ``.npz``, read without pickles."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from streamopt.errors import Diagnostic, SourceLoc

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from streamopt.ir.program import Array

__all__ = ["read_weights", "weights_bytes"]

MAX_BYTES = 8 * 2**30
"""Largest file of weights that is read, unpacked."""


def weights_bytes(values: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of a file that holds the arrays by name; the same bytes every time."""
    import numpy as np

    buffer = BytesIO()
    np.savez(buffer, **{name: np.asarray(values[name]) for name in sorted(values)})  # type: ignore[arg-type]
    return buffer.getvalue()


def read_weights(
    path: Path, arrays: Mapping[str, Array | None], problems: list[Diagnostic]
) -> dict[str, NDArray[Any]]:
    """Return the values in a file, by array; problems (E115) are appended."""
    import numpy as np

    place = SourceLoc(str(path))

    def refuse(message: str) -> None:
        hint = 'write it again with `streamopt graph`, or take "weights" out of the graph'
        problems.append(Diagnostic("E115", message, place, hint))

    values: dict[str, NDArray[Any]] = {}
    try:
        with ZipFile(path) as packed:
            if sum(item.file_size for item in packed.infolist()) > MAX_BYTES:
                refuse(f"the weights take more than {MAX_BYTES} bytes")
                return values
        with np.load(path, allow_pickle=False) as found:
            for name in found.files:
                values[name] = found[name]
    except OSError as error:
        refuse(f"the weights can't be read: {error.strerror or error}")
    except (BadZipFile, ValueError, EOFError, KeyError, NotImplementedError) as error:
        refuse(f"this is not a file of weights: {error}")
    for name, value in values.items():
        array = arrays.get(name)
        if array is None:
            refuse(f"there are values of '{name}', which is no array of the graph")
        elif array.role.value != "weight":
            refuse(f"there are values of '{name}', which has role {array.role}, not weight")
        elif value.shape != array.shape or value.dtype.kind not in "fiu":
            refuse(f"the values of '{name}' are {value.dtype} {value.shape}, not {array.shape}")
    return values
