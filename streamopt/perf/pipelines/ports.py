"""Initiation intervals that ports ask for: of memories, by bank, and of streams.

Evidence: Vitis HLS 2023.2 reports of the published Stream-HLS designs. A bank has two ports; an
array argument that two processes read gives each of them one. Arrays inside the design without
a partition pragma are split by the tool as the accesses need it; array arguments are not, so 224
weights read in one iteration take 112 cycles.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.network import AccessMode, Memory, Network, Pipeline, Place, Port
from streamopt.perf.pipelines.lane_accesses import lane_accesses, lanes_at_each_place, repeats

PORTS_OF_A_BANK = 2
"""Accesses of a block RAM or UltraRAM in one cycle."""

CACHED_BODIES = 4096

_EVERYWHERE = Affine.iterator("bank")
"""Subscript of what goes to each bank."""

_ANY = -1
"""Bank of an access that may fall into each of them."""


@dataclass(frozen=True, slots=True)
class PortDemand:
    """Demand of one memory or FIFO on a pipeline."""

    target: str
    accesses: int
    """Different elements of one bank, or accesses of one stream, in an iteration."""
    ports: int
    """How many of them a cycle has room for."""

    @property
    def ii(self) -> int:
        """Return the cycles that the accesses take."""
        return -(-self.accesses // self.ports)


class _Place(NamedTuple):
    bank: tuple[int, ...]
    element: tuple[Affine, ...]


def port_counts(network: Network) -> dict[str, int]:
    """Return the ports that each memory has for each process that uses it.

    0 stands for as many as needed: an array that the tool splits, or one off the chip.
    """
    users = Counter(target for process in network.processes for target in process.targets)

    def ports(memory: Memory) -> int:
        if memory.place is Place.ROM:
            return PORTS_OF_A_BANK  # each process has a table of its own
        if memory.place in (Place.ARGUMENT, Place.RESIDENT):
            return PORTS_OF_A_BANK if users[memory.name] < 2 else PORTS_OF_A_BANK // 2
        if memory.place is Place.OFF_CHIP:
            return 0  # see `streamopt.perf.pipelines.bandwidth`
        return 0 if memory.tool_splits else PORTS_OF_A_BANK

    return {memory.name: ports(memory) for memory in network.memories}


def memory_demands(
    pipeline: Pipeline, memories: Mapping[str, Memory], ports: Mapping[str, int]
) -> Iterator[PortDemand]:
    """Yield what each memory with a limit asks: its fullest bank, in different elements.

    A read and a write of one element count once: the value between them stays in a register.
    A cyclic partition by ``f`` puts subscript ``s`` into bank ``s mod f``; where tile iterators
    move ``s`` by other amounts than multiples of ``f`` the access needs a port of every bank.
    """
    touched: dict[str, list[Port]] = defaultdict(list)
    for port in pipeline.ports:
        if ports.get(port.target):
            touched[port.target].append(port)
    for target, accesses in touched.items():
        chosen = memories[target].chosen
        if chosen:
            accesses = [_of_all_banks(port, chosen) for port in accesses]
        distinct = {(port.subscripts, port.guard): port for port in accesses}
        body = replace(
            pipeline,
            name="",
            tiles=tuple(sorted(pipeline.tiles, key=lambda tile: tile.name)),
            ports=tuple(
                replace(port, mode=AccessMode.READ, value="") for port in distinct.values()
            ),
            operations=(),
            loc=None,
            partial_tiles=(),
        )
        yield PortDemand(target, _demanded(body, memories[target].factors), ports[target])


def _of_all_banks(port: Port, dimensions: Sequence[int]) -> Port:
    """Return a read of all banks along dimensions, wherever it finds its value; others as is."""
    if port.mode is AccessMode.WRITE:
        return port
    place = list(port.subscripts)
    for dimension in dimensions:
        place[dimension] = _EVERYWHERE
    return replace(port, subscripts=tuple(place))


@lru_cache(maxsize=CACHED_BODIES)
def _demanded(body: Pipeline, factors: tuple[int, ...]) -> int:
    """Return the accesses of the fullest bank in an iteration, of ports that go to one memory.

    The order of tile loops doesn't matter, nor does what is done with the values: bodies that
    differ in nothing else are one.
    """
    load = _load_by_dimensions(body, factors)
    if load is not None:
        return load
    return _fullest(
        {
            _Place(_bank(access.subscripts, factors), access.subscripts)
            for port in body.ports
            for access in lane_accesses(port, body)
        }
    )


def _load_by_dimensions(body: Pipeline, factors: tuple[int, ...]) -> int | None:
    """Return the accesses of the fullest bank where dimensions are independent of each other.

    That is where all ports go to the same places, by sums of iterators, and no lane moves two
    dimensions: counts of the dimensions multiply. None for other bodies.
    """
    subscripts = body.ports[0].subscripts
    if any(port.subscripts != subscripts for port in body.ports):
        return None
    extents = {lane.name: lane.trip_count for lane in body.lanes}
    used = [name for s in subscripts for name in s.iterators() if name in extents]
    sums = all(isinstance(atom, Iter) for s in subscripts for atom, _ in s.terms)
    if not sums or len(used) > len(set(used)):
        return None
    if not any(lanes_at_each_place(port, body) for port in body.ports):
        return None
    load = 1
    for subscript, factor in zip(subscripts, factors, strict=True):
        places = _lane_places(subscript, extents)
        moves = (by for name, by in _steps(subscript) if name not in extents)
        if all(by % factor == 0 for by in moves):
            load *= max(Counter(place % factor for place in places).values())
        else:
            load *= len(places)
    return load


def _lane_places(subscript: Affine, extents: Mapping[str, int]) -> set[int]:
    """Return the values of a subscript over the lanes at the first iteration."""
    places = {subscript.constant}
    for name, by in _steps(subscript):
        if name in extents:
            places = {place + by * lane for place in places for lane in range(extents[name])}
    return places


def _steps(subscript: Affine) -> list[tuple[str, int]]:
    return [(atom.name, by) for atom, by in subscript.terms if isinstance(atom, Iter)]


def _bank(subscripts: tuple[Affine, ...], factors: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        _at_first(subscript) % factor if _is_static(subscript, factor) else _ANY
        for subscript, factor in zip(subscripts, factors, strict=True)
    )


def _is_static(subscript: Affine, divisor: int) -> bool:
    """Return whether a subscript's remainder is the same in every iteration, as far as seen.

    Divisions and remainders count as if they were: what they leave is judged at the first
    iteration.
    """
    plain = (factor for atom, factor in subscript.terms if isinstance(atom, Iter))
    return all(factor % divisor == 0 for factor in plain)


def _at_first(subscript: Affine) -> int:
    return int(subscript.evaluate(dict.fromkeys(subscript.iterators(), 0)))


def _fullest(places: set[_Place]) -> int:
    """Return the most elements that one bank may have to serve.

    An access that may fall into any bank counts in each of them, but brings no two together.
    """
    loads = Counter(place.bank for place in places)
    moving = [(bank, load) for bank, load in loads.items() if _ANY in bank]
    return max(
        (
            sum(load for other, load in moving if _may_meet(bank, other))
            + (0 if _ANY in bank else own)
            for bank, own in loads.items()
        ),
        default=0,
    )


def _may_meet(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    pairs = zip(left, right, strict=True)
    return all(a == b or _ANY in (a, b) for a, b in pairs)


def stream_demands(pipeline: Pipeline, memories: Mapping[str, Memory]) -> Iterator[PortDemand]:
    """Yield what each FIFO asks: the accesses of its busiest stream, of which a cycle takes one.

    A stream is read at one end and written at the other; lanes that share a stream take turns.
    """
    loads: dict[tuple[str, AccessMode], Counter[tuple[Affine, ...]]] = defaultdict(Counter)
    for port in pipeline.ports:
        if port.target not in memories:
            times = repeats(port, pipeline)
            once = lanes_at_each_place(port, pipeline)
            if once and all(s.as_iterator() or not s.terms for s in port.subscripts):
                loads[port.target, port.mode][port.subscripts] += once * times
                continue
            for access in lane_accesses(port, pipeline):
                loads[port.target, port.mode][access.subscripts] += times
    for (target, _), streams in loads.items():
        yield PortDemand(target, max(streams.values(), default=0), 1)
