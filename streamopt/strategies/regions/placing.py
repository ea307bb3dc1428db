"""A design in the super logic regions of a part: partitioned, and simulated with its relays."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from streamopt.evaluation.design import Evaluation, evaluated
from streamopt.evaluation.region_usage import (
    RegionUsage,
    process_amounts,
    region_usage,
    stream_wires,
    writer_of,
)
from streamopt.ir.graph import Graph
from streamopt.ir.network import Network, Place, Process
from streamopt.ir.schedule import Schedule
from streamopt.perf.resources.network import NetworkResources
from streamopt.strategies.regions.partition import (
    DesignParts,
    DesignPiece,
    Link,
    RegionPartition,
    partition,
)
from streamopt.target.regions import Floorplan
from streamopt.target.resources import RESOURCE_NAMES, Resources
from streamopt.transforms.apply import apply, planned_graph
from streamopt.transforms.ports.placed_schedule import placed

MOST_ROUNDS = 3
"""Partitions of a design: relays take resources, too, which the next one leaves to them."""

Counts = Callable[[Evaluation], NetworkResources]


@dataclass(frozen=True, slots=True)
class PlacedDesign:
    """A design whose nodes are in regions, within the limits of all of these or not."""

    schedule: Schedule
    evaluation: Evaluation
    usage: RegionUsage
    limits: tuple[Resources, ...]
    share: float
    """The largest share of a limit of a region or a boundary that it takes."""
    is_proved: bool
    """Whether no partition is better, or, above a share of 1, none keeps to the limits."""

    def as_parts(self, used: Resources, limits: Resources) -> Resources:
        """Return amounts that are over limits of the whole by as much as a region over its own.

        Parameters
        ----------
        used
            In all.
        limits
            Of all regions together.
        """
        if self.share <= 1.0:
            return used
        worst = {
            name: max(
                getattr(own, name) / max(1, getattr(most, name))
                for own, most in zip(self.usage.amounts, self.limits, strict=True)
            )
            for name in RESOURCE_NAMES
        }
        amounts = {
            name: max(getattr(used, name), int(share * getattr(limits, name)) + 1)
            for name, share in worst.items()
            if share > 1.0
        }
        return replace(used, **amounts)


def in_regions(
    graph: Graph,
    schedule: Schedule,
    evaluation: Evaluation,
    limits: tuple[Resources, ...],
    counts: Counts,
    *,
    is_rough: bool = True,
) -> PlacedDesign:
    """Return a design with its nodes in regions, simulated with relays between these.

    Parameters
    ----------
    schedule
        Without regions.
    evaluation
        Of the schedule.
    limits
        Of every region.
    counts
        The resources that a design is judged by.
    is_rough
        See `partition`.
    """
    left, floorplan, rounds = limits, evaluation.target.floorplan, 0
    while True:
        parts = design_parts(graph, schedule, evaluation, left, counts(evaluation))
        chosen = partition(parts, is_rough=is_rough)
        built, design = _built(graph, schedule, evaluation, chosen)
        slrs, rounds = dict(built.slrs), rounds + 1
        usage = region_usage(design.network, counts(design), slrs, len(limits))
        share = region_share(usage, limits, floorplan)
        if share <= 1.0 or not chosen.fits or rounds == MOST_ROUNDS:
            return PlacedDesign(built, design, usage, limits, share, chosen.is_proved)
        alone = region_usage(evaluation.network, counts(evaluation), slrs, len(limits))
        pairs = zip(left, usage.amounts, alone.amounts, strict=True)
        left = tuple(_without(most, used, before) for most, used, before in pairs)


def design_parts(
    graph: Graph,
    schedule: Schedule,
    evaluation: Evaluation,
    limits: tuple[Resources, ...],
    built: NetworkResources,
) -> DesignParts:
    """Return the processes of a design as pieces, with the streams between them.

    A process that moves an array off the chip is where the memory is. Processes that share a memory
    are together.
    """
    network, floorplan = evaluation.network, evaluation.target.floorplan
    places = {process.name: at for at, process in enumerate(network.processes)}
    amounts = process_amounts(network, built)
    takes = [amounts[process.name] for process in network.processes]
    homes = [_home(network, process, floorplan) for process in network.processes]
    return DesignParts(
        tuple(DesignPiece(*pair) for pair in zip(takes, homes, strict=True)),
        tuple(_links(planned_graph(graph, schedule), network, places)),
        limits,
        tuple(_together(network, places)),
        floorplan.crossing_wires,
    )


def _built(
    graph: Graph, schedule: Schedule, evaluation: Evaluation, chosen: RegionPartition
) -> tuple[Schedule, Evaluation]:
    """Return the schedule with regions and relays, and how it runs."""
    slrs = {
        node.node.name: slr
        for nodes, slr in zip(apply(graph, schedule).processes, chosen.slrs, strict=True)
        for node in nodes
    }
    built = placed(planned_graph(graph, schedule), schedule, slrs)
    if len(built.nodes) == len(schedule.nodes):
        return built, evaluation
    return built, evaluated(graph, built, evaluation.target, checks_hazards=False)


def region_share(usage: RegionUsage, limits: tuple[Resources, ...], floorplan: Floorplan) -> float:
    """Return the largest share of a limit of a region, or of the wires of a boundary."""
    shares = [
        getattr(used, name) / max(1, getattr(most, name))
        for used, most in zip(usage.amounts, limits, strict=True)
        for name in RESOURCE_NAMES
    ]
    if floorplan.crossing_wires is not None:
        shares += [wires / floorplan.crossing_wires for wires in usage.wires]
    return max(shares)


def _without(limit: Resources, used: Resources, before: Resources) -> Resources:
    """Return a limit without what relays take of it."""
    amounts = {
        name: max(0, getattr(limit, name) - max(0, getattr(used, name) - getattr(before, name)))
        for name in RESOURCE_NAMES
    }
    return Resources(**amounts)


def _home(network: Network, process: Process, floorplan: Floorplan) -> int | None:
    """Return the region next to the memory that a process moves an array from or to, if any."""
    memories = {memory.name: memory for memory in network.memories}
    touched = [memories[name] for name in process.targets & memories.keys()]
    channels = [c for m in touched if m.place is Place.OFF_CHIP for c in m.channels if c]
    return floorplan.region_of(channels) if channels else None


def _links(graph: Graph, network: Network, places: dict[str, int]) -> Iterator[Link]:
    """Yield the streams of every array, from its writer to all that take it from a FIFO."""
    fifos = {fifo.name: fifo for fifo in network.fifos}
    by_array: dict[str, list[str]] = {}
    for edge in graph.edges:
        if edge.channel in fifos:
            by_array.setdefault(edge.array, []).append(edge.channel)
    for names in by_array.values():
        start = places[writer_of(network, names[0])]
        touching = {places[p.name] for p in network.processes if p.targets & {*names}}
        wires = max(stream_wires(fifos[name]) for name in names)
        yield Link(start, tuple(sorted(touching - {start})), wires)


def _together(network: Network, places: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of processes that share a memory on the chip."""
    for memory in network.memories:
        if memory.place in (Place.OFF_CHIP, Place.ROM):
            continue
        touching = [places[p.name] for p in network.processes if memory.name in p.targets]
        yield from ((touching[0], other) for other in touching[1:])
