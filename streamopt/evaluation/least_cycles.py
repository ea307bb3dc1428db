"""Cycles that no design of a graph is below, whatever it takes: for people, beside its own."""

from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.stepping.steps import Steps
from streamopt.perf.as_built.longest_chain import USUAL, ChainLimits
from streamopt.perf.as_built.program_bound import ProgramBound, program_bound
from streamopt.target.device import Target
from streamopt.transforms.autoschedule import steps_of


def least_cycles(
    graph: Graph,
    dsps: int,
    on: Target,
    limits: ChainLimits = USUAL,
    luts: int | None = None,
) -> ProgramBound:
    """Return the bounds of a graph on so many DSPs, found in a fraction of a second as a rule.

    Parameters
    ----------
    luts
        Of which operators may be built too; None where all are as the tool builds them.
    """

    def known(node: SequentialNode) -> Steps | None:
        return next(iter(steps_of(node)), None)

    return program_bound(graph, known, dsps, on, limits, luts)


def bound_words(bound: ProgramBound, cycles: int, luts: int | None = None) -> str:
    """Return a bound in words, and by how much the cycles of a design are above it."""
    of = "all operations on all DSPs" if luts is None else "all operations on all DSPs and LUTs"
    if bound.chain_cycles > bound.work_cycles:
        of = "the longest chain of operations"
    return f"{bound.cycles:,} cycles for {of} ({cycles / max(1, bound.cycles):.2f}x)"
