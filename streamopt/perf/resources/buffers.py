"""How each memory and FIFO of a network is held; local buffers that need no memory.

A process that uses a value in many iterations keeps it in a local buffer, which it writes in the
first of them. Where those iterations follow one another, a register does.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.network import AccessMode, Place
from streamopt.perf.pipelines.recurrence import recurrences
from streamopt.perf.resources.memory_blocks import StorageKind, fifo_storage, memory_storage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.affine import Affine
    from streamopt.ir.network import Memory, Network, Pipeline
    from streamopt.perf.resources.memory_blocks import BankStorage
    from streamopt.target.memories import Memories

__all__ = ["memories_as_built", "network_storage"]

_AS_WRITTEN = (Place.ARGUMENT, Place.OFF_CHIP, Place.ROM)
"""Memories that are split as the source says and no further."""

_REGISTER_TERMS = 3
"""Terms of a sum that come from registers where an iteration adds no power of two."""


def memories_as_built(network: Network) -> dict[str, Memory]:
    """Return the memories of a network by name, with the partition that they get.

    Local arrays and ping-pong buffers that the source does not split are split by Vitis HLS, so
    that lanes do not wait for one another (configuration ``config_array_partition``): here by
    the lanes that run along each dimension.
    """
    users = _users(network)
    return {
        memory.name: _split_by_lanes(memory, users.get(memory.name, ()))
        for memory in network.memories
    }


def network_storage(network: Network, blocks: Memories) -> dict[str, BankStorage]:
    """Return how each memory and each group of FIFOs is held, by name."""
    users = _users(network)
    found = {
        name: _held(memory, users.get(name, ()), blocks)
        for name, memory in memories_as_built(network).items()
    }
    return found | {fifo.name: fifo_storage(fifo, blocks) for fifo in network.fifos}


def _users(network: Network) -> dict[str, list[Pipeline]]:
    """Return the pipelines that touch each memory or group of FIFOs."""
    users: dict[str, list[Pipeline]] = {}
    for pipeline in network.pipelines:
        for target in dict.fromkeys(port.target for port in pipeline.ports):
            users.setdefault(target, []).append(pipeline)
    return users


def _split_by_lanes(memory: Memory, users: Sequence[Pipeline]) -> Memory:
    if memory.place in _AS_WRITTEN or memory.is_partitioned:
        return memory
    factors = [1] * len(memory.shape)
    for pipeline in users:
        extents = {lane.name: lane.trip_count for lane in pipeline.lanes}
        for port in pipeline.ports:
            if port.target == memory.name:
                for place, subscript in enumerate(port.subscripts):
                    lanes = prod(extents.get(name, 1) for name in subscript.iterators())
                    factors[place] = max(factors[place], min(lanes, memory.shape[place]))
    return replace(memory, factors=tuple(factors))


def _held(memory: Memory, users: Sequence[Pipeline], blocks: Memories) -> BankStorage:
    storage = memory_storage(memory, blocks)
    if memory.place is not Place.LOCAL or len(users) != 1:
        return storage
    kept = _banks_in_memory(memory.name, storage.banks, users[0])
    if kept == 0:
        return replace(storage, kind=StorageKind.REGISTERS, words=1, blocks=0)
    return replace(storage, banks=kept)


def _banks_in_memory(name: str, banks: int, pipeline: Pipeline) -> int:
    """Return the banks of a local buffer that are memories; the others are registers.

    An element that is read only until the next is written passes through a register, if it is
    needed at once. Vitis HLS so replaces all banks where an iteration adds a power of two of
    terms, in a balanced tree. In other sums the later terms wait for the first adders, and it
    keeps those in memory: 7 of 10 (PolyBench 2mm), 2 of 5 (3mm).
    """
    subscripts = _place_of_last_write(name, pipeline)
    if subscripts is None:
        return banks
    terms = _terms(subscripts, pipeline)
    if terms <= _REGISTER_TERMS or terms.bit_count() == 1:
        return 0
    return banks - banks // terms * _REGISTER_TERMS


def _place_of_last_write(name: str, pipeline: Pipeline) -> tuple[Affine, ...] | None:
    """Return the subscripts of a buffer that holds one element a bank at a time, else None."""
    ports = [port for port in pipeline.ports if port.target == name]
    places = {port.subscripts for port in ports}
    read = {port.value for port in ports if port.mode is AccessMode.READ}
    written = {port.value for port in ports if port.mode is AccessMode.WRITE}
    if len(places) != 1 or not read or not written or written & _depending(read, pipeline):
        return None
    subscripts = next(iter(places))
    used = {iterator for subscript in subscripts for iterator in subscript.iterators()}
    moving = [tile.name in used for tile in pipeline.tiles if tile.trip_count > 1]
    return subscripts if moving == sorted(moving, reverse=True) else None


def _depending(values: set[str], pipeline: Pipeline) -> set[str]:
    """Return the values that operations make from some values."""
    found = set(values)
    for operation in pipeline.operations:
        if found & set(operation.operands):
            found.add(operation.result)
    return found - values


def _terms(subscripts: tuple[Affine, ...], pipeline: Pipeline) -> int:
    """Return how many elements of a buffer one sum of an iteration takes; 1 without a sum."""
    used = {iterator for subscript in subscripts for iterator in subscript.iterators()}
    sums = [update for update in recurrences(pipeline) if update.is_sum]
    results = {update.operations[-1].result for update in sums}
    most = 1
    for port in pipeline.ports:
        if port.mode is AccessMode.WRITE and port.value in results:
            kept = {iterator for subscript in port.subscripts for iterator in subscript.iterators()}
            lanes = (
                lane.trip_count
                for lane in pipeline.lanes
                if lane.name in used and lane.name not in kept
            )
            most = max(most, prod(lanes))
    return most
