"""From graphs to schedules with a proof.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.options import checked
from streamopt.pipeline.design_limits import Budget
from streamopt.pipeline.solved import Solved, solved
from streamopt.space.level import LevelName
from streamopt.space.objective import (
    FewestDsps,
    Interval,
    Latency,
    LatencyThenDsps,
    ObjectiveName,
    named_objective,
)
from streamopt.strategies.effort import Effort
from streamopt.strategies.opt6.choices import Space

if TYPE_CHECKING:
    from streamopt.pipeline.sources.readers import Readable
    from streamopt.solvers.registry import SolverStatus
    from streamopt.strategies.exact.front import Front

logger = logging.getLogger(__name__)

WHOLE = Space()
UNLIMITED = Budget()
USUAL = Effort()


@checked(level=LevelName, objective=ObjectiveName)
def solve(
    graph: Readable,
    *,
    level: str = LevelName.OPT5,
    dsp: int | None = None,
    objective: str | Latency | Interval | LatencyThenDsps | FewestDsps = ObjectiveName.LATENCY,
    time_limit: float | None = None,
    space: Space = WHOLE,
    budget: Budget = UNLIMITED,
    effort: Effort = USUAL,
) -> Solved:
    """Return a best schedule, with what is proved of it.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    level
        ``opt1`` to ``opt5``, the levels of *Stream-HLS* (Basalama and Cong, FPGA 2025, table 6), or
        ``opt6``: ``models/formulations/opt6.md``.
    dsp
        DSPs as *Stream-HLS* counts them (opt6: all as built); where not given, those of the part to
        fit, or 2560 where there is none.
    objective
        ``latency``; ``interval`` of frames; ``latency-dsps``, the fewest DSPs of the least latency;
        or `FewestDsps`, the fewest within a latency.
    time_limit
        Seconds after which the search returns its best schedule with its bound; None for no limit
        (opt6: 60 s).
    space
        What may be decided beyond the level, and what is fixed.
    budget
        Limits on the design as built.
    effort
        The solver, its options, and who is told of progress.

    Raises
    ------
    OptionError
        For an unknown option, or a value that it can't have (E541 to E543).
    InfeasibleError, SolverError
        As `streamopt.strategies.dispatch.answer` and `streamopt.pipeline.answering.answered`.
    """
    from streamopt.pipeline.answering import answered, problem_of

    wanted = named_objective(objective) if isinstance(objective, str) else objective
    given, problem = problem_of(graph, LevelName(level), dsp, space, budget)
    problem = replace(problem, objective=wanted)
    found = answered(
        problem, space, budget, effort, effort.options(time_limit), keeps_dsps=dsp is not None
    )
    what = (found.latency_cycles, found.bound, found.proof, found.solver)
    logger.info("found %d cycles, bound %d, %s by %s", *what)
    return solved(found, given)


@checked(level=LevelName)
def pareto(
    graph: Readable,
    *,
    level: str = LevelName.OPT5,
    dsp: int | None = None,
    time_limit: float | None = None,
    space: Space = WHOLE,
    effort: Effort = USUAL,
    on_front: Callable[[int, int], None] | None = None,
) -> Front:
    """Return the front of latency against DSPs: all schedules that no other beats in both.

    It is exact where its proof says so. A time limit or Ctrl-C leaves what was found, with what
    is proved of each point and where more may lie.

    A schedule of the exact search has the digest of its tuning, too.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    level
        ``opt1`` to ``opt5``.
    dsp
        DSPs that a design may use, in the paper's accounting; 2560 where not given.
    time_limit
        Seconds for the whole front; None for no limit.
    space
        What may be decided beyond the level, and what is fixed.
    effort
        The solver and its options.
    on_front
        Called with the points found and the boxes that are still open.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits.
    SolverError
        If the level is opt6 (E523), or the solver is unknown, missing, unlicensed or failed.
    """
    from streamopt.pipeline.answering import problem_of
    from streamopt.strategies.dispatch import strategies
    from streamopt.strategies.exact.front import solve_front
    from streamopt.strategies.run import Run

    _, problem = problem_of(graph, LevelName(level), dsp, replace(space, ports=()))
    run = Run(problem, effort.options(time_limit))
    return solve_front(run, strategies(effort.solver, effort.formulation), on_front)


@checked()
def available_solvers() -> tuple[SolverStatus, ...]:
    """Return the solvers with version, licence and capabilities; takes no licence."""
    from streamopt.solvers.registry import available

    return available()
