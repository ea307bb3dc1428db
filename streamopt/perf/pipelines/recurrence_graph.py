"""The interval that recurrences through several accesses ask for together.

An iteration computes what it writes from what it has read; a read waits for the writes before it.
A pipeline does each access in one cycle of every iteration, so an initiation interval works if and
only if there are cycles ``t`` with

``t(v) >= t(u) + latency(u, v) - ii * distance(u, v)``

for each value ``v`` that comes of a value ``u`` at least ``distance`` iterations before. There are
if and only if no circle has more latency than ``ii`` times its iterations ([1]):

``ii = max over circles of ceil(sum of latencies / sum of distances)``.

A circle with one read and one write is an update of one memory:
`streamopt.perf.pipelines.recurrence`.

[1] Rau, Iterative modulo scheduling, MICRO 1994, section 2.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from streamopt.ir.network import AccessMode, Pipeline, Port
from streamopt.perf.pipelines.access_distance import collides_at_once, collision_distance
from streamopt.perf.pipelines.operation_graph import built_operations
from streamopt.perf.pipelines.recurrence import (
    accumulation_latency_cycles,
    free_of_latency,
    memory_round_trip_cycles,
    recurrences,
)
from streamopt.target.device import Target


@dataclass(frozen=True, slots=True)
class Circle:
    """Values of which each waits for the one before it, and the first for the last."""

    memories: tuple[str, ...]
    """That it goes through, in order."""
    latency_cycles: int
    """Of all its steps."""
    distance: int
    """Iterations after which it comes back."""

    @property
    def ii(self) -> int:
        """Return the cycles between two iterations that it asks for."""
        return -(-self.latency_cycles // self.distance)


class _ValueEdge(NamedTuple):
    """From one value to another: by an operation, or through a memory that is named."""

    source: str
    sink: str
    latency_cycles: int
    distance: int
    memory: str = ""

    def slack_cycles(self, ii: int) -> int:
        """Return by how much the sink may be earlier than the source."""
        return ii * self.distance - self.latency_cycles


def slowest_circle(pipeline: Pipeline, target: Target) -> Circle | None:
    """Return the circle of several writes that asks for most; None if none asks for more than 1."""
    slowest: Circle | None = None
    for steps in _entangled(pipeline, target):
        while circle := _circle_beyond(steps, slowest.ii if slowest else 1):
            slowest = circle
    return slowest


def _entangled(pipeline: Pipeline, target: Target) -> Iterator[list[_ValueEdge]]:
    """Yield the steps of each group of values that all depend on each other by several writes."""
    pairs = list(_pairs(pipeline))
    computed = list(_computed(pipeline, target))
    drafts = (_ValueEdge(write.value, read.value, 0, 0, write.target) for write, read in pairs)
    near = {step for part in _components([*computed, *drafts]) for step in part}
    through = [
        step
        for write, read in pairs
        if _ValueEdge(write.value, read.value, 0, 0, write.target) in near
        for step in _through_memory(write, read, pipeline, memory_round_trip_cycles(target))
    ]
    for part in _components([*computed, *through]):
        if len({(step.source, step.sink) for step in part if step.memory}) > 1:
            yield part


def _pairs(pipeline: Pipeline) -> Iterator[tuple[Port, Port]]:
    """Yield writes and reads of one memory."""
    reads: dict[str, list[Port]] = {}
    for port in pipeline.ports:
        if port.mode is AccessMode.READ:
            reads.setdefault(port.target, []).append(port)
    for port in pipeline.ports:
        if port.mode is AccessMode.WRITE:
            for read in reads.get(port.target, ()):
                yield port, read


def _computed(pipeline: Pipeline, target: Target) -> Iterator[_ValueEdge]:
    """Yield the steps inside an iteration; a sum's takes as long as what it is summed up by."""
    sums = {
        update.operations[-1].result: (update.carried, accumulation_latency_cycles(update, target))
        for update in recurrences(pipeline)
        if update.is_sum
    }
    for operation in built_operations(pipeline):
        built = operation.operator, operation.element, operation.implementation
        usual = 0 if free_of_latency(operation) else target.operator(*built).latency_cycles
        carried, hurried = sums.get(operation.result, ("", usual))
        for operand in dict.fromkeys(operation.operands):
            latency = hurried if operand == carried else usual
            yield _ValueEdge(operand, operation.result, latency, 0)


def _through_memory(
    write: Port, read: Port, pipeline: Pipeline, memory_cycles: int
) -> Iterator[_ValueEdge]:
    """Yield the steps from a value that is written to one that is read, in turn and at once."""
    distance = collision_distance(read, write, pipeline)
    if distance is not None:
        stays = distance == 1
        latency = 0 if stays else memory_cycles
        yield _ValueEdge(write.value, read.value, latency, distance, write.target)
    before = pipeline.ports.index(write) < pipeline.ports.index(read)
    if before and collides_at_once(read, write, pipeline):
        latency = 0 if write.subscripts == read.subscripts else memory_cycles
        yield _ValueEdge(write.value, read.value, latency, 0, write.target)


def _components(steps: Sequence[_ValueEdge]) -> Iterator[list[_ValueEdge]]:
    """Yield the steps inside each strongly connected part that has one."""
    import networkx as nx

    graph = nx.DiGraph((step.source, step.sink) for step in steps)
    part_of: dict[str, int] = {}
    for number, members in enumerate(nx.strongly_connected_components(graph)):
        part_of |= dict.fromkeys(members, number)
    parts: dict[int, list[_ValueEdge]] = {}
    for step in steps:
        if part_of[step.source] == part_of[step.sink]:
            parts.setdefault(part_of[step.source], []).append(step)
    yield from parts.values()


def _circle_beyond(steps: Sequence[_ValueEdge], ii: int) -> Circle | None:
    """Return a circle that takes longer than an interval allows; None if none does.

    Bellman and Ford's algorithm: times are put off until all steps keep them, which ends after as
    many rounds as there are values unless a circle puts itself off.
    """
    times = {name: 0 for step in steps for name in step[:2]}
    last: dict[str, _ValueEdge] = {}
    late = ""
    for _ in times:
        late = ""
        for step in steps:
            earliest = times[step.source] - step.slack_cycles(ii)
            if earliest > times[step.sink]:
                times[step.sink], last[step.sink], late = earliest, step, step.sink
        if not late:
            return None
    for _ in times:
        late = last[late].source
    return _closed(last[late], last)


def _closed(end: _ValueEdge, last: dict[str, _ValueEdge]) -> Circle:
    """Return the circle of the steps that are each the last before the next."""
    found, step = [end], last[end.source]
    while step is not end:
        found.append(step)
        step = last[step.source]
    return Circle(
        tuple(_in_order(step.memory for step in reversed(found))),
        sum(step.latency_cycles for step in found),
        sum(step.distance for step in found),
    )


def _in_order(memories: Iterable[str]) -> dict[str, None]:
    return dict.fromkeys(name for name in memories if name)
