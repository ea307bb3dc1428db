"""The C front end reads every kernel, and what it read computes what the kernel computes."""

from __future__ import annotations

import ctypes
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.errors import FrontendError
from streamopt.frontends.c import read_c
from tests.support.runners.polybench import KERNELS, NAMES, CompiledKernel, bits, source
from tests.support.runners.printed_c import printed

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.source import Source
    from tests.support.runners.polybench import Arrays

FLAGS = ("-O1", "-ffp-contract=off", "-std=c99", "-shared", "-fPIC", "-w")
NO_INTEGERS = {"cholesky", "correlation", "deriche", "gramschmidt"}
"""Kernels that call functions which PolyBench defines for floating-point numbers only."""
DIVIDES_BY_ZERO = {"adi", "durbin", "lu", "ludcmp", "trisolv"}
"""Kernels whose quotients of integers have zeros below."""


def run(read: Source, inputs: Arrays, folder: Path) -> Arrays:
    """Return the arguments after running what was read."""
    text, library = folder / "printed.c", folder / "printed.so"
    text.write_text(printed(read))
    subprocess.run(["gcc", *FLAGS, "-o", library, text, "-lm"], check=True)
    names = [variable.name for variable in read.variables if variable.is_argument]
    arrays = {name: inputs[name].copy() for name in names}
    pointers = [arrays[name].ctypes.data for name in names]
    ctypes.CDLL(str(library))["run"]((ctypes.c_void_p * len(pointers))(*pointers))
    return arrays


@pytest.mark.parametrize("element", ["DOUBLE", "FLOAT", "INT"])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_computes_the_same(name: str, element: str, tmp_path: Path) -> None:
    defines = {"MINI_DATASET": "", f"DATA_TYPE_IS_{element}": ""}
    if element == "INT" and name in NO_INTEGERS:
        with pytest.raises(FrontendError, match=r"E137 function '(SQRT|EXP|POW)_FUN'"):
            read_c(source(name), defines=defines)
        return
    read = read_c(source(name), defines=defines)
    if element == "INT" and name in DIVIDES_BY_ZERO:
        return
    kernel = CompiledKernel(source(name), defines)
    inputs = kernel.initial()
    found, wanted = run(read, inputs, tmp_path), kernel.run(inputs)
    assert set(found) <= set(wanted)
    defined = kernel.defined(inputs)
    for array, values in found.items():
        where = defined[array]
        np.testing.assert_array_equal(bits(values)[where], bits(wanted[array])[where])


@pytest.mark.parametrize("size", ["MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE"])
@pytest.mark.parametrize("name", ["3mm", "adi", "deriche", "nussinov"])
def test_all_sizes_with_either_header(name: str, size: str) -> None:
    defines = {f"{size}_DATASET": ""}
    own = read_c(source(name), defines=defines)
    assert read_c(source(name), defines=defines, include=[KERNELS]) == own
    assert own.name == name.removeprefix("kernel_")


@pytest.mark.parametrize("name", NAMES)
def test_default_size_is_large(name: str) -> None:
    assert read_c(source(name)) == read_c(source(name), defines={"LARGE_DATASET": ""})
