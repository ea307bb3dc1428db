"""From a problem to a design with FIFO depths and warnings."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError, SolverError
from streamopt.evaluation.design import evaluated
from streamopt.evaluation.fifo_sizing import FifoSizing, safe_depths, sized
from streamopt.evaluation.region_usage import region_usage
from streamopt.evaluation.visit_lengths import with_visit_lengths
from streamopt.ir.graph import Graph
from streamopt.pipeline.design_limits import (
    Budget,
    amounts,
    by_field,
    most_of_design,
    region,
    region_limits,
    with_limits,
)
from streamopt.pipeline.reading import dataflow
from streamopt.solvers.base import SolveOptions
from streamopt.solvers.result import Stop
from streamopt.space.decisions import SpaceOptions
from streamopt.space.fixed import NOTHING_FIXED
from streamopt.space.level import LEVELS, PUBLISHED_TILING_LIMIT, LevelName
from streamopt.space.objective import Interval
from streamopt.strategies.effort import Effort
from streamopt.strategies.opt6.simulated_design import Region, slots_in_use
from streamopt.strategies.solution import OnIncumbent, Solution
from streamopt.target.device import Target, or_usual
from streamopt.target.resources import RESOURCE_WORDS, Fit

if TYPE_CHECKING:
    from streamopt.pipeline.sources.readers import Readable
    from streamopt.strategies.opt6.choices import Space
    from streamopt.strategies.opt6.search_options import SearchOptions
    from streamopt.strategies.problem import Problem

USUAL_WORK = 25.0
"""Work of opt6 where neither it nor a time limit is given."""
GOOD_GAP = 0.05
"""Enough for it after a part of that."""
SIZING_SHARE = 0.95
"""Of the effort, after which FIFO depths stay as they are found."""


DSPS = 2560
"""In the paper's accounting, where nothing is said."""


def problem_of(
    graph: Readable, level: LevelName, dsp: int | None, space: Space, budget: Budget | None = None
) -> tuple[Graph, Problem]:
    """Return the graph that is given, and the question for its least latency.

    Plans of sequential nodes at opt1 to opt5 are within the budget; `with_limits` limits the rest.
    """
    from streamopt.strategies.problem import Problem, problem_with_ports
    from streamopt.strategies.sequential.plan_builder import published_costs

    given, budget = dataflow(graph), budget or Budget()
    problem = Problem(given, space_options(level, dsp, space))
    if not problem.level.is_as_built:
        on = or_usual(budget.device)
        most = most_of_design(budget, space.ports, on)
        problem = problem.within(costs=published_costs(given, on, by_field(most)))
    return given, problem_with_ports(problem, space.ports, budget.device)


def space_options(level: LevelName, dsp: int | None, space: Space) -> SpaceOptions:
    """Return the decision space that is asked for, with the tiling limit usual at its level."""
    of, tiles = LEVELS[level], space.tiling_limit
    if tiles is None:
        tiles = 1 if of.is_as_built else PUBLISHED_TILING_LIMIT
    fixed = NOTHING_FIXED if space.fixed is None else space.fixed
    return SpaceOptions(of, DSPS if dsp is None else dsp, tiles, fixed=fixed)


