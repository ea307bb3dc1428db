"""Designs that opt6 begins with: what opt5 answers, as built: (O19).

opt5 counts by the model of the paper, so its design may take more than the region has, or much
less. It is asked again, with another number of DSPs, until its design is within.
"""

from collections.abc import Callable
from contextlib import suppress
from math import ceil
from typing import TypeVar

from streamopt.errors import StreamoptError
from streamopt.ir.ports import PortPlan
from streamopt.perf.costs import PublishedCosts
from streamopt.perf.paper.dsp import own_lane_dsps
from streamopt.solvers.result import Stop
from streamopt.space.decisions import SpaceOptions
from streamopt.space.level import LEVELS, PUBLISHED_TILING_LIMIT, LevelName
from streamopt.strategies.dispatch import AUTO, STRATEGIES, answer
from streamopt.strategies.opt6.graph_variant import GraphVariant
from streamopt.strategies.opt6.simulated_design import SimulatedDesign
from streamopt.strategies.problem import Problem, problem_with_ports
from streamopt.strategies.refinement.steady_frames import with_steady_frames
from streamopt.strategies.refinement.tie_breaking import fastest_of_equals
from streamopt.strategies.resources.largest_budget import Trial, largest_within
from streamopt.strategies.run import Run
from streamopt.strategies.sequential.plan_builder import PlanBuilder
from streamopt.strategies.solution import Solution
from streamopt.target.device import Target

T = TypeVar("T")

MEMORIES = frozenset({"bram18", "uram"})
NO_BETTER = 0.98
"""Excess of memories over the first one, above which fewer DSPs don't help."""
MOST_TRIALS = 5
"""Numbers of DSPs that opt5 is asked with."""
FIRST_SHARE = 0.4
"""Of the effort, for the first answer of opt5; mostly it is proved long before."""
SHARE = 0.1
"""Likewise, for each answer with another number of DSPs."""


LATE_SHARE = 0.15
"""Likewise, after which a design that is over its limits is followed by no other one: it is slow,
and those with fewer DSPs are simulated for longer."""


class NoBetterError(Exception):
    """No other design of opt5 is worth it: the last one is slow, or short of memories."""


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
    excesses: list[float] = []

    def ask(budget: int) -> Trial[SimulatedDesign]:
        run.clock.check()
        found = _opt5(run, budget, plain)
        tried = plain.answered(found)
        keep(tried)
        if found.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        used = max(tried.used.dsps, tried.chosen.dsps)
        if not tried.is_within:
            if run.clock.spent() > LATE_SHARE * run.clock.limit:
                raise NoBetterError
            used = ceil(tried.excess * limit_dsps)
            if MEMORIES.issuperset(tried.used.over(plain.region.limits)):
                excesses.append(tried.excess)
                if excesses[-1] > NO_BETTER * excesses[0] and len(excesses) > 1:
                    raise NoBetterError
        return Trial(tried, budget, used, found.dsps)

    # what opt5 can't take, or has too few DSPs for, is left to the search
    with suppress(StreamoptError, NoBetterError):
        largest_within(ask, limit_dsps, MOST_TRIALS, may_grow=True)


def steady_designs(run: Run, on: Target, ask_with: Callable[[Solution], Trial[T]]) -> None:
    """Ask opt5 for frames that follow each other, under one limit on DSPs after another.

    Parameters
    ----------
    run
        Of opt6; the limit on DSPs of its problem is of all operators.
    ask_with
        Keeps the design of an answer, and returns what it takes; may raise NoBetterError.

    Raises
    ------
    KeyboardInterrupt
        If the user pressed Ctrl-C, after what was found till then was kept.
    SearchStoppedError
        If the time is up.
    """
    limit_dsps = run.problem.space.dsp_limit

    def ask(budget: int) -> Trial[T]:
        run.clock.check()
        part = _opt5_part(run, budget, on, None, run.problem.space.tiling_limit, run.problem.ports)
        found = with_steady_frames(answer(part, STRATEGIES[AUTO]), part, on)
        trial = ask_with(found)
        if found.stop is Stop.INTERRUPTED:
            raise KeyboardInterrupt
        return trial

    with suppress(StreamoptError, NoBetterError):
        largest_within(ask, limit_dsps, MOST_TRIALS, may_grow=True)


def _opt5(run: Run, budget: int, plain: GraphVariant) -> Solution:
    """Return the answer of opt5 under a limit on DSPs of its own count."""
    tiles = run.problem.space.tiling_limit
    tiles = tiles if tiles > 1 else PUBLISHED_TILING_LIMIT
    part = _opt5_part(run, budget, plain.region.on, plain.builder, tiles, plain.ports)
    return fastest_of_equals(answer(part, STRATEGIES[AUTO]), part, plain.region.on)


def _opt5_part(
    run: Run,
    budget: int,
    on: Target,
    builder: PlanBuilder | None,
    tiling_limit: int,
    ports: tuple[PortPlan, ...],
) -> Run:
    problem, limit = run.problem, run.clock.limit
    space = SpaceOptions(
        LEVELS[LevelName.OPT5],
        budget,
        tiling_limit,
        fixed=problem.space.fixed,
        costs=PublishedCosts(builder, own_lane_dsps(problem.graph, on)),
    )
    asked = Problem(problem.graph, space, problem.objective)
    asked = problem_with_ports(asked, ports, on)
    share = FIRST_SHARE if budget == problem.space.dsp_limit else SHARE
    return run.part(asked, silent=True, most=share * limit)
