"""Model against simulation, in the latency (W01) and in the distance of frames (W02)."""

from collections.abc import Iterator, Mapping

from streamopt.errors import DesignWarning, SourceLoc
from streamopt.evaluation.design import Evaluation
from streamopt.evaluation.frames import skips, steady_interval_cycles
from streamopt.ir.graph import SequentialNode
from streamopt.ir.schedule import NodePrediction
from streamopt.perf.as_built.closed_form import node_pipelines
from streamopt.perf.pipelines.timings import Reason
from streamopt.sim import Trace
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import Interval, ObjectiveName
from streamopt.strategies.solution import Solution
from streamopt.transforms.apply import apply, planned_graph

FAR = 0.05
"""Share by which model and simulation may differ before it is said."""

_MISSES = {
    Reason.MEMORY_PORTS: "port conflicts",
    Reason.STREAM_PORTS: "port conflicts",
    Reason.RECURRENCE: "a recurrence",
    Reason.CIRCLE: "a recurrence",
    Reason.CHANNEL: "the rate of memory off the chip",
    Reason.TARGET: "an initiation interval",
}


def latency_warnings(solution: Solution, design: Evaluation) -> Iterator[DesignWarning]:
    """Yield W01 where the latency of the model isn't that of the simulation."""
    level, modelled = solution.problem.level.name, solution.latency_cycles
    is_asked = not isinstance(solution.problem.objective, Interval)
    if not (is_asked and _differ(modelled, design.trace.cycles)):
        return
    numbers = f"({design.trace.cycles} cycles simulated, {modelled} modelled)"
    effect, cause, place = _missed(solution, design)
    remedy = "the simulated cycles are those of the hardware"
    if not LEVELS[level].is_as_built:
        remedy = f"try --level {LevelName.OPT6}, whose model has the hardware's ports and depths"
    words = f"the {level} model misses {effect} here {numbers}"
    yield DesignWarning("W01", words, cause, remedy=remedy, place=place)


def _missed(solution: Solution, design: Evaluation) -> tuple[str, str, SourceLoc | None]:
    """Return the effect that a model misses, its cause at the costliest node, and its place."""
    assert design.predicted is not None
    own = {node.node: node for node in design.predicted.nodes}
    simulated = design.trace.cycles
    sign = 1 if simulated > solution.latency_cycles else -1
    rows = {node.node: node for node in solution.prediction.nodes}
    excess, name = max((sign * (_span(own[at]) - _span(row)), at) for at, row in rows.items())
    modelled = rows[name]
    closest = abs(simulated - design.predicted.latency_cycles)
    if 2 * closest > abs(simulated - solution.latency_cycles) or excess <= 0:
        word = "longer" if sign > 0 else "shorter"
        return "waits between nodes", f"they wait for each other's data {word} than it says", None
    node = planned_graph(solution.problem.graph, solution.schedule).node(name)
    is_sequential = isinstance(node, SequentialNode)
    if is_sequential or sign < 0:
        what = "the pace of a sequential node" if is_sequential else f"the pace of {name}"
        cause = f"{name} takes {_span(own[name])} cycles, not {_span(modelled)}"
        return what, cause, node.loc
    scheduled = apply(solution.problem.graph, solution.schedule)
    timed = [design.timed[p.name] for p in node_pipelines(scheduled, design.network)[name]]
    if own[name].ii == modelled.ii:
        depth = max(pipeline.timing.depth_cycles for pipeline in timed)
        cause = f"{name} has {depth} cycles from its reads to its writes"
        return "the depth of pipelines", cause, node.loc
    binding = next((each.binding for each in timed if each.binding is not None), None)
    what = "initiation intervals" if binding is None else _MISSES[binding.reason]
    reason = "" if binding is None else f" because of {binding.cause}"
    cause = f"{name} has an II of {own[name].ii} instead of {modelled.ii}{reason}"
    return what, cause, node.loc


def recorded_warnings(
    result: Mapping[str, str | float | None], design: Evaluation
) -> Iterator[DesignWarning]:
    """Yield W01 for a schedule of which only the record of its solution is left."""
    modelled, level = result.get("objective_cycles"), result.get("level")
    is_asked = result.get("objective") != ObjectiveName.INTERVAL
    simulated = design.trace.cycles
    if modelled and level and is_asked and _differ(int(modelled), simulated):
        words = f"the {level} model is far from the hardware here"
        cause = f"{simulated} cycles simulated, {modelled} modelled"
        remedy = "the simulated cycles are those of the hardware"
        yield DesignWarning("W01", words, cause, remedy=remedy)


def interval_warnings(
    solution: Solution, design: Evaluation, frames: Trace | None
) -> Iterator[DesignWarning]:
    """Yield W02 where frames don't follow each other as the model says; without frames nothing."""
    if not isinstance(solution.problem.objective, Interval) or frames is None:
        return
    modelled, simulated = solution.interval_cycles, steady_interval_cycles(frames)
    if not _differ(modelled, simulated):
        return
    word = "later" if simulated > modelled else "closer"
    numbers = f"({simulated} cycles between frames simulated, {modelled} modelled)"
    words = f"frames follow each other {word} than the model says {numbers}"
    remedy = "the simulated cycles are those of the hardware"
    cause = _pace(solution, design, frames, simulated)
    yield DesignWarning("W02", words, cause, remedy=remedy)


def _pace(solution: Solution, design: Evaluation, frames: Trace, simulated: int) -> str:
    """Return the process that sets the distance of frames."""
    longest, slowest = max(
        ((max(map(int.__sub__, p.ends, p.starts)), p) for p in frames.processes),
        key=lambda found: (found[0], found[1].name),
    )
    waits, waiting = max((p.buffer_cycles, p.name) for p in frames.processes)
    if waits < simulated or not _differ(simulated, longest):
        found = f"{slowest.name} runs for {longest} cycles"
        bounds = [design.timed[pipeline.name].binding for pipeline in slowest.pipelines]
        reasons = [bound for bound in bounds if bound is not None]
        return f"{found} because of {reasons[0]}" if reasons else found
    found = f"{waiting} waits {waits} cycles in {frames.frames} frames for ping-pong buffers"
    past = [
        f"{channel} ({span} levels)"
        for span, channel in skips(solution.problem.graph, solution.schedule)
    ]
    return f"{found}; channels past longer paths: {', '.join(past[:3])}" if past else found


def _differ(modelled: int, simulated: int) -> bool:
    return abs(simulated - modelled) > FAR * modelled


def _span(node: NodePrediction) -> int:
    return node.last_write_cycles - node.start_cycles