def answered(
    problem: Problem,
    space: Space,
    budget: Budget,
    effort: Effort,
    options: SolveOptions,
    *,
    keeps_dsps: bool,
) -> Solution:
    """Return the answer to a problem.

    Parameters
    ----------
    keeps_dsps
        Whether the problem's DSPs were asked for, or may be those of the region to fit.

    Raises
    ------
    InfeasibleError
        If what is free at opt6 is limited at another level (E407), a limit is not positive (E402),
        or as `streamopt.strategies.dispatch.answer`.
    SolverError
        If opt6 finds no design within the limits (E522), or as
        `streamopt.strategies.dispatch.answer`.
    """
    from streamopt.strategies.clocks import WorkClock
    from streamopt.strategies.dispatch import answer, strategies
    from streamopt.strategies.opt6.search_options import SearchOptions
    from streamopt.strategies.refinement.tie_breaking import fastest_of_equals
    from streamopt.strategies.run import Run

    fifos, asked = effort.fifos, strategies(effort.solver, effort.formulation)
    device = or_usual(budget.device or (None if fifos is None else fifos.on))
    if problem.space.fixed:
        problem.decision_space()  # refuses what can't be fixed
    if problem.level.is_as_built:
        fit = region(problem, budget, device, keeps_dsps=keeps_dsps)
        search = SearchOptions(fit, space, asked, sizes_fifos=fifos is not None)
        return _at_opt6(problem, search, effort, options)
    level = problem.level.name
    if space.without or space.binding is not None or space.most_banks is not None:
        message = f"--without, --binding and --banks have no meaning at {level}"
        hint = f"they are for --level {LevelName.OPT6}; leave them out"
        raise InfeasibleError(Diagnostic("E407", message, hint=hint))
    fifos = None if fifos is None else replace(fifos, on=fifos.on or device)
    problem = with_limits(problem, budget, fifos, device, keeps_dsps=keeps_dsps)
    clock = None if effort.work is None else WorkClock(options, effort.work)
    run = Run(problem, options, _with_ports(problem, effort.on_incumbent), clock)
    found = answer(run, asked)
    if fifos is not None:
        found = fastest_of_equals(found, run, device)
    if isinstance(problem.objective, Interval) and fifos is not None:
        from streamopt.strategies.refinement.steady_frames import with_steady_frames

        found = with_steady_frames(found, run, device)
    return as_built(replace(ported(found, problem), fit=budget.fit or ""), fifos, device)


def ported(solution: Solution, problem: Problem) -> Solution:
    """Return a solution whose schedule says how arrays cross the boundary."""
    return replace(solution, schedule=replace(solution.schedule, ports=problem.ports))


def _with_ports(problem: Problem, on_incumbent: OnIncumbent) -> OnIncumbent:
    """Return a listener that passes on incumbents with the problem's ports."""
    if on_incumbent is None or not problem.ports:
        return on_incumbent
    return lambda found: on_incumbent(ported(found, problem))


def _at_opt6(
    problem: Problem, search: SearchOptions, effort: Effort, options: SolveOptions
) -> Solution:
    """Return the answer at opt6: a design within a region, or none."""
    from streamopt.strategies.acceptance import first_accepting
    from streamopt.strategies.clocks import WorkClock
    from streamopt.strategies.opt6.choices import TRIED
    from streamopt.strategies.opt6.strategy import Opt6
    from streamopt.strategies.run import Run

    _check_positive(problem, search.space.most_banks)
    if problem.space.fixed:  # the graph stays as it is, so that what is fixed has its loops
        without = search.space.without | {*TRIED}
        search = replace(search, space=replace(search.space, without=without))
    fifos, fit = effort.fifos, search.region
    limit = options.time_limit_seconds
    work = effort.work or (USUAL_WORK if limit is None else inf)
    if work == USUAL_WORK:
        search = replace(search, good_gap=GOOD_GAP)
    options = replace(options, time_limit_seconds=None if limit == inf else limit)
    clock = WorkClock(options, work)
    clock.limit *= SIZING_SHARE
    asked = problem.within(dsp_limit=fit.limits.dsps)
    run = Run(asked, options, effort.on_incumbent, WorkClock(options, work))
    found = first_accepting(run, [Opt6(search, clock)])
    if found.stop is Stop.INTERRUPTED:
        clock.interrupt()
    if isinstance(problem.objective, Interval):
        fifos = None  # they are as small as frames let them be
    if fifos is not None:
        fifos = replace(fifos, on=fifos.on or fit.on, should_stop=clock.should_stop)
    built = as_built(found, fifos, fit.on)
    if fifos is not None and _over(built, fit):
        other = as_built(_with_slots_in_use(found, fit.on), None, fit.on)
        built = built if _over(other, fit) else other
    return _within(built, fit)


def _with_slots_in_use(solution: Solution, on: Target) -> Solution:
    """Return a solution with FIFOs of the slots that are ever in use together.

    The search counts these. Smaller FIFOs take fewer block RAMs, but may take more LUTs.
    """
    from streamopt.strategies.refinement.frame_buffers import with_depths

    design = evaluated(solution.problem.graph, solution.schedule, on)
    depths = safe_depths(design, slots_in_use(design), None)
    return replace(solution, schedule=with_depths(solution.schedule, depths))


