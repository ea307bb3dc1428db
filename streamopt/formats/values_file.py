"""Files of test inputs: arrays by name, as NumPy writes them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from streamopt.errors import Diagnostic, SourceLoc, VerificationError
from streamopt.formats.weights import Header, NotNpzError, read_npz
from streamopt.ir.program import Program


def values_in(path: Path, program: Program) -> Mapping[str, NDArray[Any]]:
    """Return the values in a file; what doesn't suit the program is refused by its header.

    Raises
    ------
    VerificationError
        E726 for a file that can't be read, or that doesn't suit the program.
    """
    arrays = {array.name: array for array in program.arrays if array.is_given}
    problems: list[Diagnostic] = []

    def refuse(header: Header) -> bool:
        wanted = arrays.get(header.name)
        if wanted and wanted.takes(header.shape) and header.dtype.kind in "fiub":
            return False
        message = f"the values of '{header.name}' are {header}, and "
        message += "it is no input or weight" if wanted is None else f"its shape is {wanted.shape}"
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
