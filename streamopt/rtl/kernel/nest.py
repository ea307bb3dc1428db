"""A sequential node as kernels: copies in, its phases, which take turns, and copies out.

Every value of a phase gets the first cycle in which it can be there, and is read as late as what it
is needed for allows. A bank has few ports: all reads of a memory stand in one stage, whichever
phase's turn it is, and so do all writes, unless an iteration reads what it has written. Visits then
last as long as they must for every read to find what it is meant to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from streamopt.ir.affine import Affine
from streamopt.ir.network import (
    AccessMode,
    Memory,
    Network,
    Pipeline,
    TurnItem,
    TurnLoop,
    Turns,
)
from streamopt.ir.program import Loop
from streamopt.ir.scheduled import ScheduledGraph, ScheduledNode
from streamopt.ir.stepping.stepped import LanedPhase, SteppedNest, walk_laned
from streamopt.ir.stepping.steps import StepLoop
from streamopt.perf.turns.bubbles import least_lengths
from streamopt.perf.turns.draining import draining_cycles
from streamopt.perf.turns.layout import TimedTurn
from streamopt.rtl.kernel.accesses import PortAccesses
from streamopt.rtl.kernel.kernel import (
    TURN,
    BuiltTurns,
    Computed,
    Held,
    HeldWrite,
    Kernel,
    KernelValue,
    LanesCombined,
    Masked,
)
from streamopt.rtl.kernel.phase import PhaseMaker
from streamopt.rtl.kernel.phase_parts import (
    Alike,
    NestParts,
    PhaseParts,
    alike_values,
    not_at_once,
    word_cycles,
)
from streamopt.rtl.kernel.refusals import refused
from streamopt.rtl.kernel.values import ValueList
from streamopt.rtl.operators.number_format import format_of, plain


def nest_kernels(
    scheduled: ScheduledGraph,
    node: ScheduledNode,
    pipelines: Sequence[Pipeline],
    turns: Turns,
    network: Network,
) -> tuple[Kernel, ...]:
    """Return the kernels of a sequential node, in order.

    Parameters
    ----------
    pipelines, turns
        Of the node.
    """
    memories = {memory.name: memory for memory in network.memories}
    taking = [pipeline for pipeline in pipelines if pipeline.name in turns.pipelines]
    at = pipelines.index(taking[0])
    phases = _phases(scheduled, node, taking, turns, memories)
    before = [_copy(node, pipeline, memories) for pipeline in pipelines[:at]]
    after = [_copy(node, pipeline, memories) for pipeline in pipelines[at + len(taking) :]]
    return (*before, phases, *after)


def _copy(node: ScheduledNode, pipeline: Pipeline, memories: Mapping[str, Memory]) -> Kernel:
    """Return the kernel of a copy of an array: one read, and a write for each memory."""
    accesses = PortAccesses(node, pipeline, memories)
    values = ValueList({loop.name: loop.trip_count for loop in pipeline.lanes}, 1)
    writes: list[HeldWrite] = []
    for port in pipeline.ports:
        memory = memories[port.target]
        if port.mode is AccessMode.READ:
            wait, (places, lanes) = word_cycles(memory), accesses.each(port)
            source = Held(memory.name, places, wait)
            values.put(port.value, plain(format_of(memory.element)), lanes, wait, source)
            continue
        value = values[port.value]
        places, lanes = accesses.each(port, value.lanes)
        whens = accesses.by_lane(port.guard, lanes)
        writes.append(HeldWrite(memory.name, places, lanes, value.name, value.last, whens))
    depth = max(write.stage for write in writes) + 1
    return Kernel(
        pipeline.name, pipeline.tiles, pipeline.lanes, 1, depth, values.made, (), tuple(writes), ()
    )


def _phases(
    scheduled: ScheduledGraph,
    node: ScheduledNode,
    pipelines: Sequence[Pipeline],
    turns: Turns,
    memories: Mapping[str, Memory],
) -> Kernel:
    """Return the kernel of the phases."""
    nest = node.stepped
    assert nest is not None
    tiles = {tile.name: tile for pipeline in pipelines for tile in pipeline.tiles}
    for pipeline in pipelines:
        for tile in pipeline.tiles:
            most = max(tile.trip_count, tiles[tile.name].trip_count)
            tiles[tile.name] = Loop(tile.name, most)
    lanes = {lane.name: lane for pipeline in pipelines for lane in pipeline.lanes}
    if any(lanes[lane.name] != lane for pipeline in pipelines for lane in pipeline.lanes):
        raise refused("lanes of a loop differ from phase to phase", node)
    loops = (Loop(TURN, len(pipelines)), *tiles.values())
    together = replace(pipelines[0], tiles=loops, lanes=tuple(lanes.values()), partial_tiles=())
    trips = {loop.name: loop.trip_count for loop in together.lanes}
    parts = NestParts(
        node,
        nest,
        {array.name: array for array in scheduled.graph.arrays},
        _held_in(scheduled, node, nest, memories),
        together.tiles,
        together.lanes,
        PortAccesses(node, together, memories),
        ValueList(trips, 1),
    )
    made, alike = _made(parts, [*walk_laned(nest.items)])
    while apart := not_at_once(alike):
        parts = replace(parts, values=ValueList(trips, 1, apart))
        made, alike = _made(parts, [*walk_laned(nest.items)])
    values, writes = _placed(parts, made)
    cycles = tuple(
        (pipeline.name, _port_cycles(pipeline, phase, values, own))
        for pipeline, phase, own in zip(pipelines, made, writes, strict=True)
    )
    timed = [*map(TimedTurn, pipelines, (own for _, own in cycles))]
    every = tuple(write for own in writes for write in own)
    return Kernel(
        f"{turns.name}.turns",
        together.tiles,
        together.lanes,
        turns.ii,
        max(write.stage for write in every) + 1,
        tuple(values.values()),
        (),
        every,
        (),
        BuiltTurns(
            _lasting(turns, timed, memories),
            cycles,
            tuple(tuple((turn, value.name) for turn, value in group) for group in alike),
        ),
    )


def _made(
    parts: NestParts, phases: Sequence[tuple[LanedPhase, Sequence[StepLoop]]]
) -> tuple[list[PhaseParts], list[Alike]]:
    """Return phases, and the values for which they use operators together."""
    made: list[PhaseParts] = []
    own: list[tuple[KernelValue, ...]] = []
    for turn, (laned, around) in enumerate(phases):
        before = len(parts.values.made)
        made.append(PhaseMaker(parts, laned, around, turn).made())
        own.append(parts.values.made[before:])
    trips = {loop.name: loop.trip_count for loop in parts.lanes}
    return made, alike_values([laned for laned, _ in phases], own, trips)


def _held_in(
    scheduled: ScheduledGraph,
    node: ScheduledNode,
    nest: SteppedNest,
    memories: Mapping[str, Memory],
) -> dict[str, Memory]:
    """Return the memory of each array that a node holds, by the node's name for it."""
    return {
        held.name: memories[
            _outside(scheduled, node, held.array, memories)
            if held.is_outside
            else f"{nest.node}.{held.name}"
        ]
        for held in nest.memories
    }


