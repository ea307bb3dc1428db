"""What a C program executes: multiply-accumulates, additions and multiplications of its source.

Triangles are counted as they are, not as the boxes around them; branches are counted as taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from measure import DSPS, POLYBENCH

from streamopt.analysis.instances import instances
from streamopt.frontends.c import read_c
from streamopt.ir.affine import Affine, FloorDiv, Iter
from streamopt.ir.expression import Binary, BinaryOp, Read, walk
from streamopt.perf.paper.dsp import FADD_DSPS, FMUL_DSPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from streamopt.analysis.instances import StatementInstance

    Ints = NDArray[np.int64]

__all__ = ["Work", "work_of"]

SUMS = (BinaryOp.ADD, BinaryOp.SUB)


@dataclass(frozen=True, slots=True)
class Work:
    """Floating-point operations of a program.

    Attributes
    ----------
    macs
        Pairs of an addition and a multiplication in statements that add to their own target.
    """

    macs: int = 0
    additions: int = 0
    multiplications: int = 0

    @property
    def basis(self) -> str:
        """Return what the bound counts: multiply-accumulates, where they are most of the work."""
        return "macs" if 2 * self.macs >= self.additions else "operations"

    @property
    def bound_cycles(self) -> int:
        """Return the least cycles for that work, at 3 DSPs a multiplication and 2 an addition."""
        dsps = self.macs * (FMUL_DSPS + FADD_DSPS)
        if self.basis == "operations":
            dsps = self.multiplications * FMUL_DSPS + self.additions * FADD_DSPS
        return -(-dsps // DSPS)


def work_of(name: str, size: str) -> Work:
    """Return what a PolyBench kernel executes at one of its sizes."""
    path = POLYBENCH / name / f"{name}.c"
    defines = {f"{size}_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}
    macs = additions = multiplications = 0
    for instance in instances(read_c(path, defines=defines, include=[POLYBENCH]).body):
        times = _executions(instance)
        assign = instance.assign
        parts = tuple(walk(assign.value))
        operators = [part.op for part in parts if isinstance(part, Binary)]
        sums = sum(operators.count(op) for op in SUMS)
        products = operators.count(BinaryOp.MUL)
        own = any(isinstance(part, Read) and part.access == assign.target for part in parts)
        additions += times * sums
        multiplications += times * products
        macs += times * min(sums, products) if own else 0
    return Work(macs, additions, multiplications)


def _executions(instance: StatementInstance) -> int:
    """Return how often a statement runs: the points of its loops, level by level."""
    points: dict[str, Ints] = {}
    count = np.ones(1, np.int64)
    for loop in instance.loops:
        lower = np.maximum.reduce([_values(bound, points, len(count)) for bound in loop.lower])
        upper = np.minimum.reduce([_values(bound, points, len(count)) for bound in loop.upper])
        trips = np.maximum(upper - lower, 0)
        if loop is instance.loops[-1]:
            return int(trips.sum())
        place = np.repeat(np.arange(len(trips)), trips)
        first = np.cumsum(trips) - trips
        points = {name: values[place] for name, values in points.items()}
        points[loop.iterator] = np.arange(len(place)) - first[place] + lower[place]
        count = place
    return len(count)


def _values(bound: Affine, points: Mapping[str, Ints], size: int) -> Ints:
    total = np.full(size, bound.constant, np.int64)
    for atom, factor in bound.terms:
        match atom:
            case Iter(name):
                total = total + factor * points[name]
            case FloorDiv(value, divisor):
                total = total + factor * (_values(value, points, size) // divisor)
            case _:
                total = total + factor * (_values(atom.value, points, size) % atom.divisor)
    return total
