"""PolyBench kernels run by the system's C compiler, on any arrays: what interpreters must match.

A driver in C includes the kernel's source, so that its static functions can be called, and says
what their parameters are: extents and element types as the compiler sees them.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

__all__ = ["KERNELS", "NAMES", "CompiledKernel", "Parameter", "source"]

KERNELS = Path(__file__).parents[2] / "polybench" / "kernels"
NAMES = tuple(sorted(path.name for path in KERNELS.iterdir() if path.is_dir()))
FLAGS = ("-O2", "-ffp-contract=off", "-std=c99", "-Wall", "-Wextra", "-Wno-unknown-pragmas")

_ARRAY = re.compile(r"(\w+) POLYBENCH_[1-5]D\((\w+),(.*)\)")
_SCALAR = re.compile(r"(\w+) ?(\*?)(\w+)")


def source(name: str) -> Path:
    """Return the C file of a kernel."""
    return KERNELS / name / f"{name}.c"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a C function: an extent (``int n``), a scalar or an array.

    Attributes
    ----------
    c_type
        As written, perhaps a macro or typedef.
    extents
        Of an array, as written; empty for a scalar.
    """

    name: str
    c_type: str
    extents: tuple[str, ...] = ()

    @property
    def is_extent(self) -> bool:
        return self.c_type == "int"


def parameters(text: str, function: str) -> tuple[Parameter, ...]:
    """Return the parameters of a function that is defined in the text."""
    found = re.search(rf"\b{function}\s*\(((?:[^()]|\([^()]*\))*)\)\s*\{{", text)
    assert found is not None, function
    listed = re.split(r",(?![^()]*\))", " ".join(found[1].split()))
    return tuple(_parameter(text.strip()) for text in listed)


def _parameter(text: str) -> Parameter:
    array = _ARRAY.fullmatch(text)
    if array is not None:
        extents = [extent.strip() for extent in array[3].split(",")]
        return Parameter(array[2], array[1], tuple(extents[: len(extents) // 2]))
    scalar = _SCALAR.fullmatch(text)
    assert scalar is not None, text
    return Parameter(scalar[3], scalar[1])


class CompiledKernel:
    """A kernel as a shared library.

    Parameters
    ----------
    path
        Its C file, with functions ``kernel_...`` and ``init_array`` as PolyBench has them.
    defines
        Macros, for instance ``{"MINI_DATASET": ""}``.
    flags
        Of the compiler; they may not change what is computed.
    """

    def __init__(
        self,
        path: Path,
        defines: Mapping[str, str],
        include: Sequence[Path] = (KERNELS,),
        flags: Sequence[str] = FLAGS,
    ) -> None:
        text = path.read_text()
        name = re.search(r"\bkernel_\w+", text)
        assert name is not None, path
        kernel, init = parameters(text, name[0]), parameters(text, "init_array")
        self.given = tuple(p for p in kernel if not p.is_extent)
        with TemporaryDirectory() as folder:
            driver, library = Path(folder) / "driver.c", Path(folder) / "kernel.so"
            driver.write_text(_driver(path, name[0], kernel, init))
            options = [f"-D{macro}={value}" for macro, value in defines.items()]
            options += [f"-I{folder}" for folder in include]
            command = ["gcc", *flags, *options, "-shared", "-fPIC", "-o", library, driver, "-lm"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            self.warnings = done.stderr
            self._library = ctypes.CDLL(str(library))

    @cached_property
    def layouts(self) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
        """Shape and element type of every scalar and array, in the order of the signature."""
        layouts: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {}
        for parameter in self.given:
            rank = len(parameter.extents)
            facts = (ctypes.c_long * (2 + rank)).in_dll(self._library, f"facts_{parameter.name}")
            kind, size, *shape = facts
            layouts[parameter.name] = tuple(shape), np.dtype(f"{'iuf'[kind]}{size}")
        return layouts

    def initial(self) -> Arrays:
        """Return the values that ``init_array`` gives; others are NaN, or -1 for integers."""
        arrays = self._blank(0xFF)
        self._call("call_init", arrays)
        return arrays

    def run(self, inputs: Mapping[str, NDArray[Any]], blank: int = 0xFF) -> Arrays:
        """Return all scalars and arrays after the kernel has run on copies of the inputs.

        Parameters
        ----------
        blank
            What every byte is of the arrays that aren't given.
        """
        arrays = self._blank(blank)
        for name, value in inputs.items():
            shape, element = self.layouts[name]
            assert value.shape == shape, name
            assert value.dtype == element, name
            arrays[name][...] = value
        self._call("call_kernel", arrays)
        return arrays

    def defined(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.bool_]]:
        """Return which elements depend on the inputs alone, whatever other arrays held before."""
        runs = [self.run(inputs, blank) for blank in (0xFF, 0x00)]
        return {name: bits(runs[0][name]) == bits(runs[1][name]) for name in runs[0]}

    def _blank(self, byte: int) -> Arrays:
        arrays: Arrays = {}
        for name, (shape, element) in self.layouts.items():
            arrays[name] = np.empty(shape, element)
            ctypes.memset(arrays[name].ctypes.data, byte, arrays[name].nbytes)
        return arrays

    def _call(self, function: str, arrays: Arrays) -> None:
        pointers = [arrays[parameter.name].ctypes.data for parameter in self.given]
        self._library[function]((ctypes.c_void_p * len(pointers))(*pointers))


def bits(array: NDArray[Any]) -> NDArray[Any]:
    """Return the elements as integers, so that equal means the same bits."""
    return array.view(np.dtype(f"i{array.dtype.itemsize}"))


def _driver(path: Path, name: str, kernel: Sequence[Parameter], init: Sequence[Parameter]) -> str:
    given = [parameter.name for parameter in kernel if not parameter.is_extent]
    lines = ["#define main main_of_the_kernel", f'#include "{path.resolve()}"', "#undef main"]
    for parameter in kernel:
        if not parameter.is_extent:
            element = parameter.c_type
            kind = f"(({element})0.5 != 0 ? 2 : ({element})-1 > 0)"
            facts = [kind, f"(long)sizeof({element})", *parameter.extents]
            lines.append(f"const long facts_{parameter.name}[] = {{{', '.join(facts)}}};")
    passed = [_argument(parameter, given, by_value=True) for parameter in kernel]
    lines.append(f"void call_kernel(void **p) {{ {name}({', '.join(passed)}); }}")
    passed = [_argument(parameter, given, by_value=False) for parameter in init]
    lines.append(f"void call_init(void **p) {{ init_array({', '.join(passed)}); }}")
    return "\n".join(lines) + "\n"


def _argument(parameter: Parameter, given: Sequence[str], *, by_value: bool) -> str:
    """Return C for an argument; an extent's macro is its name in capitals."""
    if parameter.is_extent:
        return parameter.name.upper()
    place = f"p[{given.index(parameter.name)}]"
    if by_value and not parameter.extents:
        return f"*({parameter.c_type} *){place}"
    return place
