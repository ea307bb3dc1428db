"""Test inputs as a user asks for them: ways to draw them, values, and files of values."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.errors import Diagnostic, SourceLoc, VerificationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamopt.formats.weights import Header
    from streamopt.ir.program import Program
    from streamopt.verification.vectors.golden import Golden
    from streamopt.verification.vectors.inputs import InputWays

__all__ = ["INPUT_VALUES", "golden_data", "input_ways", "stored_ways"]

INPUT_VALUES = "test_inputs.npz"
"""File of a project with the values that were given for its test inputs."""

_SUFFIX = ".npz"


def golden_data(
    program: Program,
    seed: int = 0,
    inputs: str | PathLike[str] | Sequence[str] | Mapping[str, Any] | Golden | None = None,
) -> Golden:
    """Return test inputs and golden outputs of a program.

    Parameters
    ----------
    inputs
        What `streamopt.write` takes, or test data that were made before.

    Raises
    ------
    VerificationError
        E726 for a file that can't be read, and as
        `streamopt.verification.vectors.golden.find_golden`.
    """
    from streamopt.verification.vectors.golden import Golden, find_golden

    if isinstance(inputs, Golden):
        return inputs
    return find_golden(program, seed, input_ways(program, inputs))


def input_ways(
    program: Program,
    inputs: str | PathLike[str] | Sequence[str] | Mapping[str, Any] | None,
) -> InputWays:
    """Return how inputs are drawn, and values of others, as a user says it."""
    from streamopt.verification.vectors.inputs import InputWays, parsed_ways

    texts: list[str] = []
    values: dict[str, NDArray[Any]] = {}
    if isinstance(inputs, Mapping):
        for name, said in inputs.items():
            if isinstance(said, str):
                texts.append(f"{name}={said}" if name else said)
            else:
                values[name] = np.asarray(said)
    elif isinstance(inputs, str | PathLike):
        texts.append(fspath(inputs))
    else:
        texts += inputs or ()
    for text in texts:
        if text.endswith(_SUFFIX):
            values.update(_values_in(Path(text), program))
    ways = parsed_ways(text for text in texts if not text.endswith(_SUFFIX))
    return InputWays(ways, values)


def stored_ways(directory: Path, program: Program, texts: Sequence[str]) -> InputWays:
    """Return how the inputs of a project were asked for."""
    path = directory / INPUT_VALUES
    return input_ways(program, [*texts, *([str(path)] if path.is_file() else [])])


def _values_in(path: Path, program: Program) -> Mapping[str, NDArray[Any]]:
    """Return the values in a file; what doesn't suit the program is refused by its header."""
    from streamopt.formats.weights import NotNpzError, read_npz

    shapes = {array.name: array.shape for array in program.arrays if array.is_given}
    problems: list[Diagnostic] = []

    def refuse(header: Header) -> bool:
        if shapes.get(header.name) == header.shape and header.dtype.kind in "fiub":
            return False
        wanted = shapes.get(header.name)
        message = f"the values of '{header.name}' are {header}, and "
        message += "it is no input or weight" if wanted is None else f"its shape is {wanted}"
        problems.append(Diagnostic("E726", message, SourceLoc(str(path))))
        return True

    try:
        values = read_npz(path, refuse)
    except NotNpzError as error:
        hint = "write it by numpy.savez(path, A=..., B=...)"
        message = f"the file of test inputs {error}"
        raise VerificationError(Diagnostic("E726", message, SourceLoc(str(path)), hint)) from None
    if problems:
        raise VerificationError(*problems)
    return values
