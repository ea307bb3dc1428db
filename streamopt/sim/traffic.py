"""Bytes that a run moves over memory channels, counted over the accesses that it simulated."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from streamopt.ir.network import Memory, Network, Pipeline, Place
from streamopt.sim.trace import Trace


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes that a run moves in its steady state, and the rate of its channels."""

    moved_bytes: int
    """Of arrays, in a frame; room that words leave empty isn't counted."""
    cycles: int
    """Of a frame: the interval of several, or the latency of the only one."""
    bytes_per_cycle: float
    """Of all channels in use."""

    @property
    def share(self) -> float:
        """Return how much of the channels' bandwidth is used, from 0 to 1."""
        return self.moved_bytes / (self.cycles * self.bytes_per_cycle)


def traffic(network: Network, trace: Trace, bytes_per_cycle: Mapping[str, float]) -> Traffic:
    """Return the traffic of a run.

    Parameters
    ----------
    bytes_per_cycle
        Of channels by name: at least those that hold an array.
    """
    moved = channel_bytes(network)
    cycles = trace.interval_cycles or trace.cycles
    return Traffic(sum(moved.values()), cycles, sum(bytes_per_cycle[name] for name in moved))


def channel_bytes(network: Network) -> dict[str, int]:
    """Return the bytes of arrays that cross each channel in a frame; part of one counts as one."""
    bits: Counter[str] = Counter()
    for memory in network.memories:
        if memory.place is Place.OFF_CHIP and memory.channels:
            for pipeline in network.pipelines:
                bits.update(_channel_bits(memory, pipeline))
    return {name: -(-count // 8) for name, count in bits.items()}


def _channel_bits(memory: Memory, pipeline: Pipeline) -> dict[str, int]:
    """Return the bits of an array that a pipeline moves over each of its channels.

    Of the lanes of an iteration, the first channel holds the first, as many as the others.
    """
    accesses = sum(port.target == memory.name for port in pipeline.ports)
    if not accesses:
        return {}
    each = -(-pipeline.moved_elems(memory.name) // len(memory.channels))
    elems: Counter[str] = Counter()
    for lane, iterations in enumerate(_busy_iterations(pipeline, memory.name)):
        elems[memory.channels[lane // each]] += iterations
    bits = accesses * memory.element.outside_bits
    return {name: count * bits for name, count in elems.items()}


def _busy_iterations(pipeline: Pipeline, target: str) -> Iterator[int]:
    """Yield the iterations in which each lane moves something, in row-major order of lanes."""
    lanes = pipeline.moved_lanes(target)
    names = {loop.name for loop in lanes}
    partial = {tile.lane: tile for tile in pipeline.partial_tiles if tile.lane in names}
    trips = {loop.name: loop.trip_count for loop in pipeline.tiles}
    whole = prod(trips[name] for name in trips if name not in {t.tile for t in partial.values()})
    counts = (
        [
            trips[partial[lane.name].tile] - (at >= partial[lane.name].last_lanes)
            if lane.name in partial
            else 1
            for at in range(lane.trip_count)
        ]
        for lane in lanes
    )
    for own in product(*counts):
        yield whole * prod(own)
