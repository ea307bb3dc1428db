"""A question as a user asks it: what a level doesn't have is refused, the rest is answered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isinf
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, InfeasibleError, SolverError
from streamopt.evaluation.design import built_resources
from streamopt.evaluation.fifo_sizing import sized
from streamopt.pipeline.beyond.freedom import ALL, TRIED
from streamopt.pipeline.limiting import amounts, limited, region, region_limits
from streamopt.solvers.result import Stop
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import Objective
from streamopt.strategies.paper_only import check_published
from streamopt.target.device import or_usual

if TYPE_CHECKING:
    from streamopt.evaluation.fifo_sizing import FifoSizing
    from streamopt.pipeline.beyond.freedom import Freedom
    from streamopt.pipeline.beyond.judging import Region
    from streamopt.pipeline.limiting import AsBuilt
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.solution import OnIncumbent, Request, Solution
    from streamopt.target.device import Target

__all__ = ["Asked", "answered", "tiling_limit_of"]

PUBLISHED_TILING_LIMIT = 16
"""Of most published runs."""
USUAL_SECONDS = 60.0
"""Time limit of opt6 where none is given: its search ends by itself on small graphs only."""
SIZING_SHARE = 0.95
"""Of the time limit, after which FIFO depths stay as they are found."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request and how it is to be answered; see `streamopt.pipeline.solving.solve`.

    Attributes
    ----------
    freedom
        What opt6 may decide; None for everything.
    keeps_dsps
        Whether the request's DSPs were asked for, or may be those of the region to fit.
    """

    request: Request
    freedom: Freedom | None
    solver: str
    formulation: str
    options: SolveOptions
    fifos: FifoSizing | None
    keeps_dsps: bool


def tiling_limit_of(level: LevelName, given: int | None, freedom: Freedom) -> int:
    """Return the least trip count of a tile loop: what was given, or what is usual at a level."""
    if given is not None:
        return given
    return freedom.tiling_limit if LEVELS[level].is_as_built else PUBLISHED_TILING_LIMIT


def answered(asked: Asked, built: AsBuilt, on_incumbent: OnIncumbent) -> Solution:
    """Return the answer to a question.

    Raises
    ------
    InfeasibleError
        If what is free at opt6 is limited at another level (E407), a limit is not positive (E402),
        or as `streamopt.strategies.dispatch.choose`.
    SolverError
        If opt6 is asked for another objective than the latency (E524), for a strategy that knows
        the published model only (E523), or finds no design within the limits (E522); or as
        `streamopt.strategies.dispatch.choose`.
    """
    from streamopt.pipeline.ties import fastest_of_equals
    from streamopt.strategies.dispatch import choose

    if asked.request.fixed:
        asked = _with_fixed(asked)
    if LEVELS[asked.request.level].is_as_built:
        return _beyond(asked, built, on_incumbent)
    if asked.freedom is not None:
        message = f"--without and --binding have no meaning at {asked.request.level}"
        hint = f"they are for --level {LevelName.OPT6}; leave them out"
        raise InfeasibleError(Diagnostic("E407", message, hint=hint))
    request, fifos = limited(asked.request, built, asked.fifos, keeps_dsps=asked.keeps_dsps)
    keep = _kept(request, on_incumbent)
    found = choose(request, asked.solver, asked.formulation, asked.options, keep)
    if fifos is not None:
        found = fastest_of_equals(found, asked.solver, asked.options, or_usual(fifos.on))
    on = (None if fifos is None else fifos.on) or built.get("on")
    if request.objective is Objective.INTERVAL and fifos is not None:
        from streamopt.pipeline.steady_frames import with_steady_frames

        found = with_steady_frames(found, asked, on)
    return _warned(_ported(found, request), fifos, on)


def _with_fixed(asked: Asked) -> Asked:
    """Return a question that leaves the graph as it is, so that what is fixed has its loops.

    Raises
    ------
    InfeasibleError
        If what is fixed can't be (E408, E409).
    SolverError
        If it is asked for of who doesn't keep to it (E526).
    """
    if asked.solver == "exhaustive" or asked.formulation != "compact":
        message = "fixed decisions are kept by the exact search and the compact formulation only"
        hint = "leave --solver exhaustive and --formulation out"
        raise SolverError(Diagnostic("E526", message, hint=hint))
    asked.request.space()
    if not LEVELS[asked.request.level].is_as_built:
        return asked
    freedom = asked.freedom or ALL
    return replace(asked, freedom=replace(freedom, without=freedom.without | {*TRIED}))


def _ported(solution: Solution, request: Request) -> Solution:
    """Return a solution whose schedule says how arrays cross the boundary."""
    return replace(solution, schedule=replace(solution.schedule, ports=request.ports))


def _kept(request: Request, on_incumbent: OnIncumbent) -> OnIncumbent:
    """Return what hands on incumbents with the request's ports."""
    if on_incumbent is None or not request.ports:
        return on_incumbent
    return lambda found: on_incumbent(_ported(found, request))