def _check_positive(problem: Problem, most_banks: int | None) -> None:
    positive = {
        "--dsp": problem.space.dsp_limit,
        "--tiling-limit": problem.space.tiling_limit,
        "--banks": most_banks,
    }
    for option, amount in positive.items():
        if amount is not None and amount < 1:
            hint = "give a whole number of at least 1"
            raise InfeasibleError(Diagnostic("E402", f"{option} is {amount}", hint=hint))


def _within(solution: Solution, fit: Region) -> Solution:
    """Return a solution with what it takes of its region."""
    used, limits = _used(solution), region_limits(fit)
    if over := _over(solution, fit):
        graph = solution.problem.graph
        message = f"no design of {graph.name} within the region was found ({', '.join(over)})"
        hint = "give more time, or higher limits: --dsp, --lut and so on"
        if fit.limits != (whole := fit.on.budget(Fit.DEVICE)) and fit.limits.over(whole) == ():
            hint += ", or --fit device"
        raise SolverError(Diagnostic("E522", message, hint=hint))
    return replace(solution, region=limits, used=used, fit=fit.fit)


def _used(solution: Solution) -> tuple[int, ...]:
    assert solution.evaluation is not None
    return amounts(solution.evaluation.resources.total)


def _over(solution: Solution, fit: Region) -> list[str]:
    """Return the resources of which a design takes more than there is, with both amounts."""
    over = [
        f"{amount} {limit.resource} are more than {limit.most}"
        for limit, amount in zip(region_limits(fit), _used(solution), strict=True)
        if amount > limit.most
    ]
    return over + _over_in_regions(solution, fit)


def _over_in_regions(solution: Solution, fit: Region) -> list[str]:
    """Return the resources of which a region has less than a design takes of it, and its wires."""
    design = solution.evaluation
    if not fit.each or design is None:
        return []
    slrs, wires = dict(solution.schedule.slrs), fit.on.floorplan.crossing_wires
    usage = region_usage(design.network, design.resources, slrs, len(fit.each))
    pairs = enumerate(zip(usage.amounts, fit.each, strict=True))
    over = ((at, used, most, name) for at, (used, most) in pairs for name in used.over(most))
    found = [
        f"{getattr(used, name)} {RESOURCE_WORDS[name]} in SLR{at} are more than "
        f"{getattr(most, name)}"
        for at, used, most, name in over
    ]
    return found + [
        f"{count} wires from SLR{at} to SLR{at + 1} are more than {wires}"
        for at, count in enumerate(usage.wires)
        if wires is not None and count > wires
    ]


def as_built(solution: Solution, fifos: FifoSizing | None, on: Target) -> Solution:
    """Return a solution with small FIFOs, if those are wanted, and with its warnings."""
    from streamopt.evaluation.frames import simulated_frames
    from streamopt.warnings.solution import solution_warnings

    graph = solution.problem.graph
    on = on if fifos is None else fifos.on or on
    schedule = with_visit_lengths(graph, solution.schedule, on)
    solution = replace(solution, schedule=schedule)
    if fifos is not None:
        if solution.stop is Stop.INTERRUPTED:  # nobody waits for small FIFOs any more
            fifos = replace(fifos, should_stop=lambda: True)
        schedule, plan = sized(graph, schedule, fifos)
        if plan.is_interrupted:
            solution = replace(solution, stop=Stop.INTERRUPTED)
    frames = isinstance(solution.problem.objective, Interval)
    if frames and solution.stop is Stop.INTERRUPTED:
        schedule = solution.schedule
    elif frames and schedule != solution.schedule:
        from streamopt.strategies.refinement.frame_buffers import small_and_steady

        schedule = small_and_steady(graph, solution.schedule, schedule, on)
    design = evaluated(graph, schedule, on)
    several = simulated_frames(graph, schedule, on) if frames else None
    found = replace(solution, schedule=schedule, evaluation=design)
    return replace(found, warnings=solution_warnings(found, design, several))
