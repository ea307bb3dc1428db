"""Warnings of a solution, as values: facts to know before a design is built.

A proof is of a model. Where the simulator says something else than the model, where a design will
be hard to place, and where a claim is nobody's proof, a warning says so, with its cause and what
to do about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic
from streamopt.evaluation.frames import frames_to_run, skips, steady_interval_cycles
from streamopt.ir.graph import SequentialNode
from streamopt.ir.network import Place
from streamopt.ir.schedule import MOST_ARGUMENT_BANKS, PUBLISHED_ARGUMENT_BANKS
from streamopt.perf.pipelines.timings import Reason
from streamopt.solvers.result import Proof
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import Interval
from streamopt.target.device import or_usual
from streamopt.transforms.apply import planned_graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamopt.ir.graph import Graph
    from streamopt.ir.network import Network
    from streamopt.ir.schedule import NodePrediction, Prediction, Schedule
    from streamopt.perf.pipelines.clock import ClockRisk
    from streamopt.perf.pipelines.timings import TimedPipeline
    from streamopt.sim import Trace
    from streamopt.strategies.solution import Solution
    from streamopt.target.device import Target
    from streamopt.target.resources import Resources

__all__ = ["FAR", "Judged", "judged", "solution_warnings"]

FAR = 0.05
"""Share by which model and simulation may differ before it is said."""
CROWDED = 0.7
"""Share of the LUTs of a region above which tools hardly reach the clock."""

_MISSES = {
    Reason.MEMORY_PORTS: "port conflicts",
    Reason.STREAM_PORTS: "port conflicts",
    Reason.RECURRENCE: "a recurrence",
    Reason.CHANNEL: "the rate of memory off the chip",
    Reason.TARGET: "an initiation interval",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A design as it is built and runs.

    Attributes
    ----------
    predicted
        The closed form with the hardware's initiation intervals and depths.
    pipelines
        By node, the pipelines that carry it out.
    cycles
        Latency in the simulation.
    banks
        Of each argument.
    frames
        The simulation of several frames; None where nobody asks for their distance.
    """

    target: Target
    predicted: Prediction
    pipelines: Mapping[str, tuple[TimedPipeline, ...]]
    used: Resources
    clock_risks: tuple[ClockRisk, ...]
    cycles: int
    banks: Mapping[str, int]
    frames: Trace | None = None


def judged(
    graph: Graph,
    schedule: Schedule,
    on: Target | None,
    *,
    cycles: int | None = None,
    frames: bool = False,
) -> Judged:
    """Return the warnings of a design as built.

    Parameters
    ----------
    cycles
        Simulated latency, where it is known already.
    frames
        Whether several frames are simulated too.

    Raises
    ------
    SimulationError
        If the design comes to a standstill.
    """
    from streamopt.perf.as_built.closed_form import node_pipelines, predict
    from streamopt.perf.pipelines.clock import clock_risks
    from streamopt.perf.pipelines.timings import timed_pipelines
    from streamopt.perf.resources.network import resources
    from streamopt.sim import simulate
    from streamopt.transforms.apply import apply
    from streamopt.transforms.lower import lower

    device = or_usual(on)
    scheduled = apply(graph, schedule)
    network: Network = lower(scheduled)
    timed = timed_pipelines(network, device)
    timings = {name: found.timing for name, found in timed.items()}
    used = resources(network, timings, device)
    dsps = {name: amount.dsps for name, amount in used.pipelines.items()}
    own = node_pipelines(scheduled, network)
    count = frames_to_run(graph, schedule)
    return Judged(
        target=device,
        predicted=predict(scheduled, network, timings, dsps),
        pipelines={name: tuple(timed[p.name] for p in each) for name, each in own.items()},
        used=used.total,
        clock_risks=clock_risks(network, timings, device),
        cycles=simulate(network, timings).cycles if cycles is None else cycles,
        banks={m.name: prod(m.factors) for m in network.memories if m.place is Place.ARGUMENT},
        frames=simulate(network, timings, frames=count) if frames else None,
    )


def solution_warnings(solution: Solution, design: Judged) -> tuple[Diagnostic, ...]:
    """Return the warnings of a solution, the most important first.

    W01, W02
        Model and simulation differ by more than 5 % in the latency, or in the distance of frames.
    W03
        A solver says that the schedule is optimal, and nothing certifies it.
    W04, W05
        More of a resource than the device has; more than 70 % of the LUTs of a region.
    W06, W07
        A sum that puts the clock at risk; a node whose iterations run one after another.
    W08
        An argument in more banks than any published design has.
    """
    return (
        *_latency(solution, design),
        *_interval(solution, design),
        *_claim(solution),
        *_amounts(design),
        *(Diagnostic("W06", f"clock risk: {risk}") for risk in design.clock_risks),
        *_sequential(planned_graph(solution.problem.graph, solution.schedule)),
        *_banks(design.banks),
    )


def _differ(modelled: int, simulated: int) -> bool:
    return abs(simulated - modelled) > FAR * modelled


def _latency(solution: Solution, design: Judged) -> Iterator[Diagnostic]:
    level, modelled = solution.problem.level.name, solution.latency_cycles
    is_asked = not isinstance(solution.problem.objective, Interval)
    if not (is_asked and _differ(modelled, design.cycles)):
        return
    numbers = f"({design.cycles} cycles simulated, {modelled} modelled)"
    what, why = _cause(solution, design)
    hint = "the simulated cycles are those of the hardware"
    if not LEVELS[level].is_as_built:
        hint = f"try --level {LevelName.OPT6}, whose model has the hardware's ports and depths"
    yield Diagnostic("W01", f"the {level} model misses {what} here {numbers}: {why}", hint=hint)


