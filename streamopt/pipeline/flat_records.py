"""Solutions, fronts, evaluations and rival designs as records, for JSON, CSV and tables."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING, Any

from streamopt.errors import DesignWarning
from streamopt.ir.network import Implementation
from streamopt.ir.schedule import Schedule
from streamopt.options import checked
from streamopt.perf.resources.network import launch_cycles
from streamopt.report.record import Record
from streamopt.space.objective import FewestDsps, Interval, Latency, LatencyThenDsps
from streamopt.target.operators import OperatorsName
from streamopt.target.resources import Resources

if TYPE_CHECKING:
    from streamopt.evaluation.design import Evaluation
    from streamopt.evaluation.region_usage import RegionUsage
    from streamopt.pipeline.rivals import RivalDesign
    from streamopt.strategies.exact.front import Front
    from streamopt.strategies.solution import Solution


def evaluation_record(found: Evaluation) -> Record:
    """Return cycles and resources of a design, next to its target."""
    used, device, fifos = found.resources.total, found.target, found.network.fifos
    tokens = {fifo.name: fifo.tokens for fifo in found.trace.fifos}
    claimed, apart = found.claim, found.resources.arguments
    kept = sum(found.resources.resident.values(), Resources())
    is_kept = bool(found.resources.resident)
    regions = found.regions
    return Record(
        predicted_cycles=None if found.predicted is None else found.predicted.latency_cycles,
        simulated_cycles=found.trace.cycles,
        dsps=used.dsps,
        bram18=used.bram18,
        uram=used.uram,
        lut=used.luts,
        ff=used.ffs,
        argument_bram18=apart.bram18,
        argument_uram=apart.uram,
        regions=None if regions is None else _regions_text(regions),
        crossing_wires=None if regions is None else max(regions.wires, default=0),
        resident_bram18=kept.bram18 if is_kept else None,
        resident_uram=kept.uram if is_kept else None,
        launch_cycles=launch_cycles(found.network) if is_kept else None,
        device=device.name,
        operators=OperatorsName.OPEN if device.is_open else OperatorsName.VENDOR,
        clock_ns=device.clock_ns,
        claimed_clock_ns=round(claimed.clock_ns, 3),
        milliseconds=round(claimed.milliseconds, 6),
        routed_milliseconds=round(claimed.routed_milliseconds, 6),
        called_milliseconds=round(claimed.routed_milliseconds + found.call_ns * 1e-6, 6)
        if found.call_ns
        else None,
        beyond_routed=" ".join(claimed.most_routed),
        over=" ".join(found.over),
        clock_risks=len(found.clock_risks),
        fifo_bits=sum(f.element.bits * prod(f.lanes) * f.depth_elems for f in fifos),
        full_fifo_bits=sum(f.element.bits * tokens[f.name] for f in fifos),
    )


def _regions_text(regions: RegionUsage) -> str:
    """Return the resources of each region."""
    return "; ".join(
        f"SLR{at} {used.dsps} DSP {used.luts} LUT {used.ffs} FF {used.bram18} BRAM18 "
        f"{used.uram} URAM"
        for at, used in enumerate(regions.amounts)
    )


def share_record(found: Evaluation) -> dict[str, Any]:
    """Return the share of each resource of a region, in percent, and the region."""
    told = found.headline
    percent = {name: round(share, 2) for name, share in told.percent.items()}
    return {"percent_of": told.region, "percent": percent}


def trace_record(found: Evaluation) -> dict[str, Any]:
    """Return the whole evaluation as JSON values: the row, processes, pipelines and FIFOs."""
    trace = found.trace
    return {
        "name": trace.network,
        **evaluation_record(found),
        **share_record(found),
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
def record(solution: Solution) -> Record:
    """Return a solution as a record, with the limits that it has kept.

    A schedule of the exact search has the digest of its tuning, too.

    Parameters
    ----------
    solution
        From `solve`.
    """
    from streamopt.strategies.run import SEARCH
    from streamopt.strategies.tuning import tuning_digest

    is_searched = SEARCH in solution.solver.split("+")
    tuning = Record(tuning=tuning_digest() if is_searched else None)
    return record_of_every_level(solution) | tuning | _limit_record(solution)


def whole_record(solution: Solution) -> Record:
    """Return all that is known of a solution: of its search, its design and its choices."""
    found = solution.evaluation
    built = Record() if found is None else evaluation_record(found)
    return record(solution) | built | choice_record(solution)


def node_records(solution: Solution) -> list[dict[str, Any]]:
    """Return a row a node: its loops, its times in the model, and its run in the simulation."""
    times = {node.node: node for node in solution.prediction.nodes}
    design = solution.evaluation
    runs = {} if design is None else {run.name: run for run in design.trace.processes}
    rows: list[dict[str, Any]] = []
    for plan in solution.schedule.nodes:
        row: dict[str, Any] = {
            "node": plan.node,
            "order": " ".join(plan.order),
            "unroll": " ".join(f"{loop}:{factor}" for loop, factor in plan.unroll if factor > 1),
            "lanes": plan.lanes,
        }
        if (node := times.get(plan.node)) is not None:
            row |= {"ii": node.ii, "dsps": node.dsps, "start_cycles": node.start_cycles}
            row["first_write_cycles"] = node.first_write_cycles
            row["last_write_cycles"] = node.last_write_cycles
        if (run := runs.get(plan.node)) is not None:
            row |= {"simulated_start": run.starts[0], "simulated_end": run.ends[0]}
            row |= {"waits_for_input": run.empty_cycles, "waits_for_room": run.full_cycles}
            row["waits_for_buffer"] = run.buffer_cycles
        rows.append(row)
    return rows


def record_of_every_level(solution: Solution) -> Record:
    """Return the members that all levels have, without limits on the design as built."""
    from streamopt.perf.paper.dsp import roofline_cycles

    problem, objective = solution.problem, solution.problem.objective
    is_latency = isinstance(objective, Latency | LatencyThenDsps)
    plain = Record(
        name=problem.graph.name,
        level=problem.level.name.value,
        dsp_limit=problem.space.dsp_limit,
        tiling_limit=problem.space.tiling_limit,
        fit=solution.fit or None,
        objective=objective.name.value,
        objective_cycles=solution.latency_cycles,
        bound_cycles=solution.bound if is_latency else 0,
        gap=round(solution.gap, 6),
        proof=solution.proof.value,
        stop=solution.stop.value,
        dsps_used=solution.dsps,
        roofline_cycles=roofline_cycles(
            problem.graph,
            problem.space.dsp_limit,
            packs=problem.level.is_as_built,
            on=None if solution.evaluation is None else solution.evaluation.target,
        ),
        solver=solution.solver,
        solver_version=solution.solver_version,
        seed=solution.seed,
        solve_seconds=round(solution.solve_seconds, 4),
        message=solution.message,
        changed_by=solution.changed_by or None,
    )
    match objective:
        case Latency():
            return plain
        case Interval():
            cycles = solution.interval_cycles
            return plain | Record(interval_cycles=cycles, bound_interval_cycles=solution.bound)
        case LatencyThenDsps():
            return plain | Record(bound_dsps=solution.second_bound)
        case FewestDsps(within):
            return plain | Record(latency_target_cycles=within, bound_dsps=solution.bound)


def choice_record(solution: Solution) -> Record:
    """Return the members that only opt6 has; none at the other levels.

    Rewrites of the graph, nodes some of whose operators are LUTs by choice, how many channels are
    FIFOs, and the least latency of all schedules that were found with its gap.
    """
    if not solution.problem.level.is_as_built:
        return Record()
    schedule = solution.schedule
    fabric = [
        p for p in schedule.nodes if any(built is Implementation.FABRIC for _, built in p.binding)
    ]
    least = solution.least_found_cycles or solution.latency_cycles
    return channel_record(schedule) | Record(
        fabric_nodes=len(fabric),
        least_found_cycles=least,
        search_gap=round(solution.search_gap, 6),
    )


def channel_record(schedule: Schedule) -> Record:
    """Return the rewrites and channels of a schedule."""
    return Record(
        rewrites=" ".join(schedule.rewrites),
        fifo_channels=len(schedule.fifos),
        channels=len(schedule.channels),
    )


def _limit_record(solution: Solution) -> Record:
    """Return the limits on the design as built, and its amount of each."""
    found: dict[str, Any] = {}
    for limit, used in zip(solution.limits, solution.used, strict=True):
        key = limit.option.removeprefix("--").replace("-", "_")
        found |= {f"{key}_limit": limit.most, f"{key}_used": used}
    return Record(**found)


@checked()
def front_record(front: Front) -> list[Record]:
    """Return one record a point, the fastest first.

    Parameters
    ----------
    front
        From `pareto`.
    """
    problem = front.problem
    return [
        Record(
            name=problem.graph.name,
            level=problem.level.name.value,
            dsp_limit=problem.space.dsp_limit,
            tiling_limit=problem.space.tiling_limit,
            latency_cycles=point.cycles,
            dsps=point.dsps,
            bound_cycles=point.bound_cycles,
            bound_dsps=point.bound_dsps,
            proof="optimal" if point.is_proved else "feasible",
        )
        for point in front.points
    ]


@checked()
def design_record(found: RivalDesign) -> Record:
    """Return the strategy's own estimate, and the cycles and resources of its design.

    Parameters
    ----------
    found
        From `design`.
    """
    own = Record(
        name=found.evaluation.network.name,
        strategy=found.strategy.value,
        estimated_cycles=found.answer.estimated_cycles,
        estimated_dsps=found.answer.estimated_dsps,
        own_dsp_limit=found.own_dsp_limit,
        design_seconds=round(found.seconds, 4),
    )
    return own | evaluation_record(found.evaluation) | channel_record(found.schedule)


def warning_records(warnings: Iterable[DesignWarning]) -> list[dict[str, str]]:
    """Return warnings as JSON values."""
    return [
        {
            "code": warning.code,
            "words": warning.words,
            "cause": warning.cause,
            "remedy": warning.remedy,
            "place": "" if warning.place is None else str(warning.place),
        }
        for warning in warnings
    ]
