"""What a C program executes: multiply-accumulates, additions and multiplications of its source.

Triangles are counted as they are, not as the boxes around them; branches on data are counted as
taken, and equal operations of a statement once. The longest chain is that of the graph.
"""

from __future__ import annotations

from dataclasses import dataclass

from measure import DSPS, POLYBENCH, source

import streamopt as so
from streamopt.analysis.counting import executions
from streamopt.analysis.instances import instances
from streamopt.evaluation.least_cycles import least_cycles
from streamopt.frontends.c import read_c
from streamopt.ir.expression import Binary, BinaryOp, Read, is_negation, walk
from streamopt.perf.as_built.longest_chain import ChainLimits
from streamopt.perf.paper.dsp import FADD_DSPS, FMUL_DSPS

__all__ = ["Work", "chain_cycles", "work_of"]

SUMS = (BinaryOp.ADD, BinaryOp.SUB)
ALL = ChainLimits(points=10**9, visits=10**7)


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
        times = executions([(loop.iterator, loop) for loop in instance.loops], instance.guards)
        assign = instance.assign
        parts = tuple(walk(assign.value))
        distinct = {p for p in parts if isinstance(p, Binary) and not is_negation(p)}
        operators = [part.op for part in distinct]
        sums = sum(operators.count(op) for op in SUMS)
        products = operators.count(BinaryOp.MUL)
        own = any(isinstance(part, Read) and part.access == assign.target for part in parts)
        additions += times * sums
        multiplications += times * products
        macs += times * min(sums, products) if own else 0
    return Work(macs, additions, multiplications)


def chain_cycles(name: str, size: str) -> int:
    """Return the longest chain of operations of a PolyBench kernel, however long that takes."""
    graph = so.dataflow(source(f"{name}.c@{size}"))
    return least_cycles(graph, DSPS, so.device(), ALL).chain_cycles