def _cause(solution: Solution, design: Judged) -> tuple[str, str]:
    """Return the effects that the model misses, in general and at the node where they cost most."""
    own = {node.node: node for node in design.predicted.nodes}
    graph = planned_graph(solution.problem.graph, solution.schedule)
    sign = 1 if design.cycles > solution.latency_cycles else -1
    excess, name, modelled = max(
        (
            (sign * (_span(own[node.node]) - _span(node)), node.node, node)
            for node in solution.prediction.nodes
        ),
        key=lambda found: found[:2],
    )
    closest = abs(design.cycles - design.predicted.latency_cycles)
    if 2 * closest > abs(design.cycles - solution.latency_cycles) or excess <= 0:
        word = "longer" if sign > 0 else "shorter"
        return "waits between nodes", f"they wait for each other's data {word} than it says"
    is_sequential = isinstance(graph.node(name), SequentialNode)
    if is_sequential or sign < 0:
        what = "the pace of a sequential node" if is_sequential else f"the pace of {name}"
        return what, f"{name} takes {_span(own[name])} cycles, not {_span(modelled)}"
    bounds = [pipeline.binding for pipeline in design.pipelines[name]]
    binding = next((bound for bound in bounds if bound is not None), None)
    if own[name].ii == modelled.ii:
        depth = max(pipeline.timing.depth_cycles for pipeline in design.pipelines[name])
        return "the depth of pipelines", f"{name} has {depth} cycles from its reads to its writes"
    what = "initiation intervals" if binding is None else _MISSES[binding.reason]
    reason = "" if binding is None else f" because of {str(binding).rpartition(':')[0]}"
    return what, f"{name} has an II of {own[name].ii} instead of {modelled.ii}{reason}"


def _span(node: NodePrediction) -> int:
    return node.last_write_cycles - node.start_cycles


def _interval(solution: Solution, design: Judged) -> Iterator[Diagnostic]:
    if not isinstance(solution.problem.objective, Interval) or design.frames is None:
        return
    modelled, simulated = solution.interval_cycles, steady_interval_cycles(design.frames)
    if not _differ(modelled, simulated):
        return
    word = "later" if simulated > modelled else "closer"
    numbers = f"({simulated} cycles between frames simulated, {modelled} modelled)"
    yield Diagnostic(
        "W02",
        f"frames follow each other {word} than the model says {numbers}: "
        + _pace(solution, design, design.frames, simulated),
        hint="the simulated cycles are those of the hardware",
    )


def _pace(solution: Solution, design: Judged, frames: Trace, simulated: int) -> str:
    """Return who sets the distance of frames."""
    runs = [
        (max(map(int.__sub__, process.ends, process.starts)), process.name)
        for process in frames.processes
    ]
    longest, name = max(runs)
    waits, waiting = max((p.buffer_cycles, p.name) for p in frames.processes)
    if waits < simulated or not _differ(simulated, longest):
        found = f"{name} runs for {longest} cycles"
        reasons = [p.binding for p in design.pipelines.get(name, ()) if p.binding is not None]
        return f"{found} because of {reasons[0]}" if reasons else found
    found = f"{waiting} waits {waits} cycles in {frames.frames} frames for ping-pong buffers"
    past = [
        f"{channel} ({span} levels)"
        for span, channel in skips(solution.problem.graph, solution.schedule)
    ]
    return f"{found}; channels past longer paths: {', '.join(past[:3])}" if past else found


def _claim(solution: Solution) -> Iterator[Diagnostic]:
    if solution.proof is Proof.CLAIMED:
        solver = f"{solution.solver} {solution.solver_version}"
        message = f"{solver} says that nothing is better, which no certificate confirms"
        hint = "--solver search proves in integers; it is the default"
        yield Diagnostic("W03", message, hint=hint)


def _amounts(design: Judged) -> Iterator[Diagnostic]:
    device = design.target
    for name in design.used.over(device.total):
        used, most = getattr(design.used, name), getattr(device.total, name)
        message = f"{used} {_WORDS[name]} are more than the {most} of {device.name}"
        yield Diagnostic("W04", message, hint="ask for a design that fits: --fit slr")
    share = design.used.luts / max(1, device.slr.luts)
    if share > CROWDED and "luts" not in design.used.over(device.total):
        region = "an SLR" if device.slrs > 1 else device.name
        message = f"{design.used.luts} LUTs are {100 * share:.0f} % of {region}"
        message += ", which will hardly be routed at the clock"
        hint = f"give a limit that can be routed: --lut {int(CROWDED * device.slr.luts)}"
        yield Diagnostic("W05", message, hint=hint)


_WORDS = {"dsps": "DSPs", "bram18": "BRAM18", "uram": "URAM", "luts": "LUTs", "ffs": "FFs"}


def _banks(banks: Mapping[str, int]) -> Iterator[Diagnostic]:
    for name, count in banks.items():
        if count > PUBLISHED_ARGUMENT_BANKS:
            message = f"argument {name} is split into {count} banks, each a port of the kernel; "
            message += f"no published report has more than {PUBLISHED_ARGUMENT_BANKS}"
            hint = f"solve with --level opt6 and --banks {MOST_ARGUMENT_BANKS}, or fewer DSPs"
            yield Diagnostic("W08", message, hint=hint)


def _sequential(graph: Graph) -> Iterator[Diagnostic]:
    for node in graph.nodes:
        if isinstance(node, SequentialNode):
            message = f"{node.name} is sequential" + (f": {node.reason}" if node.reason else "")
            hint = "its loops are neither reordered nor unrolled"
            yield Diagnostic("W07", message, node.loc, hint)
