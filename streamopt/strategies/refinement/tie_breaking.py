"""Tie-breaking: of the optima of the published model, one that the hardware runs faster.

That model has no port conflicts, sums of several terms or depths of pipelines, so an optimum may
wait for them and another one not.
"""

from dataclasses import replace

from streamopt.errors import StreamoptError
from streamopt.perf.costs import LaterCosts, PublishedCosts
from streamopt.solvers.result import Proof, Stop
from streamopt.space.assemble import evaluate
from streamopt.space.objective import Latency
from streamopt.strategies.dispatch import STRATEGIES, answer
from streamopt.strategies.exact.latency import SMALL_NODES
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.run import SEARCH, Run
from streamopt.strategies.solution import Solution
from streamopt.target.device import Target

SLOWER = 0.02
"""Share by which the hardware is slower than the model says before others are looked for."""


def fastest_of_equals(solution: Solution, run: Run, on: Target) -> Solution:
    """Return an optimum of the same latency, within the same limits, as fast as was found.

    The exact search looks for the least latency where every node has the later times of the
    published model and of the hardware's closed form. What it finds replaces the schedule if it is
    an optimum of the published model too, and faster by the closed form.
    """
    problem = solution.problem
    if not _is_searched(solution):
        return solution
    as_built = as_built_costs(problem.graph, on)
    latency = solution.latency_cycles
    before = evaluate(problem.graph, solution.schedule, as_built).latency_cycles
    if before <= (1 + SLOWER) * latency or run.clock.left() <= 0:
        return solution
    asked = problem.within(costs=LaterCosts(problem.space.costs, as_built))
    try:
        found = answer(run.part(asked, silent=True), STRATEGIES[SEARCH])
    except StreamoptError:
        return solution
    if found.stop is Stop.INTERRUPTED:
        return replace(solution, stop=Stop.INTERRUPTED)
    prediction = problem.evaluate(found.schedule)
    after = evaluate(problem.graph, found.schedule, as_built).latency_cycles
    if prediction.latency_cycles != latency or after >= before:
        return solution
    return replace(
        solution,
        schedule=found.schedule,
        prediction=prediction,
        solve_seconds=run.clock.seconds(),
    )


def _is_searched(solution: Solution) -> bool:
    """Return whether the exact search proved it, of the published model alone."""
    problem = solution.problem
    return (
        solution.solver == SEARCH
        and solution.proof is Proof.OPTIMAL
        and isinstance(problem.objective, Latency)
        and isinstance(problem.space.costs, PublishedCosts)
        and not problem.ports
        and problem.limits is None
        and not problem.level.untiled_first
        and len(problem.graph.nodes) <= SMALL_NODES
    )