def _outside(
    scheduled: ScheduledGraph, node: ScheduledNode, array: str, memories: Mapping[str, Memory]
) -> str:
    """Return the name of the memory that an array outside is in."""
    boundary = f"{array}.argument" if f"{array}.argument" in memories else array
    name = node.node.name
    for channel in scheduled.channels:
        edge = channel.edge
        if edge.array == array and (edge.consumer == name or boundary not in memories):
            return edge.channel
    return boundary


def _placed(
    parts: NestParts, made: Sequence[PhaseParts]
) -> tuple[dict[str, KernelValue], list[list[HeldWrite]]]:
    """Return values and writes in the stages in which ports are shared."""
    values = {value.name: value for value in parts.values.made}
    late = {name for phase in made for name in phase.late}
    apart = {
        value.source.memory
        for value in values.values()
        if isinstance(value.source, Held) and (value.name in late or not value.source.wait)
    }
    landing: dict[str, int] = {}
    for one in (one for phase in made for one in phase.writes):
        at = one.write.stage - one.rank
        landing[one.write.memory] = max(at, landing.get(one.write.memory, at))
    named = {memory.name: memory for memory in parts.memories.values()}
    together = {name for name in landing if name not in apart and word_cycles(named[name])}
    writes = [
        [
            replace(one.write, stage=landing[one.write.memory] + one.rank)
            if one.write.memory in together
            else one.write
            for one in phase.writes
        ]
        for phase in made
    ]
    needed = dict[str, int]()
    for name, stage in _uses(parts, writes):
        needed[name] = min(stage, needed.get(name, stage))
    reads: dict[str, list[KernelValue]] = {}
    for value in values.values():
        if isinstance(value.source, Held) and value.name not in late:
            over = [
                write.stage + value.source.wait
                for write in writes[value.source.turn]
                if write.memory == value.source.memory
            ]
            stage = max(value.stage, min([needed.get(value.name, value.stage), *over]))
            values[value.name] = replace(value, stage=stage)
            reads.setdefault(value.source.memory, []).append(values[value.name])
    for name, own in reads.items():
        if name not in apart:
            first = min(value.stage for value in own)
            values |= {value.name: replace(value, stage=first) for value in own}
    return values, writes


