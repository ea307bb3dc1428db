"""The comparison with what the source itself computed, where a program brings a sample of it.

PyTorch rounds in other places than the program that was made of a module: it doesn't fold batch
normalizations into weights, and chooses other algorithms. So the tolerance is the derived bound of
the program's own arithmetic (`streamopt.verification.error_bounds`), where it is finite, plus
`SOURCE_TOLERANCE` of the largest element of the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.program import Role
from streamopt.verification.golden import Golden
from streamopt.verification.reference import Result, execute

if TYPE_CHECKING:
    from streamopt.ir.program import Program

__all__ = ["SOURCE_TOLERANCE", "sample_golden"]

SOURCE_TOLERANCE = 1e-5
"""Stated accuracy of the source's own arithmetic, relative to the largest element of a result."""


def sample_golden(program: Program) -> Golden | None:
    """Return the sample of a program as test data; None if it brings no complete one."""
    given = [a.name for a in program.arrays if a.is_given]
    wanted = [a.name for a in program.arrays if a.role is Role.OUTPUT]
    known = {**program.values, **program.sample}
    if not program.sample or any(name not in known for name in (*given, *wanted)):
        return None
    inputs = {name: np.asarray(known[name], dtype=np.float64) for name in given}
    results = execute(program, inputs)
    outputs: dict[str, Result] = {}
    for name in wanted:
        value = np.asarray(program.sample[name], dtype=np.float64)
        derived = np.where(np.isfinite(results[name].bound), results[name].bound, 0.0)
        stated = SOURCE_TOLERANCE * float(np.abs(value).max(initial=0.0))
        outputs[name] = Result(value, derived + stated)
    return Golden(inputs, outputs, 0)
