"""Sequential nodes in an order of theirs: what their C++ computes, and what the order says.

The oracle walks the loops of the order, one scalar at a time, with the bits of C.
"""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.codegen.backends import vitis
from streamopt.codegen.layout import extents_text, plan_layout
from streamopt.codegen.templates import TYPE_HEADERS
from streamopt.ir.stepping.steps import Phase
from streamopt.verification.csim.running import HEADERS
from streamopt.verification.exact.scalar_code import ScalarCode
from streamopt.verification.exact.scalar_operations import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.program import Array, Statement
    from streamopt.ir.scheduled import ScheduledGraph
    from streamopt.ir.stepping.steps import StepItem, StepLoop, Steps

    Arrays = Mapping[str, NDArray[Any]]

__all__ = ["emitted", "in_steps"]

_FLAGS = ("-std=c++17", "-O1", "-ffp-contract=off", "-fwrapv", "-Wall", "-Wextra", "-Werror")
_LIBRARY = ("-Wno-unknown-pragmas", "-shared", "-fPIC", "-Wl,-Bsymbolic")


def emitted(scheduled: ScheduledGraph, inputs: Arrays) -> dict[str, NDArray[Any]]:
    """Return what the kernel of the vendor's tool makes of inputs, run on this machine."""
    design, layout = vitis.emit(scheduled), plan_layout(scheduled)
    values: dict[str, NDArray[Any]] = {}
    given: list[str] = []
    handed: list[str] = []
    for at, port in enumerate(layout.boundary):
        array = port.array
        start = inputs.get(array.name, np.zeros(array.shape, array.element.dtype))
        values[array.name] = np.ascontiguousarray(start, array.element.dtype).copy()
        given.append(f"{array.element} *a{at}")
        handed.append(f"*reinterpret_cast<{array.element} (*){extents_text(array.shape)}>(a{at})")
    call = f"{layout.top}({', '.join(handed)});"
    driver = f'#include "{layout.top}.cpp"\nextern "C" void run({", ".join(given)}) {{ {call} }}\n'
    with TemporaryDirectory() as name:
        folder = Path(name)
        for path in (f"{layout.top}.h", f"{layout.top}.cpp"):
            (folder / path).write_text(design.text(path))
        (folder / "driver.cpp").write_text(driver)
        command = ["g++", *_FLAGS, *_LIBRARY, f"-I{HEADERS}", f"-I{TYPE_HEADERS}", "-o"]
        command += [str(folder / "code.so"), str(folder / "driver.cpp")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + design.text(f"{layout.top}.cpp")
        library = ctypes.CDLL(str(folder / "code.so"))
        library.run(*(own.ctypes.data_as(ctypes.c_void_p) for own in values.values()))
    return values


def in_steps(
    node: SequentialNode, steps: Steps, arrays: Mapping[str, Array], inputs: Arrays
) -> dict[str, NDArray[Any]]:
    """Return all arrays after the iterations of an order, one after another."""
    flat: dict[str, list[Any]] = {}
    for array in arrays.values():
        start = inputs.get(array.name, np.zeros(array.shape, array.element.dtype))
        typed = np.asarray(start, array.element.dtype).ravel()
        flat[array.name] = [*typed] if array.element.value == "float" else typed.tolist()
    for target, source in node.carries:
        flat[target] = [*flat[source]]
    names = {array: (at, own) for at, (array, own) in enumerate(arrays.items())}
    loops = [loop.name for loop in steps.loops]
    ends = {loop.name: loop.end for loop in steps.loops}
    code = ScalarCode(names, ends, {name: f"i_{name}" for name in loops})
    lines = [line for item in steps.items for line in _lines(item, code)]
    parameters = ", ".join(f"a{at}" for at in range(len(arrays)))
    text = "\n".join([f"def run({parameters}, rounded):", *(f" {line}" for line in lines)])
    known: dict[str, Any] = {**OPERATIONS}
    exec(compile(text, "<steps>", "exec"), known)
    rounded = tuple(OPERATIONS[name](value) for name, value in code.rounded)
    with np.errstate(all="ignore"):
        known["run"](*flat.values(), rounded)
    return {
        name: np.array(flat[name], array.element.dtype).reshape(array.shape)
        for name, array in arrays.items()
    }


def _lines(item: StepItem, code: ScalarCode) -> Iterator[str]:
    indent = ""
    loops = item.loops if isinstance(item, Phase) else (item.loop,)
    for loop in loops:
        yield f"{indent}{_head(loop, code)}"
        indent += " "
    if isinstance(item, Phase):
        inner = [line for statement in item.statements for line in _statement(statement, code)]
    else:
        inner = [line for inside in item.items for line in _lines(inside, code)]
    yield from (f"{indent}{line}" for line in inner)


def _head(loop: StepLoop, code: ScalarCode) -> str:
    low, high = (
        f"{function}([{', '.join(map(code.affine, bounds))}])"
        for function, bounds in (("max", loop.lower), ("min", loop.upper))
    )
    return f"for {code.iterators[loop.name]} in range({low}, {high}):"


def _statement(statement: Statement, code: ScalarCode) -> Iterator[str]:
    condition = "True" if statement.guard is None else code.condition(statement.guard)
    value = code.value(statement.value, code.element(statement.target.array))
    yield f"if {condition}: {code.place(statement.target)} = {value}"