def _beyond(asked: Asked, built: AsBuilt, on_incumbent: OnIncumbent) -> Solution:
    """Return the answer at opt6: a design within a region, or none."""
    from streamopt.pipeline.beyond.best import solve_beyond
    from streamopt.solvers.result import Stop
    from streamopt.strategies.clock import WorkClock

    _check(asked)
    fit = region(asked.request.dsp_limit, built, asked.fifos, keeps_dsps=asked.keeps_dsps)
    request = replace(asked.request, dsp_limit=fit.limits.dsps)
    freedom = replace(asked.freedom or ALL, tiling_limit=request.tiling_limit)
    fifos, options = asked.fifos, asked.options
    limit = options.time_limit_seconds or USUAL_SECONDS
    options = replace(options, time_limit_seconds=None if isinf(limit) else limit)
    clock = WorkClock(replace(options, time_limit_seconds=SIZING_SHARE * limit))
    found = solve_beyond(
        request,
        freedom,
        asked.solver,
        options,
        fit,
        on_incumbent,
        sizes_fifos=fifos is not None,
        sizing_clock=clock,
    )
    if found.stop is Stop.INTERRUPTED:
        clock.interrupt()
    if fifos is not None:
        fifos = replace(fifos, on=fifos.on or fit.on, should_stop=clock.should_stop)
    return _within(_warned(found, fifos, fit.on), fit)


def _check(asked: Asked) -> None:
    request = asked.request
    level = LEVELS[request.level]
    if request.objective is not Objective.LATENCY or request.latency_target_cycles is not None:
        message = f"{request.level} minimises the latency, and nothing else"
        hint = f"leave --objective and --latency-target out, or choose {LevelName.OPT5}"
        raise SolverError(Diagnostic("E524", message, hint=hint))
    if asked.solver == "exhaustive":
        check_published(level, "the exhaustive search", "leave --solver out")
    if asked.formulation != "compact":
        what = f"the formulation '{asked.formulation}'"
        check_published(level, what, "leave --formulation out")
    positive = {"--dsp": request.dsp_limit, "--tiling-limit": request.tiling_limit}
    for option, amount in positive.items():
        if amount < 1:
            hint = "give a whole number of at least 1"
            raise InfeasibleError(Diagnostic("E402", f"{option} is {amount}", hint=hint))


def _within(solution: Solution, fit: Region) -> Solution:
    """Return a solution with what it takes of its region.

    Raises
    ------
    SolverError
        If it takes more than there is (E522).
    """
    graph = solution.request.graph
    used = amounts(built_resources(graph, solution.schedule, fit.on))
    limits = region_limits(fit)
    over = [
        f"{amount} {limit.resource} are more than {limit.most}"
        for limit, amount in zip(limits, used, strict=True)
        if amount > limit.most
    ]
    if over:
        message = f"no design of {graph.name} within the region was found ({', '.join(over)})"
        hint = "give more time, or higher limits: --dsp, --lut and so on"
        if fit.limits.over(fit.on.slr) == () and fit.on.slrs > 1:
            hint += ", or --fit device"
        raise SolverError(Diagnostic("E522", message, hint=hint))
    return replace(solution, region=limits, used=used)


def _warned(solution: Solution, fifos: FifoSizing | None, on: Target | None) -> Solution:
    """Return a solution with small FIFOs, if those are wanted, and what is to be known of it."""
    from streamopt.pipeline.warning import judged, solution_warnings

    graph, schedule, cycles = solution.request.graph, solution.schedule, None
    if fifos is not None:
        on = fifos.on or on
        if solution.stop is Stop.INTERRUPTED:  # nobody waits for small FIFOs any more
            fifos = replace(fifos, should_stop=_always)
        schedule, plan = sized(graph, schedule, fifos)
        cycles = plan.cycles
        if plan.is_interrupted:
            solution = replace(solution, stop=Stop.INTERRUPTED)
    frames = solution.request.objective is Objective.INTERVAL
    if frames and solution.stop is Stop.INTERRUPTED:
        schedule, cycles = solution.schedule, None
    elif frames and schedule != solution.schedule:
        from streamopt.pipeline.steady_frames import small_and_steady

        schedule, cycles = small_and_steady(graph, solution.schedule, schedule, on), None
    design = judged(graph, schedule, on, cycles=cycles, frames=frames)
    found = replace(solution, schedule=schedule, simulated_cycles=design.cycles)
    return replace(found, warnings=solution_warnings(found, design))


def _always() -> bool:
    return True
