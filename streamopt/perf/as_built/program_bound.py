"""Cycles that no design of a graph is below: all operations on all DSPs, and the longest chain.

Unlike the bounds of a search, it knows no space of designs: operations are counted where they run,
exactly, and chains wait for nothing but operators. Adders built of LUTs take no DSP, so that a
design with such may need fewer cycles than the work says.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from streamopt.analysis.counting import executions
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Statement
from streamopt.ir.stepping.steps import StepLoop, Steps, walk_phases
from streamopt.perf.as_built.longest_chain import USUAL, ChainLimits, longest_chain_cycles
from streamopt.perf.as_built.statement_bodies import statement_body
from streamopt.target.device import Target


@dataclass(frozen=True, slots=True)
class ProgramBound:
    """Two bounds, of which the larger counts."""

    work_cycles: int
    """If all DSPs were always busy, with adders and multipliers as the tool builds them."""
    chain_cycles: int
    """Of the longest chain of operations, each at its quickest, memory in no time."""

    @property
    def cycles(self) -> int:
        """Return the larger one."""
        return max(self.work_cycles, self.chain_cycles)


def program_bound(
    graph: Graph,
    steps_of: Callable[[SequentialNode], Steps | None],
    dsps: int,
    on: Target,
    limits: ChainLimits = USUAL,
) -> ProgramBound:
    """Return the bounds of a graph on so many DSPs.

    Parameters
    ----------
    steps_of
        An order of each sequential node, which tells where its statements run; None if unknown.
    """
    work = sum(
        times * statement_body(statement, graph.element_of, on).dsps
        for node in graph.nodes
        for statement, times in _statements(
            node, steps_of(node) if isinstance(node, SequentialNode) else None
        )
    )
    return ProgramBound(-(-work // max(1, dsps)), longest_chain_cycles(graph, steps_of, on, limits))


def _statements(node: Node, steps: Steps | None) -> Iterator[tuple[Statement, int]]:
    """Yield the statements of a node, and how often each runs."""
    if steps is not None:
        for phase, around in walk_phases(steps.items):
            loops = [(loop.name, loop) for loop in (*around, *phase.loops)]
            for statement in phase.statements:
                guards = () if statement.guard is None else (statement.guard,)
                yield statement, executions(loops, guards)
    elif not isinstance(node, SequentialNode):
        statement = Statement(node.write, node.value, node.reduction, guard=node.guard)
        whole = [(loop.name, StepLoop.whole(loop)) for loop in node.loops]
        yield statement, executions(whole, () if node.guard is None else (node.guard,))
