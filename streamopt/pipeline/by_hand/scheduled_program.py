"""A program under a user's steps: what they make of it, and what they leave to a solver."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from streamopt.evaluation.fifo_sizing import LEAST_FIFOS
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.loop_steps import LoopStep, Partition, PipelineLoop, Step, Unroll
from streamopt.ir.program import Nest, Program
from streamopt.ir.source import Source
from streamopt.pipeline.reading import dataflow
from streamopt.pipeline.rivals import RivalDesign, designed
from streamopt.space.fixed import Fixed
from streamopt.strategies.pom import dependence_steps, design
from streamopt.strategies.rival import RivalName, RivalRequest
from streamopt.target.device import Target, or_usual
from streamopt.transforms.restructure import restructure
from streamopt.transforms.scheduling import generated, lifted, timed_program, transformed
from streamopt.transforms.scheduling.directives import (
    loop_of,
    partition_factors,
    unroll_factors,
    with_lanes,
)
from streamopt.transforms.scheduling.timed import TimedProgram

LoopKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ScheduledProgram:
    """A source as written, and the steps taken on it."""

    origin: Program | Source
    first: TimedProgram
    """The loops as written."""
    timed: TimedProgram
    """The loops after the steps."""
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Decided:
    """The result of steps: a program, its graph, and the fixed part of the graph's schedule."""

    program: Program
    graph: Graph
    fixed: Fixed
    intervals: Mapping[str, int]
    """By node: the initiation interval that is asked for."""


def scheduled_program(origin: Program | Source) -> ScheduledProgram:
    """Return a program or source on which no steps are taken yet."""
    source = origin if isinstance(origin, Source) else lifted(origin)
    timed = timed_program(source)
    return ScheduledProgram(origin, timed, timed)


def with_step(before: ScheduledProgram, step: Step) -> ScheduledProgram:
    """Return the program with one more step.

    Raises
    ------
    LegalityError
        As `streamopt.transforms.scheduling.transformed.transformed`; also where an earlier step
        unrolls or pipelines a loop that is no longer there (E232).
    """
    timed = before.timed
    if not isinstance(step, PipelineLoop | Unroll | Partition):
        timed = transformed(timed, step)
    after = replace(before, timed=timed, steps=(*before.steps, step))
    unroll_factors(timed, after.steps)
    return after


def decided(scheduled: ScheduledProgram) -> Decided:
    """Return the program of the steps, and what they leave no choice about.

    Raises
    ------
    LegalityError
        If a step can't be carried out on the program's graph, as its own documentation says.
    """
    asked = unroll_factors(scheduled.timed, scheduled.steps)
    whole = {key for key, factor in asked.items() if factor == _iterations(scheduled.timed, key)}
    timed, lanes = with_lanes(scheduled.timed, whole)
    asked = {key: own for key, own in asked.items() if _has_loop(timed, key)}
    asked |= {key: asked.get(key, 1) * factor for key, factor in lanes.items()}
    program, iterators = _program(scheduled, timed)
    graph = dataflow(program)
    nodes = {node.name: node for node in graph.nodes}
    factors: dict[LoopKey, int] = {}
    for (name, loop), factor in asked.items():
        iterator = iterators.get((name, loop))
        if iterator is not None:
            node = nodes.get(name)
            factors[name, iterator if node is None else loop_of(node, iterator)] = factor
    factors |= partition_factors(graph, scheduled.steps)
    pipelined = {step.node for step in scheduled.steps if isinstance(step, PipelineLoop)}
    moved = {
        own.name
        for own, first in zip(scheduled.timed.statements, scheduled.first.statements, strict=True)
        if own.loops != first.loops
    }
    orders = {
        name: tuple(nodes[name].trip_counts)
        for name in sorted(moved | pipelined)
        if name in nodes and not isinstance(nodes[name], SequentialNode)
    }
    intervals = {
        step.node: step.ii
        for step in scheduled.steps
        if isinstance(step, PipelineLoop) and step.ii is not None
    }
    return Decided(program, graph, Fixed(orders, factors), intervals)


def _iterations(timed: TimedProgram, key: LoopKey) -> int:
    statement = timed.statement(key[0])
    low, high = statement.reach(statement.depth(key[1]))
    return high - low + 1


def _has_loop(timed: TimedProgram, key: LoopKey) -> bool:
    return key[1] in {loop.name for loop in timed.statement(key[0]).loops}


def _program(
    scheduled: ScheduledProgram, timed: TimedProgram
) -> tuple[Program, Mapping[LoopKey, str]]:
    """Return the program of new times, and what it calls the loops of statements."""
    origin = scheduled.origin
    if isinstance(origin, Program):
        names = _reorderings(origin, scheduled.first, timed)
        if names is not None:
            return _reordered(origin, timed, names), names
    loops = generated(timed)
    program = restructure(loops.source)
    if isinstance(origin, Program):
        known = {array.name: array.role for array in origin.arrays}
        arrays = tuple(replace(a, role=known.get(a.name, a.role)) for a in program.arrays)
        program = replace(program, arrays=arrays, values=origin.values, sample=origin.sample)
    return program, loops.iterators


def _reorderings(
    program: Program, first: TimedProgram, timed: TimedProgram
) -> Mapping[LoopKey, str] | None:
    """Return by loop its name in the program, if loops of streaming nests are all that moved."""
    streaming = {nest.name for nest in program.nests if not nest.sequential}
    names: dict[LoopKey, str] = {}
    for before, after in zip(first.statements, timed.statements, strict=True):
        known = {loop.value: loop.name for loop in before.loops}
        is_same = after.loops == before.loops
        if before.position[0] != after.position[0] or len(after.loops) != len(before.loops):
            return None
        if not is_same and before.name not in streaming:
            return None
        if {loop.value for loop in after.loops} != {*known}:
            return None
        names |= {(after.name, loop.name): known[loop.value] for loop in after.loops}
    return names


def _reordered(program: Program, timed: TimedProgram, names: Mapping[LoopKey, str]) -> Program:
    orders = {
        own.name: [names[own.name, loop.name] for loop in own.loops] for own in timed.statements
    }

    def ordered(nest: Nest) -> Nest:
        if nest.sequential:
            return nest
        loops = {loop.name: loop for loop in nest.loops}
        return replace(nest, loops=tuple(loops[name] for name in orders[nest.name]))

    return replace(program, nests=tuple(map(ordered, program.nests)))


def automatic_steps(scheduled: ScheduledProgram) -> tuple[LoopStep, ...]:
    """Return the steps of the first stage, none for statements that a user has taken steps for."""
    kept = frozenset(step.node for step in scheduled.steps if not isinstance(step, Partition))
    return dependence_steps(scheduled.timed, kept).steps


def automatic_design(found: Decided, dsp: int, on: Target | None = None) -> RivalDesign:
    """Return the design of the second stage, which keeps to what is fixed.

    Raises
    ------
    StrategyError
        As `streamopt.pipeline.rivals.design`, and E561.
    """
    request = RivalRequest(found.graph, dsp, or_usual(on))
    strategy = partial(design, fixed=found.fixed)
    return designed(RivalName.POM, strategy, request, LEAST_FIFOS)
