"""C and C++ functions run by the system's compiler, on any arrays.

A comment at the top of a program says what its function takes: ``/* run: f(float x[8], int n = 4)
*/``; what has a value is handed over as it is, a ``[8]`` by its address, anything else by value.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import streamopt.codegen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

__all__ = ["Argument", "NativeProgram", "bits"]

_RUN = re.compile(r"/\* run: (\w+)\((.*?)\) \*/", re.DOTALL)
_ARGUMENT = re.compile(r"([\w ]+?) (\w+)((?:\[\d+\])*)(?: = (\d+))?")
_WIDTHS = {"float": "f4", "data_t": "f4", "double": "f8", "int": "i4", "long long": "i8"}
_HEADERS = Path(__file__).parents[1] / "hls_headers"
_TYPES = Path(streamopt.codegen.__file__).parent / "templates/types"
_FLAGS = ("-O1", "-ffp-contract=off", "-fwrapv", "-w", "-shared", "-fPIC", "-Wl,-Bsymbolic")


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: an array, a scalar, or a number."""

    name: str
    c_type: str
    shape: tuple[int, ...]
    number: int | None

    @property
    def element(self) -> np.dtype[Any]:
        if self.c_type in _WIDTHS:
            return np.dtype(_WIDTHS[self.c_type])
        found = re.fullmatch(r"(u?)int(\d+)_t", self.c_type)
        assert found is not None, self.c_type
        return np.dtype(f"{found[1] or 'i'}{int(found[2]) // 8}")


class NativeProgram:
    """The function that a file's first comment names, as a shared library."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text()
        found = _RUN.search(self.text)
        assert found is not None, path
        self.function = found[1]
        self.arguments = tuple(_argument(part.strip()) for part in found[2].split(","))
        is_cpp = path.suffix == ".cpp"
        with TemporaryDirectory() as folder:
            driver, library = Path(folder) / f"driver{path.suffix}", Path(folder) / "code.so"
            driver.write_text(self._driver(path, is_cpp=is_cpp))
            compiler = ["g++"] if is_cpp else ["gcc", "-std=gnu11"]
            includes = ("-I", _HEADERS, "-I", _TYPES)
            command = [*compiler, *_FLAGS, *includes, "-o", library, driver, "-lm"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            self._library = ctypes.CDLL(str(library))

    def parameters(self) -> dict[str, int]:
        """Return the integers that are handed over as they are."""
        return {a.name: a.number for a in self.arguments if a.number is not None}

    def bounds(self) -> dict[str, int]:
        """Return how often loops run at most: ``/* bound: rows=4 */``."""
        found = re.search(r"/\* bound: ([^*]*) \*/", self.text)
        pairs = [part.split("=") for part in found[1].split(", ")] if found else []
        return {name: int(number) for name, number in pairs}

    def inputs(self, seed: int) -> Arrays:
        """Return values for all arrays and scalars: about 1, or below 100 if whole."""
        rng = np.random.default_rng(seed)
        found: Arrays = {}
        for argument in self.arguments:
            if argument.number is None:
                shape, element = argument.shape, argument.element
                is_real = element.kind == "f"
                values = rng.uniform(0.5, 1.5, shape) if is_real else rng.integers(0, 100, shape)
                found[argument.name] = np.asarray(values, element)
        return found

    def run(self, inputs: Mapping[str, NDArray[Any]], blank: int) -> Arrays:
        """Return all arrays afterwards; every byte of those that aren't given is blank at first."""
        arrays: Arrays = {}
        for argument in self.arguments:
            array = np.empty(argument.shape, argument.element)
            ctypes.memset(array.ctypes.data, blank, array.nbytes)
            if argument.name in inputs:
                array[...] = inputs[argument.name]
            arrays[argument.name] = array
        pointers = [array.ctypes.data for array in arrays.values()]
        self._library["call_it"]((ctypes.c_void_p * len(pointers))(*pointers))
        return {a.name: arrays[a.name] for a in self.arguments if a.number is None}

    def _driver(self, path: Path, *, is_cpp: bool) -> str:
        passed = [self._passed(place, argument) for place, argument in enumerate(self.arguments)]
        linkage = 'extern "C" ' if is_cpp else ""
        return (
            f'#include <stdint.h>\n#include "{path.resolve()}"\n'
            f"{linkage}void call_it(void **p) {{ {self.function}({', '.join(passed)}); }}\n"
        )

    def _passed(self, place: int, argument: Argument) -> str:
        if argument.number is not None:
            return str(argument.number)
        if f"(&{argument.name})" in self.text:
            extents = "".join(f"[{extent}]" for extent in argument.shape)
            return f"*({argument.c_type} (*){extents})p[{place}]"
        inner = "".join(f"[{extent}]" for extent in argument.shape[1:])
        pointer = f"({argument.c_type} (*){inner})p[{place}]"
        return pointer if argument.shape else f"*{pointer}"


def _argument(text: str) -> Argument:
    found = _ARGUMENT.fullmatch(text)
    assert found is not None, text
    shape = tuple(int(extent) for extent in re.findall(r"\d+", found[3]))
    return Argument(found[2], found[1], shape, None if found[4] is None else int(found[4]))


def bits(array: NDArray[Any]) -> NDArray[Any]:
    """Return the elements as integers, so that equal means the same bits."""
    return array.reshape(-1).view(np.dtype(f"u{array.dtype.itemsize}"))
