"""From graphs to fronts of latency against DSPs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.options import checked
from streamopt.pipeline.asking import tiling_limit_of
from streamopt.pipeline.beyond.freedom import ALL
from streamopt.pipeline.reading import dataflow
from streamopt.space.level import LevelName

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program
    from streamopt.strategies.exact.front import Front

__all__ = ["front_record", "pareto"]


@checked(level=LevelName)
def pareto(
    graph: Graph | Program | str | PathLike[str],
    *,
    level: str = LevelName.OPT5,
    dsp: int = 2560,
    tiling_limit: int | None = None,
    solver: str = "auto",
    time_limit_seconds: float | None = None,
    seed: int = 0,
    on_front: Callable[[int, int], None] | None = None,
) -> Front:
    """Return the front of latency against DSPs: all schedules that no other beats in both.

    It is exact where its proof says so. A time limit or Ctrl-C leaves what was found, with what
    is proved of each point and where more may lie.

    Parameters
    ----------
    graph
        A graph, a program, or the path of what `streamopt.load` reads.
    level
        ``opt1`` to ``opt5``.
    dsp
        DSPs that a design may use, in the paper's accounting.
    tiling_limit
        Least trip count of a tile loop; 16 where not given.
    solver
        As for `solve`.
    time_limit_seconds
        For the whole front; None for no limit.
    seed
        Of the solver.
    on_front
        Called with the points found and the boxes that are still open.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits.
    SolverError
        If the level is opt6 (E523), or the solver is unknown, missing, unlicensed or failed.
    """
    from streamopt.solvers.base import SolveOptions
    from streamopt.strategies.exact.front import solve_front
    from streamopt.strategies.solution import Request

    name = LevelName(level)
    request = Request(dataflow(graph), name, dsp, tiling_limit_of(name, tiling_limit, ALL))
    options = SolveOptions(time_limit_seconds=time_limit_seconds, seed=seed)
    return solve_front(request, solver, options, on_front)


@checked()
def front_record(front: Front) -> list[dict[str, str | int]]:
    """Return one flat row a point, the fastest first.

    Parameters
    ----------
    front
        From `pareto`.
    """
    request = front.request
    return [
        {
            "name": request.graph.name,
            "level": request.level.value,
            "dsp_limit": request.dsp_limit,
            "tiling_limit": request.tiling_limit,
            "latency_cycles": point.cycles,
            "dsps": point.dsps,
            "bound_cycles": point.bound_cycles,
            "bound_dsps": point.bound_dsps,
            "proof": "optimal" if point.is_proved else "feasible",
        }
        for point in front.points
    ]
