"""Test vectors: inputs that a program's sums can take without rounding, and the golden outputs.

Worst-case bounds grow by the number of terms at every reduction of a chain, values only by its
square root; after a few layers the bound says nothing. So inputs have as many bits as leave all
outputs exact (see `streamopt.verification.error_bounds`): programs of sums, products and
comparisons are then compared bit by bit. Where no choice is exact, as behind an exponential, the
one with the smallest bound relative to the values is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamopt.errors import Diagnostic, VerificationError
from streamopt.ir.program import Role
from streamopt.verification.inputs import make_inputs
from streamopt.verification.reference import execute

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from streamopt.ir.program import Array, Program
    from streamopt.verification.reference import Result

__all__ = ["INPUT_BITS", "Golden", "make_golden"]

INPUT_BITS = (12, 8, 4, 2, 1, 0)
"""Resolutions that are tried, finest first."""

SHRINKS = (6,)
"""By how many bits inputs are made smaller, one after another, while an output is unbounded."""


@dataclass(frozen=True, slots=True, eq=False)
class Golden:
    """Inputs of a program and what it makes of them.

    Attributes
    ----------
    bits
        Resolution of the inputs, see `streamopt.verification.inputs`.
    """

    inputs: Mapping[str, NDArray[np.float64]]
    outputs: Mapping[str, Result]
    bits: int

    @property
    def looseness(self) -> float:
        """Return the largest bound over the root mean square of its output; 0 if all is exact."""
        return max(map(_looseness, self.outputs.values()), default=0.0)


def make_golden(program: Program, seed: int = 0) -> Golden:
    """Return inputs and golden outputs of a program.

    Raises
    ------
    VerificationError
        E713 where an output has no finite value or bound: never written, out of range, or too
        close to a pole; and what `streamopt.verification.reference.execute` raises.
    """
    best: Golden | None = None
    for bits, shrink in [*((bits, 0) for bits in INPUT_BITS), *((8, s) for s in SHRINKS)]:
        if shrink and best is not None and np.isfinite(best.looseness):
            break
        inputs = make_inputs(program, seed, bits, shrink)
        results = execute(program, inputs)
        outputs = {a.name: results[a.name] for a in program.arrays if a.role is Role.OUTPUT}
        golden = Golden(inputs, outputs, bits)
        if best is None or golden.looseness < best.looseness:
            best = golden
        if best.looseness == 0.0:
            break
    assert best is not None
    problems = [
        problem
        for name, result in best.outputs.items()
        if (problem := _unbounded(program.array(name), result)) is not None
    ]
    if problems:
        raise VerificationError(*problems)
    return best


def _looseness(result: Result) -> float:
    worst = float(result.bound.max())
    if worst == 0.0 or not np.isfinite(worst):
        return worst
    finite = result.value[np.isfinite(result.value)]
    scale = float(np.sqrt(np.mean(np.square(finite)))) if finite.size else 0.0
    return worst / scale if scale > 0.0 else np.inf


def _unbounded(array: Array, result: Result) -> Diagnostic | None:
    wrong = np.isnan(result.value) | ~np.isfinite(result.bound)
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    element = array.name + "".join(f"[{i}]" for i in index)
    if np.isnan(result.value[index]):
        message = f"output {element} is never written, or not a number"
        hint = (
            "write every element of an output, and let no condition hang on how values are rounded"
        )
        return Diagnostic("E713", message, hint=hint)
    message = f"output {element} = {result.value[index]:g} has no finite error bound"
    hint = "keep values inside the element type's range, and divisors and logarithms away from 0"
    return Diagnostic("E713", message, hint=hint)
