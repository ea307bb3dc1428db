"""Memories bound to UltraRAM or LUTs where block RAMs don't suffice (O28)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from streamopt.evaluation.design import Evaluation
from streamopt.ir.network import Memory, Network, Place
from streamopt.ir.ports import RamBlock
from streamopt.ir.schedule import Schedule
from streamopt.perf.pipelines.ports import memory_demands, port_counts
from streamopt.perf.resources.fabric import fifo_fabric, memory_fabric
from streamopt.perf.resources.memory_blocks import (
    BankStorage,
    StorageKind,
    fifo_storage,
    memory_storage,
    network_storage,
)
from streamopt.perf.resources.network import resources
from streamopt.target.memories import Memories
from streamopt.target.resources import Resources

MOST_LUTRAM_WORDS = 1024
"""Of a bank in LUTs: those of a block RAM of 36 Kbit at its widest; an estimate."""


@dataclass(frozen=True, slots=True)
class _Move:
    """A memory or a group of FIFOs made of something else than block RAM."""

    name: str
    block: RamBlock
    saved_bram18: int
    cost: int
    """UltraRAMs or LUTs."""

    @property
    def rank(self) -> tuple[bool, float, str]:
        """Return the key by which they are taken: UltraRAMs, which are free else, before LUTs."""
        return self.block is RamBlock.LUTRAM, self.cost / self.saved_bram18, self.name


def with_other_blocks(
    schedule: Schedule,
    evaluation: Evaluation,
    depths: Mapping[str, int],
    used: Resources,
    limits: Resources,
) -> tuple[Schedule, Evaluation]:
    """Return a design with memories in UltraRAM or LUTs for the block RAMs that it is over by.

    Those come first that save the most block RAMs for an UltraRAM, then for a LUT; none is in LUTs
    if that doesn't suffice. Nothing else changes: all answer as fast.

    Parameters
    ----------
    depths
        Of FIFOs, as they are counted.
    used
        What the design takes, with these.
    """
    over = used.bram18 - limits.bram18
    left = {RamBlock.URAM: limits.uram - used.uram, RamBlock.LUTRAM: limits.luts - used.luts}
    chosen: dict[str, _Move] = {}
    for move in sorted(_moves(evaluation, depths), key=lambda move: move.rank):
        if over > 0 and move.name not in chosen and move.cost <= left[move.block]:
            chosen[move.name] = move
            over, left[move.block] = over - move.saved_bram18, left[move.block] - move.cost
    for move in sorted(chosen.values(), key=lambda move: -move.cost):
        is_spare = over + move.saved_bram18 <= 0
        if move.block is RamBlock.LUTRAM and (over > 0 or is_spare):
            del chosen[move.name]
            over += move.saved_bram18 * is_spare
    if not chosen:
        return schedule, evaluation
    blocks = {name: move.block for name, move in chosen.items()}
    network = _bound_network(evaluation.network, blocks)
    timings = {name: timed.timing for name, timed in evaluation.timed.items()}
    found = resources(network, timings, evaluation.target, cells=evaluation.cells)
    return _bound(schedule, blocks), replace(evaluation, network=network, resources=found)


def _moves(evaluation: Evaluation, depths: Mapping[str, int]) -> Iterator[_Move]:
    """Yield what may become of memories and FIFOs in block RAM."""
    network, blocks = evaluation.network, evaluation.target.memories
    fifos = tuple(replace(fifo, depth_elems=depths[fifo.name]) for fifo in network.fifos)
    held = network_storage(replace(network, fifos=fifos), blocks)
    for fifo in fifos:
        bound = fifo_storage(replace(fifo, block=RamBlock.LUTRAM), blocks)
        yield from _in_luts(fifo.name, held[fifo.name], bound)
    one_read = _read_once(network)
    buffers = (m for m in network.memories if m.place is Place.PING_PONG and m.name in one_read)
    for memory in (*buffers, *_alone(network)):
        now = held[memory.name]
        bound = memory_storage(replace(memory, block=RamBlock.URAM), blocks)
        if now.bram18 and bound.kind is StorageKind.URAM:
            urams = now.banks * bound.blocks
            yield _Move(memory.name, RamBlock.URAM, now.bram18, urams)
        if memory.name in one_read:
            yield from _memory_in_luts(memory, now, blocks)


def _memory_in_luts(memory: Memory, now: BankStorage, blocks: Memories) -> Iterator[_Move]:
    bound = memory_storage(replace(memory, block=RamBlock.LUTRAM), blocks)
    yield from _in_luts(memory.name, now, replace(bound, banks=now.banks))


def _in_luts(name: str, now: BankStorage, bound: BankStorage) -> Iterator[_Move]:
    """Yield the move of a memory to LUTs, if it is in block RAM and small."""
    if now.bram18 and bound.words <= MOST_LUTRAM_WORDS:
        before, after = (
            fifo_fabric(each) if each.is_fifo else memory_fabric(each, ping_pong=False)
            for each in (now, bound)
        )
        yield _Move(name, RamBlock.LUTRAM, now.bram18, max(1, after.luts - before.luts))


def _read_once(network: Network) -> set[str]:
    """Return the memories of which no iteration reads two elements of a bank.

    A LUT has one port to write and one to read.
    """
    memories = {memory.name: memory for memory in network.memories}
    ports = port_counts(network)
    turning = {name for p in network.processes if p.turns for name in p.targets}
    busy = {
        demand.target
        for pipeline in network.pipelines
        for demand in memory_demands(pipeline, memories, ports)
        if demand.accesses > 1
    }
    return memories.keys() - turning - busy


def _alone(network: Network) -> Iterator[Memory]:
    """Yield the memories of streaming nodes that no other one of the node is named after."""
    turning = {name for p in network.processes if p.turns for name in p.targets}
    local = [m for m in network.memories if m.place is Place.LOCAL and m.name not in turning]
    names = [memory.name for memory in local]
    for memory in local:
        if sum(name.startswith(memory.name) for name in names) == 1:
            yield memory


def _bound_network(network: Network, blocks: Mapping[str, RamBlock]) -> Network:
    memories = (replace(m, block=blocks.get(m.name, m.block)) for m in network.memories)
    fifos = (replace(f, block=blocks.get(f.name, f.block)) for f in network.fifos)
    return replace(network, memories=tuple(memories), fifos=tuple(fifos))


def _bound(schedule: Schedule, blocks: Mapping[str, RamBlock]) -> Schedule:
    def own(node: str) -> tuple[tuple[str, RamBlock], ...]:
        pairs = sorted(blocks.items())
        return tuple((n.removeprefix(f"{node}."), m) for n, m in pairs if n.startswith(f"{node}."))

    nodes = tuple(replace(plan, blocks=plan.blocks + own(plan.node)) for plan in schedule.nodes)
    channels = tuple(
        replace(plan, block=blocks.get(plan.channel, plan.block)) for plan in schedule.channels
    )
    return replace(schedule, nodes=nodes, channels=channels)
