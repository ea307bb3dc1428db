"""Values of weights in a file beside a graph.json: NumPy's ``.npz``, read without pickles.

It also holds the sample of a program, if it brings one, under names that begin with ``sample.``.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from streamopt.errors import Diagnostic, SourceLoc, reason

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from streamopt.ir.program import Array, Program

__all__ = ["read_weights", "weights_bytes"]

_SAMPLE = "sample."

MAX_BYTES = 8 * 2**30
"""Largest file of weights that is read, unpacked."""


def weights_bytes(program: Program) -> bytes:
    """Return the bytes of a file with a program's values and sample; the same every time."""
    import numpy as np

    sample = {f"{_SAMPLE}{name}": value for name, value in program.sample.items()}
    values = {**program.values, **sample}
    buffer = BytesIO()
    np.savez(buffer, **{name: np.asarray(values[name]) for name in sorted(values)})  # type: ignore[arg-type]
    return buffer.getvalue()


def read_weights(
    path: Path, arrays: Mapping[str, Array | None], problems: list[Diagnostic]
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Return the values and the sample in a file, by array; problems (E115) are appended."""
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
                return {}, {}
        with np.load(path, allow_pickle=False) as found:
            for name in found.files:
                values[name] = found[name]
    except OSError as error:
        refuse(f"the weights can't be read: {reason(error)}")
    except (BadZipFile, ValueError, EOFError, KeyError, NotImplementedError) as error:
        refuse(f"this is not a file of weights: {error}")
    for key, value in values.items():
        name = key.removeprefix(_SAMPLE)
        roles = ("input", "output") if key.startswith(_SAMPLE) else ("weight",)
        array = arrays.get(name)
        if array is None:
            refuse(f"there are values of '{name}', which is no array of the graph")
        elif array.role.value not in roles:
            wanted = " or ".join(roles)
            refuse(f"there are values of '{name}', which has role {array.role}, not {wanted}")
        elif value.shape != array.shape or value.dtype.kind not in "fiub":
            refuse(f"the values of '{name}' are {value.dtype} {value.shape}, not {array.shape}")
    sample = {k.removeprefix(_SAMPLE): v for k, v in values.items() if k.startswith(_SAMPLE)}
    return {k: v for k, v in values.items() if not k.startswith(_SAMPLE)}, sample
