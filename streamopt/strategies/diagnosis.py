"""Why limits leave no schedule, in the user's words, with the least budgets that do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError, StreamoptError
from streamopt.perf.paper.dsp import dsps_per_lane
from streamopt.solvers.result import Proof
from streamopt.space.objective import Objective

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.strategies.solution import Request, Solution

__all__ = ["latency_target_missed"]

SLOWEST = 3
"""Nodes that are named as those that hold the latency up."""


def latency_target_missed(
    request: Request, solve: Callable[[Request], Solution]
) -> InfeasibleError:
    """Return the error of a latency that no schedule within the DSPs has (E403).

    It says what latency the DSPs do reach, which nodes take longest there, and how many DSPs the
    latency takes, or that none suffice.

    Parameters
    ----------
    solve
        Answers the two questions; a bound stands in for what it can't prove.
    """
    target = request.latency_target_cycles
    best = solve(_for_latency(request))
    reached = f"{best.objective_cycles} cycles"
    if best.proof is not Proof.OPTIMAL:
        reached += f" (not proved; no less than {best.bound_cycles})"
    slowest = sorted(best.prediction.nodes, key=lambda n: n.start_cycles - n.last_write_cycles)
    runs = ", ".join(
        f"{node.node} {node.last_write_cycles - node.start_cycles}" for node in slowest[:SLOWEST]
    )
    message = (
        f"{request.graph.name} can't be done in {target} cycles with {request.dsp_limit} DSPs at "
        f"{request.level}: the best is {reached}; its longest runs are {runs}"
    )
    hint = f"give --latency-target {best.objective_cycles} or more"
    enough = _enough_dsps(request)
    if enough > request.dsp_limit:
        hint += _other_budget(replace(request, dsp_limit=enough), solve)
    else:
        hint += "; more DSPs don't help"
    return InfeasibleError(Diagnostic("E403", message, hint=hint))


def _other_budget(request: Request, solve: Callable[[Request], Solution]) -> str:
    """Return how many DSPs the latency takes, as the end of a sentence."""
    target = request.latency_target_cycles
    assert target is not None
    unlimited = solve(_for_latency(request))
    if unlimited.bound_cycles > target:
        return (
            f"; no number of DSPs gives {target} cycles, the least is "
            f"{unlimited.objective_cycles} with {unlimited.prediction.dsps} DSPs"
        )
    if unlimited.objective_cycles > target:
        return ""
    try:
        fewest = solve(request)
    except StreamoptError:
        return ""
    word = "the fewest" if fewest.proof is Proof.OPTIMAL else "these are enough"
    return f", or --dsp {fewest.prediction.dsps} ({word})"


def _for_latency(request: Request) -> Request:
    return replace(request, objective=Objective.LATENCY, latency_target_cycles=None)


def _enough_dsps(request: Request) -> int:
    """Return DSPs with which every loop could be unrolled fully: more are of no use."""
    graph = request.graph
    return sum(dsps_per_lane(node, graph.element_of) * node.iterations for node in graph.nodes)
