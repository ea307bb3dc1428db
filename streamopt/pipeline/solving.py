"""From graphs to schedules with a proof.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.evaluation.fifo_sizing import LEAST_FIFOS, FifoSizing
from streamopt.ir.network import Implementation
from streamopt.options import checked
from streamopt.pipeline.asking import Asked, answered, tiling_limit_of
from streamopt.pipeline.beyond.freedom import ALL
from streamopt.pipeline.limiting import AsBuilt, Fit
from streamopt.pipeline.reading import dataflow
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import Objective
from streamopt.strategies.ported_request import request_with_ports

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import Unpack

    from streamopt.ir.graph import Graph
    from streamopt.ir.ports import PortPlan
    from streamopt.ir.program import Program
    from streamopt.pipeline.beyond.freedom import Freedom
    from streamopt.solvers.base import Progress, SolveOptions
    from streamopt.solvers.registry import SolverStatus
    from streamopt.space.fixed import Fixed
    from streamopt.strategies.solution import Solution

__all__ = ["choice_record", "record", "record_of_every_level", "solve", "solvers"]


logger = logging.getLogger(__name__)

DSPS = 2560
"""In the paper's accounting, where nothing is said."""


@checked(built=AsBuilt, level=LevelName, objective=Objective, fit=Fit)
def solve(
    graph: Graph | Program | str | PathLike[str],
    *,
    level: str = LevelName.OPT5,
    dsp: int | None = None,
    tiling_limit: int | None = None,
    objective: str = Objective.LATENCY,
    latency_target_cycles: int | None = None,
    solver: str = "auto",
    formulation: str = "compact",
    profile: str | None = None,
    time_limit_seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    fifos: FifoSizing | None = LEAST_FIFOS,
    freedom: Freedom | None = None,
    ports: tuple[PortPlan, ...] = (),
    fixed: Fixed | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_incumbent: Callable[[Solution], None] | None = None,
    **built: Unpack[AsBuilt],
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
        DSPs as *Stream-HLS* counts them (opt6: all as built); 2560 where neither this nor ``fit``
        is given.
    tiling_limit
        Least trip count of a tile loop; 16 where not given (opt6: 1).
    objective
        ``latency``; ``interval`` of frames; ``latency-dsps``, the fewest DSPs of the least latency;
        ``dsps``, the fewest within a latency target.
    latency_target_cycles
        Latency to keep, for the objective ``dsps``.
    solver
        ``auto``, ``search``, ``exhaustive``, a solver of `available_solvers`, ``race`` or
        ``race:NAME,NAME``.
    formulation
        ``compact``, an exact linear program, or ``paper``, the published MINLP.
    profile
        Options of the solver: a name in ``solvers/<solver>/``, or the path of a TOML file.
    time_limit_seconds
        After which the search returns its best schedule with its bound; None for no limit.
    seed
        Of the solver.
    threads
        Of the solver. With one, the same input, seed and versions give the same schedule.
    fifos
        How FIFO depths are found by simulation; None for all tokens of a lane.
    freedom
        What opt6 may decide; None for all of it.
    ports
        How arrays cross the boundary, from `plan_ports`.
    fixed
        What steps on the loops have decided already, from `streamopt.schedule`.
    on_progress
        Called with elapsed seconds, incumbent and bound from time to time.
    on_incumbent
        Called with every better schedule at once, before FIFO depths are found.
    built
        Limits on the design as built: ``built_dsp``, ``bram18``, ``uram``, ``lut``, ``ff`` and
        ``fit``; see `streamopt.pipeline.limiting.AsBuilt`.

    Raises
    ------
    OptionError
        For an option that there is not, or a value that it can't have (E541 to E543).
    InfeasibleError, SolverError
        As `streamopt.strategies.dispatch.choose` and `streamopt.pipeline.asking.answered`.
    """
    from streamopt.strategies.solution import Request

    name, wanted, most = LevelName(level), Objective(objective), DSPS if dsp is None else dsp
    tiles = tiling_limit_of(name, tiling_limit, freedom or ALL)
    request = Request(
        dataflow(graph), name, most, tiles, wanted, latency_target_cycles, fixed=fixed
    )
    request = request_with_ports(request, ports, (solver, formulation), built.get("on"))
    options = _options(solver, profile, (time_limit_seconds, seed, threads), on_progress)
    asked = Asked(request, freedom, solver, formulation, options, fifos, dsp is not None)
    return _logged(answered(asked, built, on_incumbent))


def _logged(found: Solution) -> Solution:
    what = (found.objective_cycles, found.bound_cycles, found.proof, found.solver)
    logger.info("found %d cycles, bound %d, %s by %s", *what)
    return found


def _options(
    solver: str,
    profile: str | None,
    limits: tuple[float | None, int, int],
    on_progress: Callable[[Progress], None] | None,
) -> SolveOptions:
    """Return the options of a solver; ``limits`` are seconds, seed and threads."""
    from streamopt.solvers.base import SolveOptions
    from streamopt.solvers.profiles import load_profile

    seconds, seed, threads = limits
    options = SolveOptions(seconds, seed, threads, on_progress=on_progress)
    return options if profile is None else replace(options, profile=load_profile(solver, profile))


@checked()
def record(solution: Solution) -> dict[str, str | int | float]:
    """Return what is reported of a solution: one flat row, with the limits that it has kept.

    A schedule of the exact search has the digest of its tuning, too.

    Parameters
    ----------
    solution
        From `solve`.
    """
    from streamopt.strategies.searched import SOLVER
    from streamopt.strategies.tuning import tuning_digest

    is_searched = SOLVER in solution.solver.split("+")
    tuning = {"tuning": tuning_digest()} if is_searched else {}
    return {**record_of_every_level(solution), **tuning, **_limit_members(solution)}


def record_of_every_level(solution: Solution) -> dict[str, str | int | float]:
    """Return what is reported at every level alike, without limits on the design as built."""
    from streamopt.perf.paper.dsp import roofline_cycles

    request = solution.request
    return {
        "name": request.graph.name,
        "level": request.level.value,
        "dsp_limit": request.dsp_limit,
        "tiling_limit": request.tiling_limit,
        "objective": request.objective.value,
        **_objective_members(solution),
        "objective_cycles": solution.objective_cycles,
        "bound_cycles": solution.bound_cycles,
        "gap": round(solution.gap, 6),
        "proof": solution.proof.value,
        "stop": solution.stop.value,
        "dsps_used": solution.prediction.dsps,
        "roofline_cycles": roofline_cycles(request.graph, request.dsp_limit),
        "solver": solution.solver,
        "solver_version": solution.solver_version,
        "seed": solution.seed,
        "solve_seconds": round(solution.solve_seconds, 4),
        "message": solution.message,
    }


def choice_record(solution: Solution) -> dict[str, str | int | float]:
    """Return what only opt6 tells; nothing at the other levels.

    Rewrites of the graph, nodes some of whose operators are LUTs by choice, how many channels are
    FIFOs, and the least latency of all schedules that were found with its gap.
    """
    if not LEVELS[solution.request.level].is_as_built:
        return {}
    schedule = solution.schedule
    fabric = [p for p in schedule.nodes if Implementation.FABRIC in dict(p.binding).values()]
    return {
        "rewrites": " ".join(schedule.rewrites),
        "fabric_nodes": len(fabric),
        "fifo_channels": len(schedule.fifos),
        "channels": len(schedule.channels),
        "least_found_cycles": solution.least_found_cycles or solution.objective_cycles,
        "search_gap": round(solution.search_gap, 6),
    }


def _limit_members(solution: Solution) -> dict[str, int]:
    """Return the limits on the design as built, and what it takes of each."""
    found: dict[str, int] = {}
    for limit, used in zip(solution.limits, solution.used, strict=True):
        key = limit.option.removeprefix("--").replace("-", "_")
        found |= {f"{key}_limit": limit.most, f"{key}_used": used}
    return found


def _objective_members(solution: Solution) -> dict[str, int]:
    """Return what is reported for the other objectives than the latency."""
    match solution.request.objective:
        case Objective.LATENCY:
            return {}
        case Objective.INTERVAL:
            return {
                "interval_cycles": solution.interval_cycles,
                "bound_interval_cycles": solution.bound_interval_cycles,
            }
        case Objective.LATENCY_DSPS:
            return {"bound_dsps": solution.bound_dsps}
        case Objective.DSPS:
            target = solution.request.latency_target_cycles
            assert target is not None
            return {"latency_target_cycles": target, "bound_dsps": solution.bound_dsps}


@checked()
def solvers() -> tuple[SolverStatus, ...]:
    """Return the solvers with version, licence and capabilities; takes no licence."""
    from streamopt.solvers.registry import available

    return available()
