"""Designs that opt6 begins with: what opt5 answers, as built: (O19).

opt5 counts by the model of the paper, so its design may take more than the region has, or much
less. It is asked again, with another number of DSPs, until its design is within.
"""

from collections.abc import Callable
from contextlib import suppress
from math import ceil

from streamopt.errors import StreamoptError
from streamopt.perf.costs import PublishedCosts
from streamopt.solvers.result import Stop
from streamopt.space.decisions import SpaceOptions
from streamopt.space.level import LEVELS, PUBLISHED_TILING_LIMIT, LevelName
from streamopt.strategies.dispatch import AUTO, STRATEGIES, answer
from streamopt.strategies.opt6.graph_variant import GraphVariant
from streamopt.strategies.opt6.simulated_design import SimulatedDesign
from streamopt.strategies.problem import Problem, problem_with_ports
from streamopt.strategies.refinement.tie_breaking import fastest_of_equals
from streamopt.strategies.resources.largest_budget import Trial, largest_within
from streamopt.strategies.run import Run
from streamopt.strategies.solution import Solution

MOST_TRIALS = 5
"""Numbers of DSPs that opt5 is asked with."""
FIRST_SHARE = 0.4
"""Of the effort, for the first answer of opt5; mostly it is proved long before."""
SHARE = 0.1
"""Likewise, for each answer with another number of DSPs."""


def quicker_designs(plain: GraphVariant, run: Run, keep: Callable[[SimulatedDesign], None]) -> None:
    """Hand on designs of opt5.

    Parameters
    ----------
    plain
        The graph as it is, as a variant.
    run
        Of opt6; the limit on DSPs of its problem is of all operators.
    keep
        Called with each design at once.

    Raises
    ------
    KeyboardInterrupt
        If the user pressed Ctrl-C, after what was found till then was kept.
    SearchStoppedError
        If the time is up.
    """
    limit_dsps = run.problem.space.dsp_limit

    def ask(budget: int) -> Trial[SimulatedDesign]:
        run.clock.check()
        found = _opt5(run, budget, plain)
        tried = plain.answered(found)
        keep(tried)
        if found.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        used = max(tried.used.dsps, tried.chosen.dsps)
        if not tried.is_within:
            used = ceil(tried.excess * limit_dsps)
        return Trial(tried, budget, used, found.dsps)

    # what opt5 can't take, or has too few DSPs for, is left to the search
    with suppress(StreamoptError):
        largest_within(ask, limit_dsps, MOST_TRIALS, may_grow=True)


def _opt5(run: Run, budget: int, plain: GraphVariant) -> Solution:
    """Return the answer of opt5 under a limit on DSPs of its own count."""
    problem, on, limit = run.problem, plain.region.on, run.clock.limit
    tiles = problem.space.tiling_limit
    space = SpaceOptions(
        LEVELS[LevelName.OPT5],
        budget,
        tiles if tiles > 1 else PUBLISHED_TILING_LIMIT,
        fixed=problem.space.fixed,
        costs=PublishedCosts(plain.builder),
    )
    asked = problem_with_ports(Problem(problem.graph, space), plain.ports, on)
    share = FIRST_SHARE if budget == problem.space.dsp_limit else SHARE
    part = run.part(asked, silent=True, most=share * limit)
    return fastest_of_equals(answer(part, STRATEGIES[AUTO]), part, on)
