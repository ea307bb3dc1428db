"""Solutions, fronts, evaluations and rival designs as flat rows, for JSON, CSV and tables."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from streamopt.ir.network import Implementation
from streamopt.options import checked
from streamopt.space.objective import FewestDsps, Interval, Latency, LatencyThenDsps

if TYPE_CHECKING:
    from streamopt.evaluation.design import Evaluation
    from streamopt.pipeline.rivals import RivalDesign
    from streamopt.strategies.exact.front import Front
    from streamopt.strategies.solution import Solution

__all__ = [
    "choice_record",
    "design_record",
    "evaluation_record",
    "fifo_bits",
    "front_record",
    "record",
    "record_of_every_level",
    "trace_record",
    "warning_records",
]


def evaluation_record(found: Evaluation) -> dict[str, str | int | float]:
    """Return cycles and resources next to the target's, as one flat row."""
    used, device = found.resources.total, found.target
    predicted = (
        {} if found.predicted is None else {"predicted_cycles": found.predicted.latency_cycles}
    )
    return {
        **predicted,
        "simulated_cycles": found.trace.cycles,
        "dsps": used.dsps,
        "bram18": used.bram18,
        "uram": used.uram,
        "lut": used.luts,
        "ff": used.ffs,
        "device": device.name,
        "clock_ns": device.clock_ns,
        "over": " ".join(found.over),
        "clock_risks": len(found.clock_risks),
        **fifo_bits(found),
    }


def fifo_bits(found: Evaluation) -> dict[str, int]:
    """Return the bits of all FIFOs, and of FIFOs that hold all tokens of their lanes."""
    tokens = {fifo.name: fifo.tokens for fifo in found.trace.fifos}
    return {
        "fifo_bits": sum(
            fifo.element.bits * prod(fifo.lanes) * fifo.depth_elems for fifo in found.network.fifos
        ),
        "full_fifo_bits": sum(
            fifo.element.bits * tokens[fifo.name] for fifo in found.network.fifos
        ),
    }


def trace_record(found: Evaluation) -> dict[str, Any]:
    """Return the whole evaluation as JSON values: the row, processes, pipelines and FIFOs."""
    trace = found.trace
    return {
        "name": trace.network,
        **evaluation_record(found),
        "frames": trace.frames,
        "interval_cycles": trace.interval_cycles,
        "total_cycles": trace.total_cycles,
        "processes": [
            {
                "name": process.name,
                "start_cycles": process.starts[0],
                "end_cycles": process.ends[0],
                "empty_cycles": process.empty_cycles,
                "full_cycles": process.full_cycles,
                "buffer_cycles": process.buffer_cycles,
                "pipelines": [_pipeline_record(found, p.name) for p in process.pipelines],
            }
            for process in trace.processes
        ],
        "fifos": [
            {
                "name": fifo.name,
                "tokens": fifo.tokens,
                "peak_elems": fifo.peak_elems,
                "depth_elems": fifo.depth_elems,
            }
            for fifo in trace.fifos
        ],
        "risks": [str(risk) for risk in found.clock_risks],
    }


def _pipeline_record(found: Evaluation, name: str) -> dict[str, Any]:
    timed = found.timed[name]
    return {
        "name": name,
        "ii": timed.timing.ii,
        "depth_cycles": timed.timing.depth_cycles,
        "reason": "" if timed.binding is None else str(timed.binding),
    }


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


@checked()
def design_record(found: RivalDesign) -> dict[str, str | int | float]:
    """Return one flat row: what the strategy believes, and what the design takes.

    Parameters
    ----------
    found
        From `design`.
    """
    answer = found.answer
    own = {
        "estimated_cycles": answer.estimated_cycles,
        "estimated_dsps": answer.estimated_dsps,
    }
    return {
        "name": found.evaluation.network.name,
        "strategy": found.strategy.value,
        **{key: value for key, value in own.items() if value is not None},
        **evaluation_record(found.evaluation),
        "fifo_channels": len(found.schedule.fifos),
        "channels": len(found.schedule.channels),
        "rewrites": " ".join(found.schedule.rewrites),
        "own_dsp_limit": found.own_dsp_limit,
        "design_seconds": round(found.seconds, 4),
    }


def warning_records(solution: Solution) -> list[dict[str, str]]:
    """Return the warnings of a solution as JSON values."""
    return [
        {
            "code": warning.code,
            "message": warning.message,
            "place": "" if warning.loc is None else str(warning.loc),
            "hint": warning.hint,
        }
        for warning in solution.warnings
    ]
