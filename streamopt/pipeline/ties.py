"""Of schedules that the published model holds for equally fast, one that the hardware runs faster.

That model has no port conflicts, sums of several terms or depths of pipelines, so an optimum may
wait for them and another one not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.errors import StreamoptError
from streamopt.perf.costs import PUBLISHED, LaterCosts
from streamopt.pipeline.beyond.costing import as_built_costs
from streamopt.solvers.result import Proof, Stop
from streamopt.space.assemble import evaluate
from streamopt.space.level import LEVELS
from streamopt.space.objective import Objective
from streamopt.strategies.dispatch import AUTO, SEARCH, choose
from streamopt.strategies.exact.latency import SMALL_NODES

if TYPE_CHECKING:
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.solution import Solution
    from streamopt.target.device import Target

__all__ = ["fastest_of_equals"]

SLOWER = 0.02
"""Share by which the hardware is slower than the model says before others are looked for."""


def fastest_of_equals(
    solution: Solution, solver: str, options: SolveOptions, on: Target
) -> Solution:
    """Return an optimum of the same latency, within the same limits, as fast as was found.

    The exact search looks for the least latency where every node has the later times of the
    published model and of the hardware's closed form. What it finds replaces the schedule if it is
    an optimum of the published model too, and faster by the closed form.
    """
    request = solution.request
    if solver not in (AUTO, SEARCH) or not _is_searched(solution):
        return solution
    built = as_built_costs(request.graph, on)
    latency = solution.prediction.latency_cycles
    before = evaluate(request.graph, solution.schedule, built).latency_cycles
    left = _seconds_left(solution, options)
    if before <= (1 + SLOWER) * latency or (left is not None and left <= 0):
        return solution
    asked = replace(request, costs=LaterCosts(PUBLISHED, built))
    alone = replace(options, time_limit_seconds=left, on_progress=None)
    try:
        found = choose(asked, SEARCH, "compact", alone)
    except StreamoptError:
        return solution
    if found.stop is Stop.INTERRUPTED:
        return replace(solution, stop=Stop.INTERRUPTED)
    prediction = request.evaluate(found.schedule)
    after = evaluate(request.graph, found.schedule, built).latency_cycles
    if prediction.latency_cycles != latency or after >= before:
        return solution
    return replace(
        solution,
        schedule=found.schedule,
        prediction=prediction,
        solve_seconds=solution.solve_seconds + found.solve_seconds,
    )


def _is_searched(solution: Solution) -> bool:
    """Return whether the exact search proved it, of the published model alone."""
    request = solution.request
    return (
        solution.proof is Proof.OPTIMAL
        and request.objective is Objective.LATENCY
        and request.costs is PUBLISHED
        and not request.ports
        and request.limits is None
        and not LEVELS[request.level].untiled_first
        and len(request.graph.nodes) <= SMALL_NODES
    )


def _seconds_left(solution: Solution, options: SolveOptions) -> float | None:
    limit = options.time_limit_seconds
    return None if limit is None else limit - solution.solve_seconds
