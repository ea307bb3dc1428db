"""Resources of the hardware of a network: DSPs, block RAMs, UltraRAMs, LUTs and flip-flops.

Estimated from the network, its timing and the target alone. Counted as the synthesis report of
Vitis HLS counts, before implementation moves logic between the kinds, but for FIFOs in block RAM:
see `streamopt.perf.resources.memory_blocks.fifo_storage`. Memory of arguments is told apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from types import MappingProxyType

from streamopt.ir.network import (
    AccessMode,
    Memory,
    Network,
    Pipeline,
    PipelineTiming,
    Place,
    Process,
    turns_among,
)
from streamopt.ir.ports import (
    BURST_WORDS,
    FILLING_BITS,
    OUTSTANDING_BURSTS,
    WORD_BITS,
    WORD_FIFO_DEPTH,
    Words,
    words_of,
)
from streamopt.perf.pipelines.bandwidth import moved_words
from streamopt.perf.pipelines.lane_accesses import lane_accesses
from streamopt.perf.pipelines.recurrence import recurrences
from streamopt.perf.resources.addresses import address_multipliers
from streamopt.perf.resources.fabric import (
    PIPELINE_FFS,
    PIPELINE_LUTS,
    choice_luts,
    data_bits,
    fifo_fabric,
    memory_fabric,
    pipeline_fabric,
)
from streamopt.perf.resources.in_turn import turn_resources, writer_luts
from streamopt.perf.resources.memory_blocks import (
    BankStorage,
    StorageKind,
    argument_storage,
    block_rams,
    memories_as_built,
    network_storage,
)
from streamopt.perf.resources.operators import (
    Replicas,
    operator_amounts,
    operator_replicas,
    together,
)
from streamopt.target.device import Target
from streamopt.target.memories import Memories
from streamopt.target.resources import Resources

NO_RESOURCES = Resources()
NO_CELLS: Mapping[str, Resources] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class NetworkResources:
    """Resources of a network, part by part."""

    pipelines: Mapping[str, Resources]
    """By name: operators, address arithmetic and the fabric around them."""
    processes: Mapping[str, Resources]
    """By name: pipelines, local memories and tables, and adapters of ports to memory off the
    chip."""
    channels: Mapping[str, Resources]
    """By name: the FIFOs and ping-pong buffers between processes."""
    storages: Mapping[str, BankStorage]
    """How every memory and group of FIFOs is held, by name."""
    resident: Mapping[str, Resources] = field(default_factory=dict[str, Resources])
    """By name: the memories that are filled before the first frame, with what fills them."""
    arguments: Resources = NO_RESOURCES
    """Memory of the arguments that are on the chip, which is in none of the others: the designs
    that this is held against have theirs outside of what synthesis reports."""

    @property
    def total(self) -> Resources:
        """Return the sum over processes and channels."""
        parts = (self.processes, self.channels, self.resident)
        return sum((used for part in parts for used in part.values()), Resources())


def resources(
    network: Network,
    timings: Mapping[str, PipelineTiming],
    target: Target,
    *,
    cells: Mapping[str, Resources] = NO_CELLS,
    shares_in_turn: bool = False,
) -> NetworkResources:
    """Return the resources of a network on a target.

    Parameters
    ----------
    timings
        By pipeline name: the II decides what is shared and which adders need no DSPs, the depth
        how many registers data wait in.
    cells
        By name, processes whose resources are known better than from their pipelines.
    shares_in_turn
        Whether DSPs are shared by statements of a body without lanes, over the II as lanes do, and
        by the loops of a process, one after another; and whether pipelines from one place of the
        source are runs of one loop, which count once. So they are in code of other tools, which
        write out what they unroll: 2 loops of 64 products and sums each at II 3 took 112 DSPs, and
        loops of 30 and of 20 products and sums took 155 (ScaleHLS and HIDA, Vitis HLS 2023.2).

    Raises
    ------
    TargetError
        E854 or E855 if the target has no cost for an operator.
    """
    storages = network_storage(network, target.memories)
    memories = memories_as_built(network)
    built = Built(memories, storages, shares_in_turn)
    turns = {
        turn.pipeline: turn
        for process in network.processes
        for own in process.turns
        for turn in turns_among(own.items)
    }
    pipelines: dict[str, Resources] = {}
    known = {pipeline.name: pipeline for pipeline in network.pipelines}
    for pipeline in network.pipelines:
        turn, timing = turns.get(pipeline.name), timings[pipeline.name]
        pipelines[pipeline.name] = (
            pipeline_resources(pipeline, timing, built, target)
            if turn is None
            else turn_resources(
                pipeline, turn, timing, memories, storages, target, known.get(turn.like)
            )
        )
    processes: dict[str, Resources] = {}
    for process in network.processes:
        used = sum((pipelines[pipeline.name] for pipeline in process.pipelines), Resources())
        if shares_in_turn and not process.turns:
            used = _in_turn(process, pipelines)
        if process.turns:
            used += Resources(luts=writer_luts(process, memories))
        for name in process.targets & memories.keys():
            if memories[name].place in (Place.LOCAL, Place.ROM):
                used += memory_resources(storages[name], ping_pong=False)
            (mover, *_) = process.pipelines  # what touches an array off the chip does nothing else
            used += adapter_resources(memories[name], mover, target.memories)
        processes[process.name] = cells.get(process.name, used)
    channels = {
        memory.name: memory_resources(storages[memory.name], ping_pong=True)
        for memory in network.memories
        if memory.place is Place.PING_PONG
    }
    channels |= {fifo.name: fifo_resources(storages[fifo.name]) for fifo in network.fifos}
    held = [m for m in memories.values() if m.place is Place.ARGUMENT and prod(m.shape) > 1]
    arguments = (
        memory_resources(argument_storage(m, target.memories), ping_pong=False) for m in held
    )
    kept = resident_resources(network, storages, target.memories)
    apart = sum(arguments, Resources())
    return NetworkResources(pipelines, processes, channels, storages, kept, apart)


def _in_turn(process: Process, pipelines: Mapping[str, Resources]) -> Resources:
    """Return the resources of a process whose loops, one a place, take turns with its DSPs."""
    loops = {p.loc or p.name: pipelines[p.name] for p in process.pipelines}
    used = sum(loops.values(), Resources())
    return replace(used, dsps=max(loop.dsps for loop in loops.values()))


@dataclass(frozen=True, slots=True)
class Built:
    """The memories of a network as they are split, and how these and FIFOs are held, by name.

    ``shares_in_turn`` is that of `resources`.
    """

    memories: Mapping[str, Memory]
    storages: Mapping[str, BankStorage]
    shares_in_turn: bool = False


def pipeline_resources(
    pipeline: Pipeline, timing: PipelineTiming, built: Built, target: Target
) -> Resources:
    """Return the operators of a pipeline, its address arithmetic and the fabric around them.

    Raises
    ------
    TargetError
        E854 or E855 if the target has no cost for an operator.
    """
    replicas = operator_replicas(pipeline)
    if built.shares_in_turn and not pipeline.lanes:
        replicas = together(replicas)
    used, unit_bits = operator_resources(pipeline, replicas, timing, target)
    if not target.is_open:  # whose addresses are counted
        multipliers = address_multipliers(pipeline, built.memories)
        used += Resources(dsps=sum(multiplier.in_dsp for multiplier in multipliers))
    data = data_bits(pipeline, replicas, built.storages)
    used += Resources(luts=_choices(pipeline, built.memories))
    return used + pipeline_fabric(pipeline, data, unit_bits, timing, built.storages)


def _choices(pipeline: Pipeline, memories: Mapping[str, Memory]) -> int:
    """Return the LUTs that choose among the rows, and the places of taps, of line buffers."""
    luts, tiles = 0, {tile.name: tile.trip_count for tile in pipeline.tiles}
    every = [port for port in pipeline.ports if port.mode is AccessMode.READ]
    for name in dict.fromkeys(port.target for port in every):
        memory = memories.get(name)
        if memory is None or not memory.chosen:
            continue
        reads = [port for port in every if port.target == name]
        values = {lane.subscripts for port in reads for lane in lane_accesses(port, pipeline)}
        ways = 1
        for at in memory.chosen:
            taps = prod(tiles.get(name, 1) for name in reads[0].subscripts[at].iterators())
            ways *= min(taps, memory.factors[at])
        luts += choice_luts(len(values), ways, memory.element.bits)
    return luts


def operator_resources(
    pipeline: Pipeline, replicas: Sequence[Replicas], timing: PipelineTiming, target: Target
) -> tuple[Resources, int]:
    """Return the resources of a pipeline's operators, and the bits of their units' results."""
    sums = [update for update in recurrences(pipeline) if update.is_sum]
    counts = ((found.operation, found.count) for found in replicas)
    used = operator_amounts(counts, sums, timing.ii, target)
    return Resources(dsps=used.dsps, luts=used.luts, ffs=used.ffs), used.unit_bits


def memory_resources(storage: BankStorage, *, ping_pong: bool) -> Resources:
    """Return the resources of a local memory or a ping-pong buffer."""
    blocks = Resources(bram18=storage.bram18, uram=storage.uram)
    return blocks + memory_fabric(storage, ping_pong=ping_pong)


def fifo_resources(storage: BankStorage) -> Resources:
    """Return the resources of a group of FIFOs."""
    return Resources(bram18=storage.bram18) + fifo_fabric(storage)


KEPT_WORDS = BURST_WORDS * OUTSTANDING_BURSTS
NARROW_BITS, NARROW_LUTS, NARROW_FFS = 32, 580, 512
FABRIC_A_BIT = 2
FILLING = Resources(luts=2 * PIPELINE_LUTS, ffs=2 * PIPELINE_FFS)
"""The loops of the two processes that fill a resident array."""


def word_port_bram18(blocks: Memories) -> int:
    """Return the block RAMs of a port whose words are as wide as they can be."""
    return block_rams(KEPT_WORDS, WORD_BITS, blocks)


def adapter_resources(memory: Memory, mover: Pipeline, blocks: Memories) -> Resources:
    """Return the resources of the ports of an array off the chip, each with its FIFO of words.

    None for a stream.

    Parameters
    ----------
    mover
        Takes the elements of its lanes at once.
    """
    if memory.place is not Place.OFF_CHIP or not memory.channels:
        return Resources()
    words = moved_words(mover, memory)
    bits = words.elems * memory.element.outside_bits
    return (_port(bits, blocks) + _words_fifo(bits)).scaled(words.memories)


def _port(bits: int, blocks: Memories) -> Resources:
    """Return the resources of a port to memory whose words have so many bits."""
    fabric = FABRIC_A_BIT * max(0, bits - NARROW_BITS)
    return Resources(
        bram18=block_rams(KEPT_WORDS, bits, blocks),
        luts=NARROW_LUTS + fabric,
        ffs=NARROW_FFS + fabric,
    )


def _words_fifo(bits: int) -> Resources:
    return fifo_fabric(
        BankStorage(StorageKind.SHIFT_REGISTER, 1, WORD_FIFO_DEPTH, bits, 0, is_fifo=True)
    )


def filling_words(memory: Memory) -> Words:
    """Return the words off the chip of the elements that a resident array has at one place."""
    return words_of(memory.banks, memory.element.outside_bits, most_bits=FILLING_BITS)


def launch_cycles(network: Network) -> int:
    """Return the cycles that filling all resident arrays takes: a word a cycle through one port."""
    held = (memory for memory in network.memories if memory.place is Place.RESIDENT)
    return sum(_tiles(memory) * filling_words(memory).count for memory in held)


def _tiles(memory: Memory) -> int:
    """Return the places of a bank that have an element of the array."""
    return prod(-(-n // f) for n, f in zip(memory.shape, memory.factors, strict=True))


def resident_resources(
    network: Network, storages: Mapping[str, BankStorage], blocks: Memories
) -> dict[str, Resources]:
    """Return by name the memories that are filled before the first frame, and what fills them.

    One process takes words from a port, another writes their elements. Arrays with words of one
    width share a port, which is counted with the first of them.
    """
    found: dict[str, Resources] = {}
    widths: set[int] = set()
    for memory in network.memories:
        if memory.place is Place.RESIDENT:
            bits = filling_words(memory).elems * memory.element.outside_bits
            own = memory_resources(storages[memory.name], ping_pong=False)
            found[memory.name] = own + _words_fifo(bits) + FILLING
            if bits not in widths:
                found[memory.name] += _port(bits, blocks)
            widths.add(bits)
    return found
