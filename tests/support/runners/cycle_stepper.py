"""A simulator that steps cycle by cycle: written from the rules, to check the fast one by.

It visits every iteration, evaluates every guard at it, moves every iteration in flight from stage
to stage, and counts the elements of every stream. It shares no code with `streamopt.sim`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from streamopt.ir.expression import Compare, Index, Literal, LogicOp
from streamopt.ir.network import AccessMode, Place
from streamopt.ir.operators import Operator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.expression import Condition, Expression
    from streamopt.ir.network import Network, Pipeline, PipelineTiming, Process

QUIET_CYCLES = 4
"""Cycles without any move after which nothing will move: hand-overs take one."""

Stream = tuple[str, tuple[int, ...]]
Waits = frozenset[tuple[str, str, str, int]]


@dataclass
class Stepped:
    """What happened: by process, pipeline and FIFO."""

    deadlock: bool
    starts: dict[str, list[int]]
    ends: dict[str, list[int]]
    buffer_cycles: dict[str, int]
    stalls: dict[str, tuple[int, int]]
    peaks: dict[str, int]
    tokens: dict[str, int]
    waits: Waits
    """Of (process, kind, FIFO or buffer, iteration or frame)."""


@dataclass
class Body:
    """What each iteration of a pipeline does: streams read and written, stage by stage."""

    iterations: int
    stages: int
    last_read_stage: int
    flows: bool
    acts: list[dict[int, list[tuple[bool, Stream]]]]


@dataclass
class Running:
    """A pipeline with its iterations in flight: pairs [iteration, stage], oldest first."""

    pipeline: Pipeline
    body: Body
    ii: int
    flying: list[list[int]] = field(default_factory=list[list[int]])
    entered: int = 0
    clocks_to_entry: int = 0


def holds(condition: Condition, point: Mapping[str, int]) -> bool:
    if isinstance(condition, Compare):
        left, right = number(condition.left, point), number(condition.right, point)
        compared = (left > right) - (left < right)
        return {
            "<": compared < 0,
            "<=": compared <= 0,
            ">": compared > 0,
            ">=": compared >= 0,
            "==": compared == 0,
            "!=": compared != 0,
        }[condition.op.value]
    every = condition.op is LogicOp.AND
    return (all if every else any)(holds(part, point) for part in condition.operands)


def number(expression: Expression, point: Mapping[str, int]) -> float:
    if isinstance(expression, Index):
        return expression.value.evaluate(point)
    assert isinstance(expression, Literal)
    return expression.value


def touched(pipeline: Pipeline, fifos: set[str]) -> list[Counter[tuple[bool, Stream]]]:
    """Return how often each iteration reads (True) and writes each stream."""
    rows: list[Counter[tuple[bool, Stream]]] = []
    for outer in product(*(range(loop.trip_count) for loop in pipeline.tiles)):
        row: Counter[tuple[bool, Stream]] = Counter()
        for inner in product(*(range(loop.trip_count) for loop in pipeline.lanes)):
            names = [loop.name for loop in (*pipeline.tiles, *pipeline.lanes)]
            point = dict(zip(names, (*outer, *inner), strict=True))
            if any(
                point[part.tile] == part.last_tile and point[part.lane] >= part.last_lanes
                for part in pipeline.partial_tiles
            ):
                continue
            for port in pipeline.ports:
                if port.target in fifos and (port.guard is None or holds(port.guard, point)):
                    stream = tuple(int(sub.evaluate(point)) for sub in port.subscripts)
                    row[port.mode is AccessMode.READ, (port.target, stream)] += 1
        rows.append(row)
    return rows


def make_body(
    pipeline: Pipeline, timing: PipelineTiming, fifos: set[str], *, flushable: bool
) -> Body:
    rows = touched(pipeline, fifos)
    most_reads = max((n for row in rows for (read, _), n in row.items() if read), default=0)
    most_writes = max((n for row in rows for (read, _), n in row.items() if not read), default=0)
    flows = flushable and most_reads > 0 and most_writes > 0
    stages = timing.depth_cycles
    first_read = 0 if stages == 1 else 1
    stages = max(stages, first_read + most_reads, first_read + 1)
    if most_reads:
        stages = max(stages, first_read + most_reads + most_writes + flows - (most_writes > 0))
    stages = max(stages, first_read + most_writes)
    computes = any(operation.operator is not Operator.COPY for operation in pipeline.operations)
    if not computes and not most_writes:
        stages = max(timing.depth_cycles, most_reads)
        first_read = stages - max(most_reads, 1)
    acts: list[dict[int, list[tuple[bool, Stream]]]] = []
    for row in rows:
        stage_acts: dict[int, list[tuple[bool, Stream]]] = {}
        for (read, stream), times in row.items():
            for nth in range(times):
                stage = first_read + nth if read else stages - times + nth
                stage_acts.setdefault(stage, []).append((read, stream))
        acts.append(stage_acts)
    return Body(len(rows), stages, first_read + max(most_reads, 1) - 1, flows, acts)


class Stepper:
    """A network, one cycle after another."""

    def __init__(
        self,
        network: Network,
        timings: Mapping[str, PipelineTiming],
        frames: int,
        *,
        flushable: bool,
    ) -> None:
        self.network = network
        self.timings = timings
        self.frames = frames
        self.depths = {fifo.name: fifo.depth_elems for fifo in network.fifos}
        names = set(self.depths)
        self.bodies = {
            p.name: make_body(p, timings[p.name], names, flushable=flushable)
            for p in network.pipelines
        }
        self.held: Counter[Stream] = Counter()
        self.peaks = dict.fromkeys(self.depths, 0)
        self.tokens = dict.fromkeys(self.depths, 0)
        self.running: dict[str, Running | None] = {p.name: None for p in network.processes}
        self.begun = {p.name: 0 for p in network.processes}
        self.free_at = {p.name: 0 for p in network.processes}
        self.starts: dict[str, list[int]] = {p.name: [] for p in network.processes}
        self.ends: dict[str, list[int]] = {p.name: [] for p in network.processes}
        self.buffer_cycles = {p.name: 0 for p in network.processes}
        self.stalls = {p.name: [0, 0] for p in network.pipelines}

    def run(self) -> Stepped:
        cycle = quiet = 0
        while any(len(ends) < self.frames for ends in self.ends.values()):
            quiet = 0 if self.step(cycle) else quiet + 1
            if quiet >= QUIET_CYCLES:
                break
            cycle += 1
        waits = frozenset(wait for p in self.network.processes for wait in self.waits(p))
        return Stepped(
            quiet >= QUIET_CYCLES,
            self.starts,
            self.ends,
            self.buffer_cycles,
            {name: (empty, full) for name, (empty, full) in self.stalls.items()},
            self.peaks,
            self.tokens,
            waits,
        )

    def step(self, cycle: int) -> bool:
        moved = False
        for process in self.network.processes:
            moved |= self.try_start(process, cycle)
        done: list[tuple[bool, Stream]] = []
        finished: list[str] = []
        for process in self.network.processes:
            running = self.running[process.name]
            if running is not None:
                went, acts = self.tick(running)
                moved |= went
                done += acts
                if not running.flying and running.entered == running.body.iterations:
                    finished.append(process.name)
        self.commit(done)
        for name in finished:
            self.finish(name, cycle + 1)
        return moved

    def commit(self, done: list[tuple[bool, Stream]]) -> None:
        for read, stream in done:
            if not read:
                self.held[stream] += 1
                self.tokens[stream[0]] += 1
                self.peaks[stream[0]] = max(self.peaks[stream[0]], self.held[stream])
        for read, stream in done:
            if read:
                self.held[stream] -= 1

    def try_start(self, process: Process, cycle: int) -> bool:
        name = process.name
        count = len(process.pipelines)
        ready = self.running[name] is None and self.begun[name] < count * self.frames
        if not ready or cycle < self.free_at[name]:
            return False
        index = self.begun[name] % count
        if index == 0:
            if self.missing(process, cycle):
                self.buffer_cycles[name] += 1
                return False
            self.starts[name].append(cycle)
        pipeline = process.pipelines[index]
        self.running[name] = Running(
            pipeline, self.bodies[pipeline.name], self.timings[pipeline.name].ii, [[0, 0]], 1
        )
        started = self.running[name]
        assert started is not None
        started.clocks_to_entry = started.ii
        self.begun[name] += 1
        return True

    def finish(self, name: str, end: int) -> None:
        process = next(p for p in self.network.processes if p.name == name)
        self.running[name] = None
        self.free_at[name] = end + 1
        if self.begun[name] % len(process.pipelines) == 0:
            self.ends[name].append(end)

    def missing(self, process: Process, cycle: int | None) -> list[tuple[str, str]]:
        """Return (buffer, process that must end first) for those that have not, by a cycle."""
        frame = len(self.ends[process.name])
        order = [p.name for p in self.network.processes]
        lacking: list[tuple[str, str]] = []
        for memory in self.network.memories:
            if memory.place is Place.LOCAL:
                continue
            banked = memory.place is Place.PING_PONG
            for other in self.network.processes:
                earlier = order.index(other.name) < order.index(process.name)
                later = order.index(other.name) > order.index(process.name)
                reads = accesses(process, memory.name, AccessMode.READ)
                writes = accesses(process, memory.name, AccessMode.WRITE)
                fills = accesses(other, memory.name, AccessMode.WRITE) and reads and earlier
                empties = banked and writes and later
                empties = empties and accesses(other, memory.name, AccessMode.READ)
                for needed in [frame] * fills + [frame - 2] * empties:
                    ends = self.ends[other.name]
                    if needed >= 0 and (
                        len(ends) <= needed or (cycle is not None and ends[needed] + 1 > cycle)
                    ):
                        lacking.append((memory.name, other.name))
        return lacking

    def possible(self, act: tuple[bool, Stream]) -> bool:
        read, stream = act
        held = self.held[stream]
        return held > 0 if read else held < self.depths[stream[0]]

    def due(self, running: Running, *, front: bool) -> list[tuple[bool, Stream]]:
        body = running.body
        return [
            act
            for iteration, stage in running.flying
            if (stage <= body.last_read_stage or not body.flows) == front
            for act in body.acts[iteration].get(stage, ())
        ]

    def tick(self, running: Running) -> tuple[bool, list[tuple[bool, Stream]]]:
        """Return whether anything moved, and what was read and written."""
        front, back = self.due(running, front=True), self.due(running, front=False)
        stall = self.stalls[running.pipeline.name]
        if not all(map(self.possible, back)):
            stall[1] += 1
            return False, []
        goes = all(map(self.possible, front))
        if not goes:
            stall[0 if any(a[0] and not self.possible(a) for a in front) else 1] += 1
        moved = self.shift(running, front=goes)
        return moved, [*back, *(front if goes else [])]

    def shift(self, running: Running, *, front: bool) -> bool:
        body, moved = running.body, False
        for flight in running.flying:
            in_front = flight[1] <= body.last_read_stage or not body.flows
            if front or not in_front:
                flight[1] += 1
                moved = True
        running.flying = [flight for flight in running.flying if flight[1] < body.stages]
        if front and running.entered < body.iterations:
            moved = True
            running.clocks_to_entry -= 1
            if running.clocks_to_entry == 0:
                running.flying.append([running.entered, 0])
                running.entered += 1
                running.clocks_to_entry = running.ii
        return moved

    def waits(self, process: Process) -> list[tuple[str, str, str, int]]:
        name = process.name
        running = self.running[name]
        if running is None:
            frame = len(self.ends[name])
            if frame == self.frames:
                return []
            return [(name, "buffer", memory, frame) for memory, _ in self.missing(process, None)]
        found: list[tuple[str, str, str, int]] = []
        body = running.body
        for part in (False, True):
            for iteration, stage in running.flying:
                if (stage <= body.last_read_stage or not body.flows) == part:
                    for read, stream in body.acts[iteration].get(stage, ()):
                        if not self.possible((read, stream)):
                            kind = "empty" if read else "full"
                            found.append((name, kind, stream[0], iteration))
            if found:
                break
        return found


def accesses(process: Process, target: str, mode: AccessMode) -> bool:
    return any(
        port.target == target and port.mode is mode
        for pipeline in process.pipelines
        for port in pipeline.ports
    )


def step_through(
    network: Network,
    timings: Mapping[str, PipelineTiming],
    frames: int = 1,
    *,
    flushable: bool = False,
) -> Stepped:
    return Stepper(network, timings, frames, flushable=flushable).run()
