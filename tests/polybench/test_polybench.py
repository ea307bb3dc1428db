"""All 30 kernels from C to a program, whose exact interpreter gives the bits that gcc gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from streamopt.pipeline import SourceOptions, interpret, load
from tests.support.nightly import in_nightly
from tests.support.runners.polybench import KERNELS, NAMES, CompiledKernel, bits, source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamopt.ir.program import Program
    from tests.support.runners.polybench import Arrays

SIZES = ("LARGE", "SMALL", "MEDIUM", "EXTRALARGE")
"""Beside MINI, whose arrays are compared element by element."""
FLOAT = {"DATA_TYPE_IS_FLOAT": ""}
DELICATE = ("cholesky", "durbin", "gramschmidt", "lu", "ludcmp", "trisolv", "nussinov")
"""Kernels whose inputs can't be any numbers: they divide by what they compute, or count bases."""


def read(name: str, size: str, defines: dict[str, str]) -> Program:
    macros = {f"{size}_DATASET": "", **defines}
    return load(source(name), options=SourceOptions(define=macros, include=[KERNELS]))


def varied(inputs: Arrays) -> Arrays:
    """Values of another seed for every array, near 1; scalars stay."""
    rng = np.random.default_rng(11)
    return {name: _varied(value, rng) if value.ndim else value for name, value in inputs.items()}


def _varied(value: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    if value.dtype.kind == "f":
        return rng.uniform(0.5, 1.5, value.shape).astype(value.dtype)
    return rng.integers(1, 1000, value.shape).astype(value.dtype)


def check_outputs(program: Program, kernel: CompiledKernel, initial: Arrays) -> None:
    """Every array that the program hands back has gcc's bits, where they are defined."""
    inputs = {array.name: initial[array.name] for array in program.arrays if array.is_given}
    found = interpret(program, inputs)
    expected, defined = kernel.run(inputs), kernel.defined(inputs)
    outputs = [array.name for array in program.arrays if array.role.value == "output"]
    written = {name.removesuffix("_out"): name for name in outputs}
    changed = [n for n, v in expected.items() if n not in inputs or differs(v, inputs[n])]
    assert outputs
    assert set(changed) <= set(written)
    for name, output in written.items():
        mask = defined[name]
        assert found[output].dtype == expected[name].dtype
        np.testing.assert_array_equal(
            bits(found[output])[mask],
            bits(expected[name])[mask],
            err_msg=f"{name} of {program.name}",
        )


def differs(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return bool((bits(one) != bits(other)).any())


@pytest.mark.parametrize("defines", [{}, FLOAT], ids=["default", "float"])
@pytest.mark.parametrize("name", NAMES)
def test_bits_are_those_of_gcc(name: str, defines: dict[str, str]) -> None:
    program = read(name, "MINI", defines)
    kernel = CompiledKernel(source(name), {"MINI_DATASET": "", **defines})
    initial = kernel.initial()
    check_outputs(program, kernel, initial)
    if name not in DELICATE:
        check_outputs(program, kernel, varied(initial))


@pytest.mark.parametrize("size", in_nightly(SIZES, 1))
@pytest.mark.parametrize("name", NAMES)
def test_every_size_is_read(name: str, size: str) -> None:
    for defines in ({}, FLOAT):
        program = read(name, size, defines)
        macros = {f"{size}_DATASET": "", **defines}
        shapes = CompiledKernel(source(name), macros, flags=("-O0",)).layouts
        for array in program.arrays:
            name_in_c = array.name.removesuffix("_out")
            if name_in_c in shapes:
                assert array.shape == shapes[name_in_c][0]
