"""Places of weights: block RAM, UltraRAM, LUTs, or off the chip, read as they are used each frame.

A resident array takes blocks by the words that its node reads; a streamed one takes FIFOs and time
of a channel. Of all choices within the blocks that the rest of the design leaves, the one of the
fewest bytes off the chip is taken, by a knapsack over both kinds of blocks, which is exact where
blocks count one by one: (I8) of ``models/formulations/interval.md``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from streamopt.evaluation.design import timed_network
from streamopt.ir.graph import Graph
from streamopt.ir.network import Memory, Network, PipelineTiming, Place
from streamopt.ir.ports import PortKind, RamBlock
from streamopt.ir.schedule import Schedule
from streamopt.perf.resources.memory_blocks import StorageKind, memory_storage
from streamopt.perf.resources.network import NetworkResources, memory_resources, resources
from streamopt.strategies.refinement.streamed_weights import (
    StreamedWeights,
    streamed,
    with_streams,
)
from streamopt.target.device import Target
from streamopt.target.resources import Resources
from streamopt.transforms.apply import planned_graph

MOST_STATES = 1 << 19
"""Pairs of amounts of blocks that a knapsack tells apart; block RAMs count in lots where there are
more."""
NEVER = 1 << 61
BYTE = 1 << 20
"""Cost of a byte off the chip: more than all blocks of a design cost."""
BRAM18_OF_URAM = 8
"""Block RAMs for which another memory takes an UltraRAM: half of its bits."""
SPARES = (0.125, 0.25, 0.5)
"""Of all block RAMs: those that other memories are to leave where these alone take all, so that
UltraRAMs are left for them instead; streams need a few."""
URAM_COST, LUTS_OF_BRAM18 = 16, 200
"""Cost of an UltraRAM, and LUTs that cost as much as a block RAM, where bytes are equal: by bits,
and by the share of an SLR that is left of either when designs of networks are full."""


@dataclass(frozen=True, slots=True)
class WeightPlace:
    """One choice for an array."""

    used: Resources
    block: RamBlock | None = None
    stream: StreamedWeights | None = None

    @property
    def cost(self) -> int:
        """Return the bytes off the chip first, then blocks."""
        used = self.used
        blocks = used.bram18 + URAM_COST * used.uram + used.luts // LUTS_OF_BRAM18
        return blocks + (0 if self.stream is None else BYTE * self.stream.traffic_bytes)


@dataclass(frozen=True, slots=True)
class _Built:
    network: Network
    timings: Mapping[str, PipelineTiming]
    used: NetworkResources


def placed_weights(graph: Graph, schedule: Schedule, on: Target, limits: Resources) -> Schedule:
    """Return a schedule with a place for each resident array that has none.

    Arrays of open ports may be off the chip.

    Parameters
    ----------
    limits
        Of the whole design.
    """
    ports = [p for p in schedule.ports if p.kind is PortKind.RESIDENT and p.block is None]
    if not ports:
        return schedule
    before = _built(graph, schedule, on)
    kept = {m.name: m for m in before.network.memories if m.place is Place.RESIDENT}
    names = [port.array for port in ports if port.array in kept]
    places = {name: list(_resident(kept[name], on)) for name in names}
    room = _room(before.used, names, limits)
    chosen = cheapest_places(places, room)
    if chosen is None:
        copies = dict(planned_graph(graph, schedule).copies)
        wanted = [p.array for p in ports if p.is_open and p.array in kept.keys() - copies.keys()]
        _add_streams(places, wanted, (graph, schedule), before, on)
        chosen = cheapest_places(places, room)
    for share in SPARES if chosen is None else ():
        spare = int(share * limits.bram18)
        chosen = chosen or cheapest_places(places, _room(before.used, names, limits, spare))
    if chosen is None:
        chosen = {name: min(own, key=_blocks) for name, own in places.items()}
    taken = {
        name: way.at_least(before.timings[way.plan.node].ii)
        for name, place in chosen.items()
        if (way := place.stream) is not None
    }
    schedule = with_streams(graph, schedule, taken, on)
    blocks = {name: place.block for name, place in chosen.items() if place.stream is None}
    bound = (
        replace(p, block=blocks[p.array], is_open=False) if p.array in blocks else p
        for p in schedule.ports
    )
    return replace(schedule, ports=tuple(bound))


def cheapest_places(
    places: Mapping[str, Sequence[WeightPlace]], room: tuple[int, int]
) -> dict[str, WeightPlace] | None:
    """Return the places of the least cost within block RAMs and UltraRAMs, if there are any."""
    brams, urams = room
    lot = max(1, -(-(brams + 1) * (urams + 1) // MOST_STATES))
    shape = brams // lot + 1, urams + 1
    best = np.zeros(shape, dtype=np.int64)
    found: list[np.ndarray[tuple[int, ...], np.dtype[np.int8]]] = []
    for own in places.values():
        costs = np.full((len(own), *shape), NEVER, dtype=np.int64)
        for number, place in enumerate(own):
            bram, uram = -(-place.used.bram18 // lot), place.used.uram
            if bram < shape[0] and uram < shape[1]:
                before = best[: shape[0] - bram, : shape[1] - uram]
                costs[number, bram:, uram:] = np.minimum(before + place.cost, NEVER)
        found.append(costs.argmin(axis=0).astype(np.int8))
        best = costs.min(axis=0)
    if best[-1, -1] >= NEVER:
        return None
    chosen = dict[str, WeightPlace]()
    bram, uram = shape[0] - 1, shape[1] - 1
    for (name, own), numbers in reversed([*zip(places.items(), found, strict=True)]):
        chosen[name] = place = own[int(numbers[bram, uram])]
        bram, uram = bram + -place.used.bram18 // lot, uram - place.used.uram
    return {name: chosen[name] for name in places}


def _built(graph: Graph, schedule: Schedule, on: Target) -> _Built:
    network, timings = timed_network(graph, schedule, on)
    return _Built(network, timings, resources(network, timings, on))


def _blocks(place: WeightPlace) -> tuple[int, int]:
    """Return the key of the fewest blocks, to exceed the limits by little."""
    return place.used.bram18 + BRAM18_OF_URAM * place.used.uram, place.cost


def _room(
    used: NetworkResources, names: Sequence[str], limits: Resources, spare_bram18: int = 0
) -> tuple[int, int]:
    """Return the block RAMs and UltraRAMs that all but the memories of some arrays leave.

    Where there are too few block RAMs, other memories will move to UltraRAMs that fill half.

    Parameters
    ----------
    spare_bram18
        That these are to leave.
    """
    own = sum((memory_resources(used.storages[n], ping_pong=False) for n in names), Resources())
    rest = used.total
    bram18 = limits.bram18 - rest.bram18 + own.bram18
    moved = -(-max(0, spare_bram18 - bram18) // BRAM18_OF_URAM)
    return max(spare_bram18, bram18), max(0, limits.uram - rest.uram + own.uram - moved)


def _resident(memory: Memory, on: Target) -> Iterator[WeightPlace]:
    """Yield the places of a resident array; registers and memories of few words are in LUTs."""
    usual = memory_storage(memory, on.memories)
    if usual.kind is StorageKind.REGISTERS:
        yield WeightPlace(memory_resources(usual, ping_pong=False))
        return
    blocks = [RamBlock.BRAM]
    if on.memories.uram_shape is not None:
        blocks.append(RamBlock.URAM)
    if usual.kind is StorageKind.LUTRAM:
        blocks.append(RamBlock.LUTRAM)
    for block in blocks:
        storage = memory_storage(replace(memory, block=block), on.memories)
        yield WeightPlace(memory_resources(storage, ping_pong=False), block)


def _add_streams(
    places: Mapping[str, list[WeightPlace]],
    wanted: Sequence[str],
    planned: tuple[Graph, Schedule],
    before: _Built,
    on: Target,
) -> None:
    """Add to places those off the chip, with all that they take more than no memory does."""
    ways = {name: way for name in wanted if (way := streamed(*planned, name)) is not None}
    if not ways:
        return
    after = _built(planned[0], with_streams(*planned, ways, on), on)
    for name, way in ways.items():
        node = way.plan.node
        if after.timings[node].ii > before.timings[node].ii:
            continue
        pipelines = {
            p.name: process.name for process in after.network.processes for p in process.pipelines
        }
        (mover,) = (p for p in after.network.processes if name in p.targets)
        inner = mover.targets - {name}
        more = after.used.processes[mover.name]
        more += sum((after.used.channels[channel] for channel in inner), Resources())
        reader = pipelines[node]
        changed = after.used.processes[reader], before.used.processes[reader]
        places[name].append(WeightPlace(_more(more, *changed), stream=way))


def _more(used: Resources, after: Resources, before: Resources) -> Resources:
    return Resources(
        *(
            max(0, getattr(used, field) + getattr(after, field) - getattr(before, field))
            for field in ("dsps", "bram18", "uram", "luts", "ffs")
        )
    )
