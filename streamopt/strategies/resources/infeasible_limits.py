"""Why limits leave no schedule or no design, in the user's words, with the least that do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from streamopt.errors import Diagnostic, InfeasibleError, StreamoptError
from streamopt.perf.paper.dsp import dsps_per_lane
from streamopt.search.labels.component import SearchStoppedError, SearchTooLargeError
from streamopt.solvers.result import Proof
from streamopt.space.assemble import assemble_rows
from streamopt.space.objective import FewestDsps, Latency
from streamopt.space.rows import node_rows
from streamopt.strategies.problem import Problem
from streamopt.strategies.resources.limits import Limit, Limits
from streamopt.strategies.resources.relaxation import least_usage
from streamopt.strategies.resources.splitting import chosen_usage, single
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution

SLOWEST = 3
"""Nodes that are named as those that hold the latency up."""
LARGEST_USERS = 3
"""Nodes that are named as those that take most."""


@dataclass(frozen=True, slots=True)
class _Least:
    """The least of one resource that was found, and what takes it."""

    limit: Limit
    amount: int
    is_least: bool
    """Whether nothing takes less."""
    nodes: tuple[tuple[str, int], ...]
    """Pairs (node, amount with the channels to it), the most first."""


def limits_missed(run: Run, limits: Limits) -> InfeasibleError:
    """Return the error of limits that no design keeps (E405).

    It says of which resources each design takes more, how much the least is, which nodes take
    it, and what to give.
    """
    name, level = run.problem.graph.name, run.problem.level.name
    try:
        found = list(_leasts(run, limits))
    except (SearchStoppedError, SearchTooLargeError):
        found = []
    short = [least for least in found if least.amount > least.limit.most]
    if not short:
        all_limits = ", ".join(f"{limit.option} {limit.most}" for limit in limits.each)
        return InfeasibleError(
            Diagnostic(
                "E405",
                f"no design of {name} at {level} keeps all limits together: {all_limits}",
                hint="; ".join(map(_alone, found)) or "raise one of them",
            )
        )
    return InfeasibleError(
        *(
            Diagnostic(
                "E405",
                f"{name} can't be built with {least.limit.most} {least.limit.resource} at "
                f"{level}: {'the least is' if least.is_least else 'one takes'} "
                f"{least.amount} ({', '.join(f'{node} {used}' for node, used in least.nodes)})",
                hint=f"give {least.limit.option} {least.amount} or more",
            )
            for least in short
        )
    )


def _alone(least: _Least) -> str:
    return f"{least.limit.option} {least.amount} alone could be kept"


def _leasts(run: Run, limits: Limits) -> Iterator[_Least]:
    """Yield the least of each resource that has a limit, whatever it takes of the others."""
    space, clock = run.problem.decision_space(), run.clock
    rows = node_rows(space, prune=False)
    rows = limits.costing.with_usage(rows, clock.should_stop)
    for place, limit in enumerate(limits.each):
        found = least_usage(space, rows, place, clock.should_stop)
        schedule = assemble_rows(space.graph, rows, found.chosen)
        exact = limits.costing.with_usage(single(rows, found.chosen), clock.should_stop)
        first = dict.fromkeys(found.chosen, 0)
        parts = chosen_usage(space.graph, exact, first, schedule.fifos)
        ranked = sorted(((int(own[place]), name) for name, own in parts.items()), reverse=True)
        used = limits.costing.usage(schedule)[place]
        nodes = tuple((name, amount) for amount, name in ranked[:LARGEST_USERS] if amount)
        yield _Least(limit, used, found.is_exact and found.amount == used, nodes)


def latency_target_missed(
    problem: Problem, solve: Callable[[Problem], Solution]
) -> InfeasibleError:
    """Return the error of a latency that no schedule within the DSPs has (E403).

    It says what latency the DSPs do reach, which nodes take longest there, and how many DSPs the
    latency takes, or that none suffice.

    Parameters
    ----------
    solve
        Answers the two questions; a bound stands in for what it can't prove.
    """
    target = _within_cycles(problem)
    best = solve(_for_latency(problem))
    reached = f"{best.latency_cycles} cycles"
    if best.proof is not Proof.OPTIMAL:
        reached += f" (not proved; no less than {best.bound})"
    slowest = sorted(best.prediction.nodes, key=lambda n: n.start_cycles - n.last_write_cycles)
    runs = ", ".join(
        f"{node.node} {node.last_write_cycles - node.start_cycles}" for node in slowest[:SLOWEST]
    )
    message = (
        f"{problem.graph.name} can't be done in {target} cycles with "
        f"{problem.space.dsp_limit} DSPs at {problem.level.name}: the best is "
        f"{reached}; its longest runs are {runs}"
    )
    hint = f"give --latency-target {best.latency_cycles} or more"
    enough = _enough_dsps(problem)
    if enough > problem.space.dsp_limit:
        hint += _other_budget(problem.within(dsp_limit=enough), solve)
    else:
        hint += "; more DSPs don't help"
    return InfeasibleError(Diagnostic("E403", message, hint=hint))


def _other_budget(problem: Problem, solve: Callable[[Problem], Solution]) -> str:
    """Return how many DSPs the latency takes, as the end of a sentence."""
    target = _within_cycles(problem)
    unlimited = solve(_for_latency(problem))
    if unlimited.bound > target:
        return (
            f"; no number of DSPs gives {target} cycles, the least is "
            f"{unlimited.latency_cycles} with {unlimited.dsps} DSPs"
        )
    if unlimited.latency_cycles > target:
        return ""
    try:
        fewest = solve(problem)
    except StreamoptError:
        return ""
    word = "the fewest" if fewest.proof is Proof.OPTIMAL else "these are enough"
    return f", or --dsp {fewest.dsps} ({word})"


def _for_latency(problem: Problem) -> Problem:
    return replace(problem, objective=Latency())


def _within_cycles(problem: Problem) -> int:
    assert isinstance(problem.objective, FewestDsps)
    return problem.objective.within_cycles


def _enough_dsps(problem: Problem) -> int:
    """Return DSPs with which every loop could be unrolled fully: more are of no use."""
    graph = problem.graph
    return sum(dsps_per_lane(node, graph.element_of) * node.iterations for node in graph.nodes)
