"""Resources that a design takes of each super logic region, and wires between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from streamopt.ir.network import AccessMode, Fifo, Network, Process
from streamopt.perf.resources.network import NetworkResources
from streamopt.target.resources import Resources

HANDSHAKE_WIRES = 2
"""Of a stream, beside its data: whether it has an element, and that this is taken."""


@dataclass(frozen=True, slots=True)
class RegionUsage:
    """Amounts of every region, and wires of every boundary between two, from the first one on."""

    amounts: tuple[Resources, ...]
    wires: tuple[int, ...]


def stream_wires(fifo: Fifo) -> int:
    """Return the wires of all streams of a FIFO."""
    return prod(fifo.lanes) * (fifo.element.bits + HANDSHAKE_WIRES)


def process_slr(process: Process, slrs: Mapping[str, int]) -> int:
    """Return the region of a process, by those of its nodes."""
    return next(slrs[pipeline.name] for pipeline in process.pipelines if pipeline.name in slrs)


def process_amounts(network: Network, built: NetworkResources) -> dict[str, Resources]:
    """Return the resources of each process with the channels that it writes.

    A memory that is filled before the first frame is with the process that reads it.
    """
    found = dict(built.processes)
    for name, used in built.channels.items():
        found[writer_of(network, name)] += used
    for name, used in built.resident.items():
        found[next(p.name for p in network.processes if name in p.targets)] += used
    return found


def writer_of(network: Network, target: str) -> str:
    """Return the first process that writes to a memory or FIFO."""
    return next(process.name for process in network.processes if _writes(process, target))


def region_usage(
    network: Network, built: NetworkResources, slrs: Mapping[str, int], regions: int
) -> RegionUsage:
    """Return the resources by region: FIFOs and buffers are where their writer is.

    Parameters
    ----------
    slrs
        Region by node.
    regions
        Their number.
    """
    amounts = [Resources() for _ in range(regions)]
    wires = [0] * (regions - 1)
    homes = {process.name: process_slr(process, slrs) for process in network.processes}
    for name, used in process_amounts(network, built).items():
        amounts[homes[name]] = amounts[homes[name]] + used
    for fifo in network.fifos:
        reached = {homes[p.name] for p in network.processes if fifo.name in p.targets}
        for boundary in range(min(reached), max(reached)):
            wires[boundary] += stream_wires(fifo)
    return RegionUsage(tuple(amounts), tuple(wires))


def _writes(process: Process, target: str) -> bool:
    ports = (port for pipeline in process.pipelines for port in pipeline.ports)
    return any(port.target == target and port.mode is AccessMode.WRITE for port in ports)
