"""Cycles that no design of a graph is below: all operations on all DSPs, and the longest chain.

Unlike the bounds of a search, it knows no space of designs: operations are counted where they run,
exactly, and chains wait for nothing but operators. Adders built of LUTs take no DSP, so that a
design with such may need fewer cycles than the work on DSPs says: where it may have any, the work
is that of all DSPs and LUTs.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from streamopt.analysis.counting import executions
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Statement
from streamopt.ir.stepping.steps import StepLoop, Steps, iterator_ends, walk_phases
from streamopt.perf.as_built.longest_chain import USUAL, ChainLimits, longest_chain_cycles
from streamopt.perf.as_built.statement_bodies import OperationPrice, statement_body
from streamopt.target.device import Target


@dataclass(frozen=True, slots=True)
class ProgramBound:
    """Two bounds, of which the larger counts."""

    work_cycles: int
    """If all DSPs were always busy, with adders and multipliers as the tool builds them; or all
    DSPs and LUTs, with operators from either."""
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
    luts: int | None = None,
) -> ProgramBound:
    """Return the bounds of a graph on so many DSPs.

    Parameters
    ----------
    steps_of
        An order of each sequential node, which tells where its statements run; None if unknown.
    luts
        Of which operators may be built too; None where all are as the tool builds them.
    """
    prices: Counter[OperationPrice] = Counter()
    for node in graph.nodes:
        steps = steps_of(node) if isinstance(node, SequentialNode) else None
        for statement, loops, times in _statements(node, steps):
            among = ValueContext(graph.element_of, iterator_ends(loops))
            for price in statement_body(statement, among, on).prices:
                prices[price] += times
    work = sum(times * price.dsps for price, times in prices.items())
    cycles = -(-work // max(1, dsps)) if luts is None else _mixed_work_cycles(prices, dsps, luts)
    return ProgramBound(cycles, longest_chain_cycles(graph, steps_of, on, limits))


def _mixed_work_cycles(prices: Mapping[OperationPrice, int], dsps: int, luts: int) -> int:
    """Return the least cycles of operations on DSPs and LUTs.

    In ``T`` cycles no more than ``T`` times all DSPs and ``T`` times all LUTs are kept busy, so for
    every weight from 0 to 1 their weighted shares are at most ``T``, whatever each operation is
    built from: the largest sum of least shares is a bound, and it is where two builds tie.
    """
    kinds = [
        ([(d / max(1, dsps), n / max(1, luts)) for d, n in price.builds], times)
        for price, times in prices.items()
        if price.dsps and price.builds
    ]
    ties = {0.0, 1.0}
    for builds, _ in kinds:
        for one_dsps, one_luts in builds:
            for other_dsps, other_luts in builds:
                more, fewer = one_dsps - other_dsps, other_luts - one_luts
                if more > 0 and fewer > 0:
                    ties.add(fewer / (more + fewer))

    def shares(weight: float) -> float:
        each = ((min(weight * d + (1 - weight) * n for d, n in own), times) for own, times in kinds)
        return sum(share * times for share, times in each)

    least = max(map(shares, ties))
    return ceil(least - 1e-6)


def _statements(
    node: Node, steps: Steps | None
) -> Iterator[tuple[Statement, Sequence[StepLoop], int]]:
    """Yield the statements of a node, the loops around each, and how often it runs."""
    if steps is not None:
        for phase, around in walk_phases(steps.items):
            loops = (*around, *phase.loops)
            named = [(loop.name, loop) for loop in loops]
            for statement in phase.statements:
                guards = () if statement.guard is None else (statement.guard,)
                yield statement, loops, executions(named, guards)
    elif not isinstance(node, SequentialNode):
        statement = Statement(node.write, node.value, node.reduction, guard=node.guard)
        loops = tuple(map(StepLoop.whole, node.loops))
        named = [(loop.name, loop) for loop in loops]
        yield statement, loops, executions(named, () if node.guard is None else (node.guard,))
