"""Blocks that hold memories and FIFOs: block RAM, UltraRAM, LUT memory or shift registers.

A process that uses a value in many iterations keeps it in a local buffer, which it writes in the
first of them. Where those iterations follow one another, a register does.

Evidence: the reports of 61 published designs on PolyBench and chains of matrix products (Vitis HLS
2023.2, xcu280): 5200 banks of local arrays and 600 of ping-pong buffers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import prod

from streamopt.analysis.addresses.bank_padding import bank_extents
from streamopt.ir.affine import Affine
from streamopt.ir.network import (
    LEAST_DEPTH_ELEMS,
    AccessMode,
    Fifo,
    Memory,
    Network,
    Pipeline,
    Place,
)
from streamopt.ir.ports import RamBlock
from streamopt.perf.pipelines.recurrence import recurrences
from streamopt.target.memories import Memories

_HALVES = {Place.LOCAL: 1, Place.ROM: 1, Place.PING_PONG: 2}


class StorageKind(StrEnum):
    """RamBlock of a bank."""

    OUTSIDE = "outside"
    """Not part of the design: arguments."""
    REGISTERS = "registers"
    SHIFT_REGISTER = "shift_register"
    LUTRAM = "lutram"
    BRAM = "bram"
    URAM = "uram"


@dataclass(frozen=True, slots=True)
class BankStorage:
    """A memory or a group of FIFOs as built."""

    kind: StorageKind
    banks: int
    """Equal parts, each with ports of its own."""
    # words, bits: size of a bank: words, both halves of a ping-pong buffer counted, and the bits of
    # each
    words: int
    bits: int
    blocks: int = 0
    """Block RAMs of 18 Kbit or UltraRAMs that a bank takes; 0 for the other kinds."""
    is_fifo: bool = False
    """Whether its banks are streams."""
    elems: int = 1
    """Of a word."""

    @property
    def bram18(self) -> int:
        """Return the block RAMs of all banks."""
        return self.banks * self.blocks if self.kind is StorageKind.BRAM else 0

    @property
    def uram(self) -> int:
        """Return the UltraRAMs of all banks."""
        return self.banks * self.blocks if self.kind is StorageKind.URAM else 0


def memory_storage(memory: Memory, blocks: Memories) -> BankStorage:
    """Return how an array is held.

    An element a bank needs no memory: registers. Both halves of a ping-pong buffer lie in one
    bank, one above the other. A table is never in UltraRAM, which begins as zero (AMD UG573).
    A memory that is bound to UltraRAM or block RAM takes as many as hold a bank, and one that is
    bound to LUTs takes these. Banks in words are one, of wider words.
    """
    elems, words = memory.parts_of_word, prod(bank_extents(memory))
    bits, banks = memory.element.bits * elems, memory.banks // elems
    inside = (Place.LOCAL, Place.ROM, Place.RESIDENT)
    if memory.place in (Place.ARGUMENT, Place.OFF_CHIP):
        return BankStorage(StorageKind.OUTSIDE, banks, words, bits)
    if words == 1 and memory.place in inside:
        return BankStorage(StorageKind.REGISTERS, banks, words, bits, elems=elems)
    if memory.place is Place.ROM:
        blocks = replace(blocks, uram_shape=None)
    words *= _HALVES.get(memory.place, 1)
    match memory.block:
        case RamBlock.URAM if blocks.uram_shape is not None:
            count = blocks.uram_shape.blocks(words, bits)
            return BankStorage(StorageKind.URAM, banks, words, bits, count, elems=elems)
        case RamBlock.BRAM:
            count = block_rams(words, bits, blocks)
            return BankStorage(StorageKind.BRAM, banks, words, bits, count, elems=elems)
        case RamBlock.LUTRAM:
            return BankStorage(StorageKind.LUTRAM, banks, words, bits, elems=elems)
        case _:
            return replace(_random_access(banks, words, bits, blocks), elems=elems)


def argument_storage(memory: Memory, blocks: Memories) -> BankStorage:
    """Return how an argument would be held if its memory were part of the design.

    In block RAM or UltraRAM by the size of its banks, or in the LUTs or registers of small ones.
    """
    words, bits = prod(bank_extents(memory)), memory.element.bits
    if words == 1:
        return BankStorage(StorageKind.REGISTERS, memory.banks, words, bits)
    return _random_access(memory.banks, words, bits, blocks)


def fifo_storage(fifo: Fifo, blocks: Memories) -> BankStorage:
    """Return how a group of streams is held, each in a bank of its own.

    Short ones are shift registers. The synthesis report of Vitis HLS counts one block RAM for a
    FIFO in block RAM, however deep it is; counted here is what its elements fill.
    """
    bits, words = fifo.element.bits, fifo.depth_elems
    kind, count = StorageKind.BRAM, 0
    if words <= blocks.shift_register_words or words * bits <= blocks.shift_register_bits:
        kind = StorageKind.SHIFT_REGISTER
    elif words <= blocks.lutram_words or fifo.block is RamBlock.LUTRAM:
        kind = StorageKind.LUTRAM
    else:
        count = block_rams(words, bits, blocks)
    return BankStorage(kind, prod(fifo.lanes), words, bits, count, is_fifo=True)


def fifo_depth_steps(bits: int, blocks: Memories) -> tuple[int, ...]:
    """Return depths of a FIFO: for each way to hold it, the least one, which costs least."""
    shifted = max(blocks.shift_register_words, blocks.shift_register_bits // bits)
    return LEAST_DEPTH_ELEMS, shifted + 1, blocks.lutram_words + 1


def _random_access(banks: int, words: int, bits: int, blocks: Memories) -> BankStorage:
    if words <= blocks.lutram_words:
        return BankStorage(StorageKind.LUTRAM, banks, words, bits)
    if _fills_an_uram(words, bits, blocks):
        return BankStorage(StorageKind.URAM, banks, words, bits, 1)
    return BankStorage(StorageKind.BRAM, banks, words, bits, block_rams(words, bits, blocks))


def _fills_an_uram(words: int, bits: int, blocks: Memories) -> bool:
    """Return whether one UltraRAM holds the bank and more than half of its words are used."""
    shape = blocks.uram_shape
    return shape is not None and bits <= shape.bits and shape.words < 2 * words <= 2 * shape.words


def block_rams(words: int, bits: int, blocks: Memories) -> int:
    """Return the fewest block RAMs of 18 Kbit that hold a bank.

    Up to the words of `power_of_two_words` the depth is rounded up to a power of two, so that
    address bits choose the block; deeper memories are cascades.
    """
    if words <= blocks.power_of_two_words:
        words = 1 << (words - 1).bit_length()
    return min(shape.blocks(words, bits) for shape in blocks.bram18_shapes)


_REGISTER_TERMS = 3
"""Terms of a sum that come from registers where an iteration adds no power of two."""


def memories_as_built(network: Network) -> dict[str, Memory]:
    """Return the memories of a network by name, with the partition that they get.

    Those that Vitis HLS splits, so that lanes do not wait for one another (configuration
    ``config_array_partition``), are split by the lanes that run along each dimension.
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
    for process in network.processes:
        if process.turns:
            own = {name: found[name] for name in process.targets & found.keys()}
            found |= _balanced(own, blocks)
    return found | {fifo.name: fifo_storage(fifo, blocks) for fifo in network.fifos}


def _balanced(found: Mapping[str, BankStorage], blocks: Memories) -> dict[str, BankStorage]:
    """Return memories of one process, those in block RAM for which a region has no UltraRAM left.

    Those go there first whose banks fill an UltraRAM least.
    """
    kept = dict(found)
    for name, storage in sorted(found.items(), key=lambda pair: (pair[1].words, pair[0])):
        if storage.uram and sum(own.uram for own in kept.values()) > blocks.uram_blocks:
            count = block_rams(storage.words, storage.bits, blocks)
            kept[name] = replace(storage, kind=StorageKind.BRAM, blocks=count)
    return kept


def _users(network: Network) -> dict[str, list[Pipeline]]:
    """Return the pipelines that touch each memory or group of FIFOs."""
    users: dict[str, list[Pipeline]] = {}
    for pipeline in network.pipelines:
        for target in dict.fromkeys(port.target for port in pipeline.ports):
            users.setdefault(target, []).append(pipeline)
    return users


def _split_by_lanes(memory: Memory, users: Sequence[Pipeline]) -> Memory:
    if not memory.tool_splits:
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
    is_memory = storage.kind is not StorageKind.REGISTERS
    if memory.place is not Place.LOCAL or len(users) != 1 or not is_memory:
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
