"""The oracle as a strategy: its answer with the model's integers beside it."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from streamopt.solvers.result import Proof, Stop
from streamopt.space.level import LEVELS
from streamopt.space.objective import Objective
from streamopt.strategies.oracle.exhaustive import exhaustive
from streamopt.strategies.reach import OutOfReachError
from streamopt.strategies.solution import Solution

if TYPE_CHECKING:
    from streamopt.strategies.solution import Request

__all__ = ["solve_exhaustively"]

LATENCY_FIRST = (Objective.LATENCY, Objective.LATENCY_DSPS)
DSPS_TOO = (Objective.LATENCY_DSPS, Objective.DSPS)


def solve_exhaustively(request: Request) -> Solution:
    """Return a best schedule by looking at all of them.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401, E402).
    OutOfReachError
        If none has the latency target.
    SolverError
        If there are too many schedules to look at (E510).
    """
    started = perf_counter()
    level = LEVELS[request.level]
    limits = {"dsp_limit": request.dsp_limit, "tiling_limit": request.tiling_limit}
    request.space()  # refuses limits that nothing fits
    found = exhaustive(
        request.graph,
        level=level,
        **limits,
        objective=request.objective,
        latency_target_cycles=request.latency_target_cycles,
    )
    if found.schedule is None:
        raise OutOfReachError
    is_interval = request.objective is Objective.INTERVAL
    return Solution(
        request=request,
        schedule=found.schedule,
        prediction=request.evaluate(found.schedule),
        bound_cycles=found.latency_cycles if request.objective in LATENCY_FIRST else 0,
        bound_dsps=found.dsps if request.objective in DSPS_TOO else 0,
        bound_interval_cycles=found.interval_cycles if is_interval else 0,
        proof=Proof.OPTIMAL,
        stop=Stop.FINISHED,
        solver="exhaustive",
        solver_version="1",
        seed=0,
        solve_seconds=perf_counter() - started,
        message=f"{found.points} schedules looked at",
    )
