"""Tables of solutions and of simulated designs, with one line of proof."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from rich.table import Table

from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.schedule import Schedule
from streamopt.report.proof import proof_words
from streamopt.report.record import Record
from streamopt.space.level import LEVELS
from streamopt.space.objective import FewestDsps, Interval, Latency, LatencyThenDsps
from streamopt.target.resources import RESOURCE_WORDS, Resources

if TYPE_CHECKING:
    from streamopt.evaluation.design import Evaluation
    from streamopt.sim import Trace
    from streamopt.strategies.solution import Solution


def summary_table(solution: Solution, row: Record, found: Evaluation) -> Table:
    """Return one column of facts: what runs on the hardware first, then what is proved of what."""
    table = Table(title=f"{row['name']} at {row['level']}", show_header=False)
    closed = int(row["predicted_cycles"])
    facts = {
        **_hardware(found),
        "model": f"{solution.latency_cycles:,} cycles ({_model_of(solution)})",
        **_bounds(solution),
        "proof": proof_words(row),
        "closed form": f"{closed:,} cycles with true initiation intervals and depths",
        **_product_line(solution, found),
        **_model_dsps(solution),
        **_limits(solution),
        **_choices(row),
        "FIFOs": _fifo_words(int(row["fifo_bits"]), int(row["full_fifo_bits"])),
        "solver": f"{solution.solver} {solution.solver_version}, {solution.solve_seconds:.2f} s",
    }
    for name, fact in facts.items():
        table.add_row(name, fact)
    return table


def _hardware(found: Evaluation) -> dict[str, str]:
    """Return simulated cycles with their times, and the share of each resource."""
    told = found.headline
    facts = {"simulated": told.times, f"of {told.region}": told.shares} | dict(told.regions)
    return facts | ({"arguments": told.uncounted} if told.uncounted else {})


def _model_of(solution: Solution) -> str:
    level = solution.problem.level.name
    if any(warning.code == "W01" for warning in solution.warnings):
        return f"that of {level}, which is not the hardware here: W01"
    if LEVELS[level].is_as_built:
        return f"that of {level}, with the hardware's ports and depths"
    return f"that of {level}, as Stream-HLS publishes it"


def _product_line(solution: Solution, found: Evaluation) -> dict[str, str]:
    """Return the least cycles of the multiply-accumulates alone; nothing where there is none.

    Of programs with loop-carried dependences it is the larger of all work and the longest chain.
    """
    from streamopt.evaluation.least_cycles import bound_words, least_cycles
    from streamopt.perf.paper.dsp import multiply_accumulates, roofline_cycles, roofline_dsp_cycles

    problem = solution.problem
    if any(isinstance(node, SequentialNode) for node in problem.graph.nodes):
        lut_limits = [limit.most for limit in solution.limits if limit.option == "--lut"]
        luts = lut_limits[0] if lut_limits and problem.level.is_as_built else None
        bound = least_cycles(problem.graph, problem.space.dsp_limit, found.target, luts=luts)
        return {"at least": bound_words(bound, found.trace.cycles, luts)}
    packs = problem.level.is_as_built
    on = found.target
    cycles = roofline_cycles(problem.graph, problem.space.dsp_limit, packs=packs, on=on)
    if not cycles:
        return {}
    dsps = roofline_dsp_cycles(problem.graph, packs=packs, on=on)
    label = rate_words(dsps / multiply_accumulates(problem.graph))
    ratio = found.trace.cycles / cycles
    return {label: f"{cycles:,} cycles if all DSPs were always busy ({ratio:.2f}x)"}


def rate_words(dsps: float) -> str:
    """Return the DSPs of a multiply-accumulate in words: ``5 DSPs a MAC``, ``2 MACs a DSP``."""
    if dsps < 1:
        return f"{1 / dsps:.3g} MACs a DSP"
    return f"{dsps:.3g} DSP{'s' if dsps != 1 else ''} a MAC"


def _model_dsps(solution: Solution) -> dict[str, str]:
    """Return the design's DSPs in the paper's accounting; opt6 has that of the hardware."""
    problem = solution.problem
    if problem.level.is_as_built:
        return {}
    words = f"{solution.dsps} of {problem.space.dsp_limit} as the model counts"
    return {"DSPs": words}


def _limits(solution: Solution) -> dict[str, str]:
    """Return the amount of every resource that has a limit."""
    return {
        limit.resource: f"{used} of {limit.most}, {100 * used / max(1, limit.most):.0f} %"
        for limit, used in zip(solution.limits, solution.used, strict=True)
    }


def _choices(row: Record) -> dict[str, str]:
    """Return the decisions of opt6 in words."""
    if "rewrites" not in row:
        return {}
    found = {
        "rewrites": str(row["rewrites"]).replace(" ", ", ") or "none",
        "LUT operators": f"{row['fabric_nodes']} nodes with operators bound to LUTs",
    }
    if row["channels"]:
        share = 100 * int(row["fifo_channels"]) / int(row["channels"])
        found["channels"] = f"{row['fifo_channels']} of {row['channels']} are FIFOs ({share:.0f} %)"
    if row["least_found_cycles"] != row["objective_cycles"]:
        cycles, gap = f"{row['least_found_cycles']:,}", 100 * float(row["search_gap"])
        found["least found"] = f"{cycles} cycles in the model, gap {gap:.2f} %; simulates slower"
    return found


def _bounds(solution: Solution) -> dict[str, str]:
    """Return the bound of the objective, in its own unit."""
    gap = f"gap {100 * solution.gap:.2f} %"
    match solution.problem.objective:
        case Latency():
            return {"bound": f"{solution.bound:,} cycles, {gap}"}
        case Interval():
            return {
                "interval": f"{solution.interval_cycles:,} cycles between frames (the model)",
                "bound": f"{solution.bound:,} cycles between frames, {gap}",
            }
        case LatencyThenDsps():
            both = f"{solution.bound:,} cycles, and then {solution.second_bound} DSPs"
            return {"bound": f"{both}, {gap}"}
        case FewestDsps(within):
            return {"bound": f"{solution.bound} DSPs within {within:,} cycles, {gap}"}


def _fifo_words(bits: int, full_bits: int) -> str:
    if not full_bits:
        return "none"
    return f"{bits / 1024:.1f} Kbit; all tokens would take {full_bits / 1024:.1f} Kbit"


def node_table(schedule: Schedule, found: Evaluation) -> Table:
    """Return one row a node: loop order, unroll factors, times by the closed form, and DSPs."""
    table = Table(title="nodes (cycles predicted)")
    for name in ("node", "loop order", "unroll"):
        table.add_column(name)
    for name in ("II", "start", "first write", "last write", "lanes", "DSPs"):
        table.add_column(name, justify="right")
    assert found.predicted is not None
    for node in found.predicted.nodes:
        plan = schedule.node(node.node)
        unroll = " ".join(f"{loop}:{u}" for loop, u in plan.unroll if u > 1)
        times = (node.start_cycles, node.first_write_cycles, node.last_write_cycles)
        numbers = (node.ii, *times, node.lanes, node.dsps)
        table.add_row(node.node, " ".join(plan.order), unroll or "-", *map(str, numbers))
    return table


def channel_table(whole: Graph, schedule: Schedule, found: Evaluation) -> Table:
    """Return one row a channel: FIFO with its depth, or ping-pong with what stands against one.

    ``whole`` is the graph before the schedule's rewrites.
    """
    from streamopt.space.buffering import buffer_reason
    from streamopt.transforms.apply import planned_graph

    graph = planned_graph(whole, schedule)
    edges = {edge.channel: edge for edge in graph.edges}
    table = Table(title="channels (elements in a lane)")
    for name in ("channel", "kind"):
        table.add_column(name)
    for name in ("depth", "most in use", "all tokens"):
        table.add_column(name, justify="right")
    table.add_column("why not a FIFO")
    lanes = {fifo.name: prod(fifo.lanes) for fifo in found.network.fifos}
    for plan in schedule.channels:
        kind = plan.kind.value.replace("_", "-")
        if plan.depth_elems:
            fifo = found.trace.fifo(plan.channel)
            used = (plan.depth_elems, fifo.peak_elems, fifo.tokens // lanes[plan.channel])
            table.add_row(plan.channel, kind, *map(str, used), "")
        else:
            why = buffer_reason(graph, edges[plan.channel], schedule)
            table.add_row(plan.channel, kind, "-", "-", "-", "" if why is None else why.value)
    return table


def run_table(found: Evaluation) -> Table:
    """Return one column of facts on a run."""
    trace = found.trace
    table = Table(title=trace.network, show_header=False)
    for name, fact in _hardware(found).items():
        table.add_row(name, fact)
    if found.predicted is not None:
        table.add_row("predicted", f"{found.predicted.latency_cycles} cycles (closed form)")
    if trace.interval_cycles is not None:
        table.add_row("interval", f"{trace.interval_cycles} cycles between frames")
        table.add_row("all frames", f"{trace.total_cycles} cycles for {trace.frames}")
    return table


def process_table(found: Evaluation) -> Table:
    """Return one row a process: when it ran, what it waited for, and why its II is what it is."""
    all_frames = f", waits of {found.trace.frames} frames" if found.trace.frames > 1 else ""
    table = Table(title=f"processes (cycles{all_frames})")
    table.add_column("process")
    for name in ("start", "end", "waits: input", "room", "buffer", "II", "depth"):
        table.add_column(name, justify="right")
    table.add_column("what holds the II")
    for process in found.trace.processes:
        timed = [found.timed[pipeline.name] for pipeline in process.pipelines]
        reasons = [str(pipeline.binding) for pipeline in timed if pipeline.binding is not None]
        table.add_row(
            process.name,
            str(process.starts[0]),
            str(process.ends[0]),
            str(process.empty_cycles),
            str(process.full_cycles),
            str(process.buffer_cycles),
            " ".join(str(pipeline.timing.ii) for pipeline in timed),
            " ".join(str(pipeline.timing.depth_cycles) for pipeline in timed),
            "; ".join(reasons) or "-",
        )
    return table


def fifo_table(trace: Trace) -> Table:
    """Return one row a FIFO: tokens, and how full a stream ever was."""
    table = Table(title="FIFOs")
    table.add_column("FIFO")
    for name in ("tokens", "most in a stream", "depth of a stream"):
        table.add_column(name, justify="right")
    for fifo in trace.fifos:
        table.add_row(fifo.name, str(fifo.tokens), str(fifo.peak_elems), str(fifo.depth_elems))
    return table


def resource_table(found: Evaluation) -> Table:
    """Return the resources of the design beside one region of the device and the whole."""
    device, used = found.target, found.resources.total
    table = Table(title=f"resources on {device.name} (estimated)")
    table.add_column("")
    for name in ("used", "one SLR" if device.slrs > 1 else "", "device"):
        if name:
            table.add_column(name, justify="right")
    for kind, title in RESOURCE_WORDS.items():
        budgets = [device.slr, device.total] if device.slrs > 1 else [device.total]
        shares = [_share(used, budget, kind) for budget in budgets]
        table.add_row(title, str(getattr(used, kind)), *shares)
    return table


def _share(used: Resources, budget: Resources, kind: str) -> str:
    amount, limit = getattr(used, kind), getattr(budget, kind)
    if not limit:
        return "none" if not amount else "OVER: has none"
    mark = "OVER: " if amount > limit else ""
    return f"{mark}{100 * amount / limit:.0f} % of {limit}"
