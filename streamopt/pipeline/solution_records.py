"""Solutions and fronts as flat rows, for JSON, tables and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.network import Implementation
from streamopt.options import checked
from streamopt.space.objective import FewestDsps, Interval, Latency, LatencyThenDsps

if TYPE_CHECKING:
    from streamopt.strategies.exact.front import Front
    from streamopt.strategies.solution import Solution

__all__ = ["choice_record", "front_record", "record", "record_of_every_level"]


@checked()
def record(solution: Solution) -> dict[str, str | int | float]:
    """Return a solution as one flat row, with the limits that it has kept.

    A schedule of the exact search has the digest of its tuning, too.

    Parameters
    ----------
    solution
        From `solve`.
    """
    from streamopt.strategies.run import SEARCH
    from streamopt.strategies.tuning import tuning_digest

    is_searched = SEARCH in solution.solver.split("+")
    tuning = {"tuning": tuning_digest()} if is_searched else {}
    return {**record_of_every_level(solution), **tuning, **_limit_members(solution)}


def record_of_every_level(solution: Solution) -> dict[str, str | int | float]:
    """Return the members that all levels have, without limits on the design as built."""
    from streamopt.perf.paper.dsp import roofline_cycles

    problem = solution.problem
    return {
        "name": problem.graph.name,
        "level": problem.level.name.value,
        "dsp_limit": problem.space.dsp_limit,
        "tiling_limit": problem.space.tiling_limit,
        "objective": problem.objective.name.value,
        **_objective_members(solution),
        "objective_cycles": solution.latency_cycles,
        "bound_cycles": _bound_cycles(solution),
        "gap": round(solution.gap, 6),
        "proof": solution.proof.value,
        "stop": solution.stop.value,
        "dsps_used": solution.dsps,
        "roofline_cycles": roofline_cycles(problem.graph, problem.space.dsp_limit),
        "solver": solution.solver,
        "solver_version": solution.solver_version,
        "seed": solution.seed,
        "solve_seconds": round(solution.solve_seconds, 4),
        "message": solution.message,
    }


def choice_record(solution: Solution) -> dict[str, str | int | float]:
    """Return the members that only opt6 has; none at the other levels.

    Rewrites of the graph, nodes some of whose operators are LUTs by choice, how many channels are
    FIFOs, and the least latency of all schedules that were found with its gap.
    """
    if not solution.problem.level.is_as_built:
        return {}
    schedule = solution.schedule
    fabric = [p for p in schedule.nodes if Implementation.FABRIC in dict(p.binding).values()]
    return {
        "rewrites": " ".join(schedule.rewrites),
        "fabric_nodes": len(fabric),
        "fifo_channels": len(schedule.fifos),
        "channels": len(schedule.channels),
        "least_found_cycles": solution.least_found_cycles or solution.latency_cycles,
        "search_gap": round(solution.search_gap, 6),
    }


def _limit_members(solution: Solution) -> dict[str, int]:
    """Return the limits on the design as built, and its amount of each."""
    found: dict[str, int] = {}
    for limit, used in zip(solution.limits, solution.used, strict=True):
        key = limit.option.removeprefix("--").replace("-", "_")
        found |= {f"{key}_limit": limit.most, f"{key}_used": used}
    return found


def _bound_cycles(solution: Solution) -> int:
    """Return the bound of the latency; 0 where the objective has none."""
    is_latency = isinstance(solution.problem.objective, Latency | LatencyThenDsps)
    return solution.bound if is_latency else 0


def _objective_members(solution: Solution) -> dict[str, int]:
    """Return the members of other objectives than the latency."""
    match solution.problem.objective:
        case Latency():
            return {}
        case Interval():
            cycles = solution.interval_cycles
            return {"interval_cycles": cycles, "bound_interval_cycles": solution.bound}
        case LatencyThenDsps():
            return {"bound_dsps": solution.second_bound}
        case FewestDsps(within):
            return {"latency_target_cycles": within, "bound_dsps": solution.bound}


@checked()
def front_record(front: Front) -> list[dict[str, str | int]]:
    """Return one flat row a point, the fastest first.

    Parameters
    ----------
    front
        From `pareto`.
    """
    problem = front.problem
    return [
        {
            "name": problem.graph.name,
            "level": problem.level.name.value,
            "dsp_limit": problem.space.dsp_limit,
            "tiling_limit": problem.space.tiling_limit,
            "latency_cycles": point.cycles,
            "dsps": point.dsps,
            "bound_cycles": point.bound_cycles,
            "bound_dsps": point.bound_dsps,
            "proof": "optimal" if point.is_proved else "feasible",
        }
        for point in front.points
    ]
