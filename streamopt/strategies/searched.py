"""What the search of ours returns, whatever it was to find: its name, times and proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.solvers.result import Proof
from streamopt.strategies.solution import Solution

if TYPE_CHECKING:
    from streamopt.ir.schedule import Schedule
    from streamopt.solvers.base import SolveOptions
    from streamopt.solvers.result import Stop
    from streamopt.strategies.clock import SearchClock
    from streamopt.strategies.solution import Request

__all__ = ["SOLVER", "VERSION", "searched"]

SOLVER = "search"
VERSION = "1"


def searched(
    request: Request,
    schedule: Schedule,
    stop: Stop,
    options: SolveOptions,
    clock: SearchClock,
    *,
    is_proved: bool,
) -> Solution:
    """Return a schedule with what is known of it but for its bounds, which are left at 0."""
    return Solution(
        request=request,
        schedule=schedule,
        prediction=request.evaluate(schedule),
        bound_cycles=0,
        proof=Proof.OPTIMAL if is_proved else Proof.FEASIBLE,
        stop=stop,
        solver=SOLVER,
        solver_version=VERSION,
        seed=options.seed,
        solve_seconds=clock.seconds(),
    )
