"""POM as a strategy: its two-stage search for a graph.

The page ``models/formulations/pom.md`` numbers the steps and says where paper and code differ.

[1] Zhang et al., An Optimizing Framework on MLIR for Efficient FPGA-based Accelerator Generation,
HPCA 2024.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, StrategyError
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.schedule import NodePlan, Schedule
from streamopt.space.fixed import NOTHING_FIXED, Fixed
from streamopt.strategies.pom.bottleneck import searched
from streamopt.strategies.pom.dependence_graph import DependenceGraph
from streamopt.strategies.pom.nest import transformed_graph
from streamopt.strategies.rival import DesignStep, RivalAnswer, RivalRequest, ping_pongs

if TYPE_CHECKING:
    from streamopt.strategies.pom.bottleneck import Searched
    from streamopt.strategies.pom.nest import Transformed

_MOST_TOLD = 8
"""Data paths that are told; large graphs have very many."""


def design(request: RivalRequest, fixed: Fixed = NOTHING_FIXED) -> RivalAnswer:
    """Return the schedule that POM would choose for a graph.

    All channels are ping-pong buffers: POM's nests run one after another on whole arrays.

    Parameters
    ----------
    fixed
        Loop orders and unroll factors that a user asks for, as of `streamopt.schedule`.

    Raises
    ------
    StrategyError
        E560 if a single lane of some nest takes more DSPs than the limit.
    """
    graph = request.graph
    _check_fixed(graph, fixed)
    first = transformed_graph(graph, request.target, fixed)
    found = searched(first.nests, first.dependences, request.dsp_limit, request.target)
    if found is None:
        message = f"a nest of {graph.name} takes more than {request.dsp_limit} DSPs in one lane"
        raise StrategyError(Diagnostic("E560", message, hint="give more with --dsp"))
    steps = (*_path_steps(first.dependences), *first.steps, *found.steps)
    return RivalAnswer(_schedule(graph, first, found), steps, found.cycles, found.dsps)


def _check_fixed(graph: Graph, fixed: Fixed) -> None:
    """Raise StrategyError for factors that a nest can't have (E561)."""
    for (name, loop), factor in fixed.factors.items():
        node = graph.node(name)
        trips = node.trip_counts[loop]
        if factor > 1 and (trips % factor or isinstance(node, SequentialNode)):
            message = f"loop {loop} of {name} can't be unrolled by {factor}"
            reason = f"it has {trips} iterations" if trips % factor else "it is sequential"
            hint = f"{reason}; ask for a divisor of its trip count, or leave the factor out"
            raise StrategyError(Diagnostic("E561", message, node.loc, hint))


def _schedule(graph: Graph, first: Transformed, found: Searched) -> Schedule:
    plans: dict[str, NodePlan] = {}
    for name, nest in first.nests.items():
        point = found.points[name]
        if point.plan is not None:
            plans[point.plan.node] = point.plan
            continue
        for own in nest.statements:
            factors = dict(zip(own.loops, point.tiles, strict=True))
            unroll = tuple((loop, factors[loop]) for loop in graph.node(own.node).trip_counts)
            plans[own.node] = NodePlan(own.node, own.loops, unroll)
    nodes = tuple(plans[node.name] for node in graph.nodes)
    return Schedule(graph.name, nodes, ping_pongs(graph))


def _path_steps(dependences: DependenceGraph) -> Iterator[DesignStep]:
    for path in islice(dependences.paths(), _MOST_TOLD):
        yield DesignStep("dependence graph", f"data path {', '.join(path)}")
