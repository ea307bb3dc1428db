"""The largest parallel factor whose design keeps the DSPs: the sweep that its users do by hand.

[1] Ye, Jun, and Chen, HIDA, ASPLOS 2024, section 7.3 and Figure 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, StrategyError
from streamopt.strategies.hida.parallelize import parallel_factors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.graph import Graph
    from streamopt.strategies.hida.parallelize import Parallelizer
    from streamopt.strategies.hida.quality import Choice
    from streamopt.strategies.hida.tasks import Task

__all__ = ["Parallelization", "largest_within"]


@dataclass(frozen=True, slots=True)
class Parallelization:
    """The factors of all nodes at one maximum parallel factor.

    Attributes
    ----------
    most
        The maximum parallel factor: lanes of the most critical node.
    most_lanes
        Parallel factor of every node.
    """

    most: int
    most_lanes: Mapping[str, int]
    choices: Mapping[str, Choice]

    @property
    def dsps(self) -> int:
        """Return the DSPs of all operators, by the strategy's count."""
        return sum(choice.dsps for choice in self.choices.values())


def largest_within(
    graph: Graph, tasks: Sequence[Task], parallelizer: Parallelizer, dsp_limit: int
) -> Parallelization:
    """Return the design of the largest maximum parallel factor that keeps the limit.

    Doubled until one does not, then halved between; more lanes than iterations are no more.

    Raises
    ------
    StrategyError
        E532 if the design of no lanes takes more.
    """

    def at(most: int) -> Parallelization:
        lanes = parallel_factors(graph, tasks, most)
        return Parallelization(most, lanes, parallelizer.parallelize(lanes))

    best = at(1)
    if best.dsps > dsp_limit:
        message = f"{graph.name} takes {best.dsps} DSPs without any lanes, of {dsp_limit}"
        raise StrategyError(Diagnostic("E532", message, hint=f"give at least {best.dsps} DSPs"))
    end = max(node.iterations for node in graph.nodes)
    over = 2 * end
    while best.most < end and over > end:
        wider = at(min(end, 2 * best.most))
        if wider.dsps > dsp_limit:
            over = wider.most
        else:
            best = wider
    while best.most < end and over - best.most > 1:
        middle = at((best.most + over) // 2)
        if middle.dsps > dsp_limit:
            over = middle.most
        else:
            best = middle
    return best
