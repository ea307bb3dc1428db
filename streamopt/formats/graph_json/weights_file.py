"""Values of weights in a file beside a graph.json: NumPy's ``.npz``, read without pickles.

It also holds the sample of a program, if it brings one, under names that begin with ``sample.``.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, SourceLoc

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from streamopt.formats.npz_file import Header
    from streamopt.ir.program import Array, Program

__all__ = ["arrays_bytes", "read_weights", "weights_bytes"]

_SAMPLE = "sample."


def weights_bytes(program: Program) -> bytes:
    """Return the bytes of a file with a program's values and sample; the same every time."""
    sample = {f"{_SAMPLE}{name}": value for name, value in program.sample.items()}
    return arrays_bytes({**program.values, **sample})


def arrays_bytes(values: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of a file of arrays; the same every time."""
    import numpy as np

    buffer = BytesIO()
    np.savez(buffer, **{name: np.asarray(values[name]) for name in sorted(values)})  # type: ignore[arg-type]
    return buffer.getvalue()


def read_weights(
    path: Path, arrays: Mapping[str, Array | None], problems: list[Diagnostic]
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Return the values and the sample in a file, by array; problems (E115) are appended."""
    from streamopt.formats.npz_file import NotNpzError, read_npz

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
