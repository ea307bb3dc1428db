"""Frames that follow each other as closely as the model says, where buffers can make that so.

The model's distance of frames is the longest run of a node on its own. A consumer that takes a
stream runs as long as its producer lets it, which a ping-pong buffer between them ends; and a
buffer holds two frames, which is too few beside a longer path: copies on the shorter one hold
more.
"""

from collections.abc import Iterator
from dataclasses import replace

from streamopt.errors import StreamoptError
from streamopt.ir.schedule import Schedule
from streamopt.perf.costs import LaterCosts, PublishedCosts
from streamopt.solvers.result import Proof
from streamopt.space.assemble import evaluate
from streamopt.strategies.dispatch import STRATEGIES, answer
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.refinement.frame_buffers import (
    CLOSE,
    buffered,
    frames_cycles,
    unstretched,
)
from streamopt.strategies.run import SEARCH, Run
from streamopt.strategies.solution import Solution
from streamopt.target.device import Target, or_usual
from streamopt.transforms.apply import planned_graph
from streamopt.transforms.rewrites import rewritten

BALANCED = ("balance_paths",)


def with_steady_frames(solution: Solution, run: Run, on: Target | None) -> Solution:
    """Return a solution of the least simulated distance of frames, of those that buffers give.

    The first that is as close as the model says is taken. Limits on the design as built, ports
    and fixed decisions leave the schedule as it was found.
    """
    problem = solution.problem
    if problem.limits is not None or problem.ports or problem.space.fixed:
        return solution
    best, least = solution, None
    for found in _candidates(solution, run, on):
        cycles = frames_cycles(problem.graph, found.schedule, or_usual(on))
        if least is None or cycles < least:
            best, least = found, cycles
        if cycles <= (1 + CLOSE) * solution.interval_cycles:
            break
    return best


def _candidates(solution: Solution, run: Run, on: Target | None) -> Iterator[Solution]:
    """Yield what may have steady frames: as it is, with true runs, with buffers, with copies."""
    yield solution
    true = _again(solution, run, on, ())
    if true is not None:
        yield true
    late = true or solution
    graph, cycles = late.problem.graph, late.interval_cycles
    yield _with(late, unstretched(graph, late.schedule, cycles, or_usual(on)))
    balanced = _again(solution, run, on, BALANCED)
    if balanced is not None:
        yield balanced
        yield _with(balanced, buffered(balanced.schedule, balanced.schedule.fifos))


def _with(solution: Solution, schedule: Schedule) -> Solution:
    """Return a solution with another schedule of its rows."""
    problem = solution.problem
    prediction = evaluate(planned_graph(problem.graph, schedule), schedule, problem.space.costs)
    return replace(solution, schedule=schedule, prediction=prediction)


def _again(
    solution: Solution, run: Run, on: Target | None, rewrites: tuple[str, ...]
) -> Solution | None:
    """Return a solution where each node runs as long as the hardware takes, after rewrites.

    None if they change nothing, or another solver than the exact search is asked for.
    """
    problem = solution.problem
    graph = rewritten(problem.graph, rewrites)
    changes_nothing = rewrites and graph == problem.graph
    is_published = isinstance(problem.space.costs, PublishedCosts)
    is_searched = solution.solver == SEARCH and is_published
    if changes_nothing or not is_searched or run.clock.left() <= 0:
        return None
    costs = LaterCosts(problem.space.costs, as_built_costs(graph, or_usual(on)))
    try:
        asked = replace(problem, graph=graph).within(costs=costs)
        found = answer(run.part(asked, silent=True), STRATEGIES[SEARCH])
    except StreamoptError:
        return None
    schedule = replace(found.schedule, rewrites=rewrites)
    found = replace(
        found,
        problem=problem,
        schedule=schedule,
        prediction=evaluate(graph, schedule, problem.space.costs),
        bound=solution.bound,
        solve_seconds=run.clock.seconds(),
    )
    is_as_good = found.interval_cycles == solution.interval_cycles
    return replace(found, proof=solution.proof if is_as_good else Proof.FEASIBLE)
