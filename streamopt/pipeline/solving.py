"""From graphs to schedules with a proof.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.evaluation.fifo_sizing import LEAST_FIFOS
from streamopt.options import checked, option_group
from streamopt.pipeline.design_limits import Budget
from streamopt.pipeline.reading import dataflow
from streamopt.space.decisions import SpaceOptions
from streamopt.space.fixed import NOTHING_FIXED
from streamopt.space.level import LEVELS, PUBLISHED_TILING_LIMIT, LevelName
from streamopt.space.objective import ObjectiveName, named_objective
from streamopt.strategies.opt6.choices import Space

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from streamopt.evaluation.fifo_sizing import FifoSizing
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program
    from streamopt.solvers.base import Progress, SolveOptions
    from streamopt.solvers.registry import SolverStatus
    from streamopt.space.objective import FewestDsps, Interval, Latency, LatencyThenDsps
    from streamopt.strategies.exact.front import Front
    from streamopt.strategies.solution import Solution

__all__ = ["Effort", "pareto", "solve", "solvers"]

logger = logging.getLogger(__name__)

DSPS = 2560
"""In the paper's accounting, where nothing is said."""


@option_group()
@dataclass(frozen=True, slots=True)
class Effort:
    """Who looks for a schedule, how, and who is told.

    Attributes
    ----------
    solver
        ``auto``, ``search``, ``exhaustive``, a solver of `available_solvers`, ``race`` or
        ``race:NAME,NAME``.
    formulation
        ``compact``, an exact linear program, or ``paper``, the published MINLP.
    profile
        Options of the solver: a name in ``solvers/<solver>/``, or the path of a TOML file.
    seed
        Of the solver.
    threads
        Of the solver. With one, the same input, seed and versions give the same schedule.
    fifos
        How FIFO depths are found by simulation; None for all tokens of a lane.
    on_progress
        Called with elapsed seconds, incumbent and bound from time to time.
    on_incumbent
        Called with every better schedule at once, before FIFO depths are found.
    """

    solver: str = "auto"
    formulation: str = "compact"
    profile: str | None = None
    seed: int = 0
    threads: int = 1
    fifos: FifoSizing | None = LEAST_FIFOS
    on_progress: Callable[[Progress], None] | None = None
    on_incumbent: Callable[[Solution], None] | None = None

    def options(self, time_limit: float | None) -> SolveOptions:
        """Return the options of the solver, with a time limit in seconds."""
        from streamopt.solvers.base import SolveOptions
        from streamopt.solvers.profiles import load_profile

        options = SolveOptions(time_limit, self.seed, self.threads, on_progress=self.on_progress)
        if self.profile is None:
            return options
        return replace(options, profile=load_profile(self.solver, self.profile))


WHOLE = Space()
UNLIMITED = Budget()
USUAL = Effort()


@checked(level=LevelName, objective=ObjectiveName)
def solve(
    graph: Graph | Program | str | PathLike[str],
    *,
    level: str = LevelName.OPT5,
    dsp: int | None = None,
    objective: str | Latency | Interval | LatencyThenDsps | FewestDsps = ObjectiveName.LATENCY,
    time_limit: float | None = None,
    space: Space = WHOLE,
    budget: Budget = UNLIMITED,
    effort: Effort = USUAL,
) -> Solution:
    """Return a best schedule, with what is proved of it.

    Parameters
    ----------
    graph
        A graph, a program, or the path of what `streamopt.load` reads.
    level
        ``opt1`` to ``opt5``, the levels of *Stream-HLS* (Basalama and Cong, FPGA 2025, table 6), or
        ``opt6``: ``models/formulations/opt6.md``.
    dsp
        DSPs as *Stream-HLS* counts them (opt6: all as built); 2560 where neither this nor
        ``budget.fit`` is given.
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
    from streamopt.pipeline.answering import answered
    from streamopt.strategies.problem import Problem, problem_with_ports

    wanted = named_objective(objective) if isinstance(objective, str) else objective
    options = _space_options(LevelName(level), dsp, space)
    problem = Problem(dataflow(graph), options, wanted)
    problem = problem_with_ports(problem, space.ports, budget.device)
    found = answered(
        problem, space, budget, effort, effort.options(time_limit), keeps_dsps=dsp is not None
    )
    what = (found.latency_cycles, found.bound, found.proof, found.solver)
    logger.info("found %d cycles, bound %d, %s by %s", *what)
    return found


@checked(level=LevelName)
def pareto(
    graph: Graph | Program | str | PathLike[str],
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
        A graph, a program, or the path of what `streamopt.load` reads.
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
    from streamopt.strategies.dispatch import strategies
    from streamopt.strategies.exact.front import solve_front
    from streamopt.strategies.problem import Problem
    from streamopt.strategies.run import Run

    problem = Problem(dataflow(graph), _space_options(LevelName(level), dsp, space))
    run = Run(problem, effort.options(time_limit))
    return solve_front(run, strategies(effort.solver, effort.formulation), on_front)


def _space_options(level: LevelName, dsp: int | None, space: Space) -> SpaceOptions:
    """Return the decision space that is asked for, with the tiling limit usual at its level."""
    of, tiles = LEVELS[level], space.tiling_limit
    if tiles is None:
        tiles = 1 if of.is_as_built else PUBLISHED_TILING_LIMIT
    fixed = NOTHING_FIXED if space.fixed is None else space.fixed
    return SpaceOptions(of, DSPS if dsp is None else dsp, tiles, fixed=fixed)


@checked()
def solvers() -> tuple[SolverStatus, ...]:
    """Return the solvers with version, licence and capabilities; takes no licence."""
    from streamopt.solvers.registry import available

    return available()