def _uses(parts: NestParts, writes: Sequence[Sequence[HeldWrite]]) -> Iterator[tuple[str, int]]:
    """Yield the names of values with the stages in which they are taken."""
    trips = {loop.name: loop.trip_count for loop in parts.lanes}
    for value in parts.values.made:
        match value.source:
            case Computed(leaf, operands):
                yield from ((name, value.stage - leaf.levels) for name in operands)
            case LanesCombined() as source:
                yield source.operand, value.stage - source.levels(trips)
            case Masked() as source:
                yield from ((name, value.stage) for name in source.operands)
            case _:
                pass
    for write in (write for own in writes for write in own):
        yield from ((name, write.stage) for name in (write.value, write.truth) if name)


def _port_cycles(
    pipeline: Pipeline,
    phase: PhaseParts,
    values: Mapping[str, KernelValue],
    writes: Sequence[HeldWrite],
) -> tuple[int, ...]:
    """Return the cycles of a pipeline's ports; see `PipelineTiming.port_cycles`.

    Accesses of equal subscripts are in the same order there.
    Elements that move into a window are read with those that it serves.
    """
    reads: dict[str, list[tuple[object, int]]] = {}
    for (memory, subscripts), names in phase.reads.items():
        for value in map(values.__getitem__, names):
            assert isinstance(value.source, Held)
            at = value.stage - value.source.wait
            reads.setdefault(memory, []).append((subscripts, at))
    written: dict[str, list[tuple[object, int]]] = {}
    for one, write in zip(phase.writes, writes, strict=True):
        written.setdefault(write.memory, []).append((one.place[0], write.stage + 1))
    passed = Counter[tuple[bool, str, tuple[Affine, ...]]]()
    found: list[int] = []
    for port in pipeline.ports:
        is_read = port.mode is AccessMode.READ
        pairs = (reads if is_read else written)[port.target]
        own = [at for subscripts, at in pairs if subscripts == port.subscripts]
        key = is_read, port.target, port.subscripts
        some = own[passed[key] :][:1] or own or [at for _, at in pairs]
        passed[key] += 1
        found.append(min(some) if is_read else max(some))
    return tuple(found)


def _lasting(turns: Turns, timed: Sequence[TimedTurn], memories: Mapping[str, Memory]) -> Turns:
    """Return pipelines in turn with how long their visits last at least."""
    plain_turns = replace(turns, items=tuple(_with_lengths(i, {}) for i in turns.items))
    drained = draining_cycles(plain_turns, timed, memories)
    lengths = {
        name: (own.least, max(own.last, drained.get(name, 1)))
        for name, own in zip(turns.pipelines, least_lengths(plain_turns, timed), strict=True)
    }
    return replace(turns, items=tuple(_with_lengths(item, lengths) for item in turns.items))


def _with_lengths(item: TurnItem, lengths: Mapping[str, tuple[int, int]]) -> TurnItem:
    if isinstance(item, TurnLoop):
        return replace(item, items=tuple(_with_lengths(own, lengths) for own in item.items))
    least, last = lengths.get(item.pipeline, (1, 1))
    return replace(item, least_cycles=least, last_cycles=last)
