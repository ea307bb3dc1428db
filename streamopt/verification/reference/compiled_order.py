"""Sequential nests compiled: the same scalars in the same order, a hundred times faster."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from streamopt.errors import Diagnostic, VerificationError
from streamopt.verification.reference.bounded_array import Bounded
from streamopt.verification.reference.integers import doubles_or_whole, stored_whole
from streamopt.verification.reference.scalar_cpp import ScalarCpp
from streamopt.verification.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from streamopt.ir.program import Array, Nest

MANY_ITERATIONS = 2**15
"""From so many on compiling takes less time than it saves."""

_HEADERS = Path(__file__).parents[1] / "include"
_COMPILER = "g++"
_FLAGS = ("-std=c++17", "-O2", "-ffp-contract=off", "-fwrapv", "-w", "-shared", "-fPIC")
_UNSURE, _OUTSIDE = 1, 2


def has_compiler() -> bool:
    """Return whether nests can be compiled on this machine."""
    return shutil.which(_COMPILER) is not None


@dataclass(frozen=True, slots=True)
class CompiledNest:
    """A nest and what its code is about."""

    nest: Nest
    arrays: Mapping[str, Array]
    """Those that it touches."""
    has_bounds: bool
    in_any_order: bool = False

    def run(self, state: Mapping[str, Bounded]) -> dict[str, Bounded] | None:
        """Return the arrays that the nest writes; None where a comparison isn't sure.

        Raises
        ------
        VerificationError
            E702 if the code doesn't compile, E712 for a subscript outside its array.
        """
        bounds, any_order = self.has_bounds, self.in_any_order
        code = ScalarCpp.of(self.nest, self.arrays, has_bounds=bounds, in_any_order=any_order)
        sources = dict(self.nest.carries)
        values = {
            name: self._given(state[sources.get(name, name)], array)
            for name, array in self.arrays.items()
        }
        outside = np.zeros(2, np.int64)
        pointers = [ctypes.c_void_p(own.ctypes.data) for own in (*values.values(), outside)]
        result = library(code.text()).run(*pointers)
        if result == _OUTSIDE:
            message = f"nest '{self.nest.name}' reaches subscript {outside[0]}"
            message += f", outside 0 .. {outside[1] - 1}"
            raise VerificationError(Diagnostic("E712", message, self.nest.loc))
        if result == _UNSURE:
            return None
        written = dict.fromkeys(statement.target.array for statement in self.nest.statements)
        return {name: self._found(values[name], self.arrays[name]) for name in written}

    def _given(self, values: Bounded, array: Array) -> NDArray[Any]:
        dtype = np.dtype(array.element.dtype)
        if not array.element.is_float:
            return stored_whole(values.value, array.element)
        if not self.has_bounds:
            return values.value.astype(dtype)
        pairs = np.zeros(values.value.shape, np.dtype([("v", dtype), ("e", "f8")], align=True))
        pairs["v"] = values.value
        # what the type can't represent was rounded by both evaluations
        pairs["e"] = values.bound
        return pairs

    def _found(self, values: NDArray[Any], array: Array) -> Bounded:
        if values.dtype.names is None:
            bound = np.zeros(values.shape)
            value = doubles_or_whole(values) if array.element.is_integer else values.astype(float)
        else:
            value, bound = values["v"].astype(np.float64), values["e"].copy()
        missing = np.isnan(value.astype(np.float64))
        return Bounded(value, np.where(missing, np.inf, bound), 0.0)


@cache
def library(text: str) -> ctypes.CDLL:
    """Return the compiled code, which lives as long as the process; its files don't."""
    with scratch("inorder") as folder:
        source, library = folder / "nest.cpp", folder / "nest.so"
        source.write_text(text, encoding="utf-8")
        command = [_COMPILER, *_FLAGS, f"-I{_HEADERS}", "-o", str(library), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            message = f"the reference of a sequential nest does not compile: {done.stderr[:500]}"
            raise VerificationError(Diagnostic("E702", message))
        return ctypes.CDLL(str(library))
