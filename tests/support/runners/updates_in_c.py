"""Random in-place functions, all of a batch in one C library: what designs must match."""

from __future__ import annotations

import ctypes
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.support.random.updates import ARRAYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

_FLAGS = ("-O1", "-std=gnu11", "-ffp-contract=off", "-w", "-shared", "-fPIC")
_DTYPES = {"double": "f8", "float": "f4", "unsigned": "u4"}


def random_arrays(c_type: str, seed: int) -> Arrays:
    """Return values of all parameters: around 1, or below 100 if whole."""
    rng = np.random.default_rng(seed)
    is_whole = c_type == "unsigned"
    return {
        name: np.asarray(
            rng.integers(0, 100, shape) if is_whole else rng.uniform(0.5, 2.0, shape),
            _DTYPES[c_type],
        )
        for name, shape in ARRAYS.items()
    }


class CompiledUpdates:
    """Functions by their names."""

    def __init__(self, texts: Iterable[str], folder: Path) -> None:
        source, library = folder / "functions.c", folder / "functions.so"
        source.write_text("\n".join(["#include <math.h>", *texts, ""]))
        command = ["gcc", *_FLAGS, "-o", str(library), str(source), "-lm"]
        subprocess.run(command, check=True)
        self._library = ctypes.CDLL(str(library))

    def run(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
        """Return all parameters afterwards."""
        after = {own: np.ascontiguousarray(values).copy() for own, values in arrays.items()}
        self._library[name](*(ctypes.c_void_p(own.ctypes.data) for own in after.values()))
        return after
