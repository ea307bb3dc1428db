"""The network as it is built: buffers that nobody has split get the banks that their lanes need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, product
from math import prod

from streamopt.ir.network import Memory, Network, Pipeline, Place, Port
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.rtl.kernel.subscripts import UnknownPlaceError, sum_at
from streamopt.transforms.lower import lower


def built_network(scheduled: ScheduledGraph) -> Network:
    """Return the network of a scheduled graph, with banks for all lanes of its buffers.

    The vendor's tool splits a buffer that has no pragma, as far as lanes ask for it; here this is
    the least number of banks along each dimension in which no two lanes of an access meet.
    """
    network = lower(scheduled)
    memories = tuple(
        replace(memory, factors=_factors(memory, network), tool_splits=False)
        if memory.tool_splits and memory.place is Place.PING_PONG
        else memory
        for memory in network.memories
    )
    return replace(network, memories=memories)


def _factors(memory: Memory, network: Network) -> tuple[int, ...]:
    accesses = [
        (pipeline, port)
        for pipeline in network.pipelines
        for port in pipeline.ports
        if port.target == memory.name
    ]
    return tuple(_factor(at, accesses) for at in range(len(memory.shape)))


def _factor(dimension: int, accesses: list[tuple[Pipeline, Port]]) -> int:
    """Return the least number of banks in which the lanes of no access meet."""
    indices = [{*_constants(p, port, dimension)} for p, port in accesses]
    return next(
        factor
        for factor in count(max(map(len, indices)))
        if all(len({one % factor for one in along}) == len(along) for along in indices)
    )


def _constants(pipeline: Pipeline, port: Port, dimension: int) -> Iterator[int]:
    """Yield the constants of a subscript in each lane; one where lanes count in different ways."""
    subscript = port.subscripts[dimension]
    mine = [loop for loop in pipeline.lanes if loop.name in subscript.iterators()]
    for point in product(*(range(loop.trip_count) for loop in mine)):
        at = dict(zip((loop.name for loop in mine), point, strict=True))
        try:
            yield sum_at(subscript, pipeline.tiles, at)[1]
        except UnknownPlaceError:
            yield 0


def memory_size(memory: Memory) -> tuple[int, int]:
    """Return words and banks."""
    pairs = zip(memory.shape, memory.factors, strict=True)
    return prod(-(-extent // factor) for extent, factor in pairs), prod(memory.factors)
