"""Local memories bound to UltraRAM where block RAMs don't suffice (O26)."""

from collections.abc import Iterator
from dataclasses import replace

from streamopt.evaluation.design import Evaluation
from streamopt.ir.network import Memory, Network, Place
from streamopt.ir.ports import RamBlock
from streamopt.ir.schedule import Schedule
from streamopt.perf.resources.memory_blocks import StorageKind, memory_storage
from streamopt.perf.resources.network import resources
from streamopt.target.resources import Resources


def with_urams(
    schedule: Schedule, evaluation: Evaluation, over_bram18: int, limits: Resources
) -> tuple[Schedule, Evaluation]:
    """Return a design with as many memories in UltraRAM as it is over its block RAMs by.

    Those come first that save the most block RAMs for an UltraRAM. Nothing else changes: either
    memory answers as fast.

    Parameters
    ----------
    over_bram18
        Block RAMs that the design takes beyond the limit.
    """
    chosen: set[str] = set()
    left = limits.uram - evaluation.resources.total.uram
    for name, saved, blocks in sorted(_movable(evaluation), key=lambda c: (-c[1] / c[2], c[0])):
        if over_bram18 > 0 and blocks <= left:
            chosen.add(name)
            over_bram18, left = over_bram18 - saved, left - blocks
    if not chosen:
        return schedule, evaluation
    network = evaluation.network
    memories = tuple(
        replace(m, block=RamBlock.URAM if m.name in chosen else m.block) for m in network.memories
    )
    network = replace(network, memories=memories)
    timings = {name: timed.timing for name, timed in evaluation.timed.items()}
    used = resources(network, timings, evaluation.target)
    return _bound(schedule, chosen), replace(evaluation, network=network, resources=used)


def _movable(evaluation: Evaluation) -> Iterator[tuple[str, int, int]]:
    """Yield memories in block RAM that UltraRAMs may hold: name, block RAMs and UltraRAMs."""
    blocks = evaluation.target.memories
    for memory in _alone(evaluation.network):
        held = evaluation.resources.storages[memory.name]
        bound = memory_storage(replace(memory, block=RamBlock.URAM), blocks)
        if held.kind is StorageKind.BRAM and bound.kind is StorageKind.URAM:
            yield memory.name, held.bram18, held.banks * bound.blocks


def _alone(network: Network) -> Iterator[Memory]:
    """Yield the memories of streaming nodes that no other one of the node is named after."""
    turning = {name for p in network.processes if p.turns for name in p.targets}
    local = [m for m in network.memories if m.place is Place.LOCAL and m.name not in turning]
    names = [memory.name for memory in local]
    for memory in local:
        if sum(name.startswith(memory.name) for name in names) == 1:
            yield memory


def _bound(schedule: Schedule, chosen: set[str]) -> Schedule:
    def own(node: str) -> tuple[str, ...]:
        return tuple(sorted(n.removeprefix(f"{node}.") for n in chosen if n.startswith(f"{node}.")))

    nodes = tuple(replace(plan, urams=plan.urams + own(plan.node)) for plan in schedule.nodes)
    return replace(schedule, nodes=nodes)
