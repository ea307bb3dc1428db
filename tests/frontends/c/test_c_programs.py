"""Programs as engineers write them: what is read computes, bit for bit, what gcc computes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from streamopt.pipeline import SourceOptions, dataflow, interpret, load
from tests.support.runners.native import NativeProgram, bits

if TYPE_CHECKING:
    from streamopt.ir.program import Program
    from tests.support.runners.native import Arrays

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = tuple(sorted(path.name for path in FOLDER.iterdir() if path.suffix != ".h"))


def argument_of(array: str, arguments: Arrays) -> str:
    """Return the argument that an array of the program stands for."""
    short = array.removesuffix("_out")
    names = (array, short, f"{short}_", array.rstrip("_"), short.rstrip("_"))
    return next(name for name in names if name in arguments)


def check_outputs(program: Program, native: NativeProgram, seed: int) -> None:
    arguments = native.inputs(seed)
    given = {array.name for array in program.arrays if array.is_given}
    inputs = {
        name: arguments[argument_of(name, arguments)]
        for name in given
        if name not in program.values
    }
    found = interpret(program, inputs)
    before = {argument_of(name, arguments): value for name, value in inputs.items()}
    one, other = (native.run(before, blank) for blank in (0xFF, 0x00))
    written = {
        argument_of(array.name, arguments): found[array.name]
        for array in program.arrays
        if array.role.value == "output"
    }
    assert written
    for name, expected in one.items():
        defined = bits(expected) == bits(other[name])
        if name in written:
            assert written[name].dtype == expected.dtype
            assert (bits(written[name]) == bits(expected))[defined].all(), name
        elif name in before:
            assert (bits(before[name]) == bits(expected)).all(), name
        else:
            assert not defined.any(), name


@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_are_those_of_gcc(name: str) -> None:
    native = NativeProgram(FOLDER / name)
    options = SourceOptions(top=native.function, param=native.parameters(), bound=native.bounds())
    program = load(FOLDER / name, options=options)
    for seed in (5, 6):
        check_outputs(program, native, seed)
    assert dataflow(program)
