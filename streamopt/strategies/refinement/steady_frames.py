"""Frames that follow each other as closely as the model says, where buffers can make that so.

The model's distance of frames is the longest run of a node on its own. A consumer that takes a
stream runs as long as its producer lets it, which a ping-pong buffer between them ends; and a
buffer holds two frames, which is too few beside a longer path: copies on the shorter one hold
more.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

from streamopt.errors import StreamoptError
from streamopt.evaluation.frames import simulated_frames, steady_interval_cycles
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import ChannelKind, ChannelPlan, Schedule
from streamopt.perf.costs import LaterCosts, PublishedCosts
from streamopt.solvers.result import Proof
from streamopt.space.assemble import evaluate
from streamopt.strategies.dispatch import STRATEGIES, answer
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.run import SEARCH, Run
from streamopt.strategies.solution import Solution
from streamopt.target.device import Target, or_usual
from streamopt.transforms.apply import planned_graph
from streamopt.transforms.rewrites import rewritten

CLOSE = 0.01
"""Share by which the simulated distance of frames may be above the model's."""
MOST_TRIALS = 8
"""Groups of FIFOs that are made small, each a simulation of some frames."""
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
        cycles = _interval_cycles(problem.graph, found.schedule, on)
        if least is None or cycles < least:
            best, least = found, cycles
        if cycles <= (1 + CLOSE) * solution.interval_cycles:
            break
    return best


def small_and_steady(graph: Graph, full: Schedule, small: Schedule, on: Target | None) -> Schedule:
    """Return a schedule with the small depths that leave frames as close as the full ones do.

    Small depths keep the latency of one frame; a producer that waits for room in them begins its
    next frame later. Groups of FIFOs are tried, halved where they don't do.
    """
    limit = (1 + CLOSE) * _interval_cycles(graph, full, on)
    found = full
    waiting = [[c for c in small.channels if c != full.channel(c.channel)]]
    for _ in range(MOST_TRIALS):
        if not waiting:
            break
        group = waiting.pop(0)
        depths = {channel.channel: channel for channel in group}
        channels = tuple(depths.get(c.channel, c) for c in found.channels)
        tried = replace(found, channels=channels)
        if _interval_cycles(graph, tried, on) <= limit:
            found = tried
        elif len(group) > 1:
            middle = len(group) // 2
            waiting += [group[:middle], group[middle:]]
    return found


def _interval_cycles(graph: Graph, schedule: Schedule, on: Target | None) -> int:
    return steady_interval_cycles(simulated_frames(graph, schedule, or_usual(on)))


def _candidates(solution: Solution, run: Run, on: Target | None) -> Iterator[Solution]:
    """Yield what may have steady frames: as it is, with true runs, with buffers, with copies."""
    yield solution
    true = _again(solution, run, on, ())
    if true is not None:
        yield true
    yield _unstretched(true or solution, on)
    balanced = _again(solution, run, on, BALANCED)
    if balanced is not None:
        yield balanced
        yield _buffered(balanced, balanced.schedule.fifos)


def _unstretched(solution: Solution, on: Target | None) -> Solution:
    """Return a solution with buffers in front of processes that run longer than a frame."""
    graph = solution.problem.graph
    longest = (1 + CLOSE) * solution.interval_cycles
    while True:
        late: set[str] = set()
        for process in simulated_frames(graph, solution.schedule, or_usual(on)).processes:
            if max(map(int.__sub__, process.ends, process.starts)) > longest:
                late |= {pipeline.name for pipeline in process.pipelines}
        edges = planned_graph(graph, solution.schedule).edges
        waiting = {e.channel for e in edges if e.consumer in late} & solution.schedule.fifos
        if not waiting:
            return solution
        solution = _buffered(solution, waiting)


def _buffered(solution: Solution, channels: Collection[str]) -> Solution:
    """Return a solution with ping-pong buffers for some channels."""
    problem = solution.problem
    plans = tuple(
        ChannelPlan(c.channel, ChannelKind.PING_PONG) if c.channel in channels else c
        for c in solution.schedule.channels
    )
    schedule = replace(solution.schedule, channels=plans)
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
