"""The cycles of an iteration in which pipelines that take turns read and write their memories.

Where an earlier iteration's value is waited for, nothing else delays: an operator takes its
latency, a block of memory `ROUND_TRIP_CYCLES` and registers one, as in the recurrences of one
pipeline (`streamopt.perf.pipelines.recurrence`). A value is read as late as what it is needed for
allows. A bank has few ports, so all reads of a memory stand at one place in an iteration whichever
pipeline's turn it is, and so do all writes; registers have as many as needed.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.network import AccessMode, Place
from streamopt.perf.pipelines.depth import levels
from streamopt.perf.pipelines.operation_graph import built_operations
from streamopt.perf.pipelines.recurrence import ROUND_TRIP_CYCLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.network import Memory, Operation, Pipeline, Port
    from streamopt.target.device import Target

_READ_CYCLES = 1
_WRITE_CYCLES = ROUND_TRIP_CYCLES - _READ_CYCLES


def is_registers(memory: Memory) -> bool:
    """Return whether a memory has a bank for each of its elements, inside of a process."""
    is_split = all(f >= n for f, n in zip(memory.factors, memory.shape, strict=True))
    return memory.place is Place.LOCAL and is_split


def port_cycles(
    pipelines: Sequence[Pipeline], memories: Mapping[str, Memory], ii: int, target: Target
) -> tuple[tuple[int, ...], ...]:
    """Return the cycles of all ports of pipelines that take turns, by pipeline.

    A value that is written in cycle ``w`` of an iteration that starts at ``t`` is there for a read
    in cycle ``r`` of one that starts at ``u`` if ``u + r >= t + w``.

    Parameters
    ----------
    ii
        Over which an iteration spreads its accesses.
    """
    own = [_alone(pipeline, memories, target) for pipeline in pipelines]
    read: dict[str, int] = {}
    written: dict[str, int] = {}
    for pipeline, cycles in zip(pipelines, own, strict=True):
        for port, at in zip(pipeline.ports, cycles, strict=True):
            if port.mode is AccessMode.READ:
                read[port.target] = min(at, read.get(port.target, at))
            else:
                written[port.target] = max(at, written.get(port.target, at))
    found: list[tuple[int, ...]] = []
    for pipeline, cycles in zip(pipelines, own, strict=True):
        aligned: list[int] = []
        for port, at in zip(pipeline.ports, cycles, strict=True):
            is_read = port.mode is AccessMode.READ
            spread = 0 if is_read else ii - 1
            if port.target in memories and not is_registers(memories[port.target]):
                at = (read if is_read else written)[port.target]
            aligned.append(at + spread)
        found.append(tuple(aligned))
    return tuple(found)


def _alone(pipeline: Pipeline, memories: Mapping[str, Memory], target: Target) -> tuple[int, ...]:
    """Return the cycles of a pipeline's ports as it would have them by itself."""
    operations = built_operations(pipeline)
    took = {each.result: _latency_cycles(each, pipeline, target) for each in operations}
    reads = [port for port in pipeline.ports if port.mode is AccessMode.READ]
    forwarded = {port.value: value for port in reads if (value := _written_before(port, pipeline))}
    ready = {port.value: _READ_CYCLES for port in reads if port.value not in forwarded}
    waiting = dict(forwarded)
    for operation in operations:
        for name in operation.operands:
            if name in waiting:
                ready[name] = max(_READ_CYCLES, ready.get(waiting.pop(name), 0))
        begin = max((ready.get(name, 0) for name in operation.operands), default=0)
        ready[operation.result] = begin + took[operation.result]
    for name, source in waiting.items():
        ready[name] = max(_READ_CYCLES, ready.get(source, 0))
    needed = _needed(pipeline, ready, took, operations, forwarded)
    return tuple(
        max(0, needed.get(port.value, _READ_CYCLES) - _READ_CYCLES)
        if port.mode is AccessMode.READ
        else ready.get(port.value, 0) + _write_cycles(port.target, memories)
        for port in pipeline.ports
    )


def _needed(
    pipeline: Pipeline,
    ready: Mapping[str, int],
    took: Mapping[str, int],
    operations: Sequence[Operation],
    forwarded: Mapping[str, str],
) -> dict[str, int]:
    """Return when values must be there, so that what is written is not later for it."""
    needed: dict[str, int] = {}

    def by(name: str, cycles: int) -> None:
        needed[name] = min(cycles, needed.get(name, cycles))
        if name in forwarded:
            by(forwarded[name], cycles)

    for port in pipeline.ports:
        if port.mode is AccessMode.WRITE:
            by(port.value, ready.get(port.value, 0))
    for operation in reversed(operations):
        at = needed.get(operation.result, ready[operation.result]) - took[operation.result]
        for name in operation.operands:
            by(name, at)
    return needed


def _latency_cycles(operation: Operation, pipeline: Pipeline, target: Target) -> int:
    lanes = {lane.name: lane.trip_count for lane in pipeline.lanes}
    terms = prod(lanes.get(name, 1) for name in operation.over)
    one = target.operator(operation.operator, operation.element, operation.implementation)
    return one.latency_cycles * (levels(terms) if operation.over else 1)


def _written_before(read: Port, pipeline: Pipeline) -> str | None:
    """Return the value that an iteration writes before it reads the same element; None if none."""
    place = pipeline.ports.index(read)
    for port in reversed(pipeline.ports[:place]):
        is_same = port.target == read.target and port.subscripts == read.subscripts
        if port.mode is AccessMode.WRITE and is_same:
            return port.value
    return None


def _write_cycles(name: str, memories: Mapping[str, Memory]) -> int:
    return 0 if name in memories and is_registers(memories[name]) else _WRITE_CYCLES
