"""Initiation interval and depth of every pipeline of a network, with the reason of each interval.

Only what source and target say goes in: loops, accesses, guards, partitions, operations and the
operator table. Rules and their evidence are in `ports`, `recurrence` and `depth`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from streamopt.ir.network import Memory, Network, Pipeline, PipelineTiming, Turns
from streamopt.perf.pipelines.bandwidth import network_rates, transfer_bounds
from streamopt.perf.pipelines.depth import depth_cycles
from streamopt.perf.pipelines.port_cycles import port_cycles
from streamopt.perf.pipelines.ports import (
    PORTS_OF_A_BANK,
    memory_demands,
    port_counts,
    stream_demands,
)
from streamopt.perf.pipelines.recurrence import recurrences
from streamopt.perf.pipelines.recurrence_graph import slowest_circle
from streamopt.target.device import Target

NO_RATES: Mapping[str, Sequence[float]] = MappingProxyType({})


class Reason(StrEnum):
    """Reason for an initiation interval."""

    MEMORY_PORTS = "memory ports"
    STREAM_PORTS = "stream ports"
    RECURRENCE = "recurrence"
    CIRCLE = "recurrence through"
    CHANNEL = "memory channel"
    TARGET = "target"


_NOUNS = {
    Reason.RECURRENCE: "term",
    Reason.CIRCLE: "iteration",
    Reason.CHANNEL: "element",
}


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on an initiation interval."""

    reason: Reason
    target: str
    """The memory or FIFO; of a circle all memories that it goes through."""
    count: int
    """Accesses of its fullest bank or stream in an iteration; for a recurrence, the terms that an
    iteration adds; for a circle, the iterations after which it comes back."""
    ii: int

    def __str__(self) -> str:
        """Return a phrase for people."""
        return f"{self.cause}: II {self.ii}"

    @property
    def cause(self) -> str:
        """Return a phrase for people, without the interval."""
        if self.reason is Reason.TARGET:
            return self.reason.value
        noun = _NOUNS.get(self.reason, "access")
        many = "" if self.count == 1 else "es" if noun.endswith("s") else "s"
        around = " around" if self.reason is Reason.CIRCLE else ""
        of = "" if self.reason is Reason.CIRCLE else " of"
        return f"{self.reason.value}{of} {self.target}, {self.count} {noun}{many}{around}"


@dataclass(frozen=True, slots=True)
class TimedPipeline:
    """How a pipeline runs, and why."""

    timing: PipelineTiming
    bounds: tuple[Bound, ...]
    """Reasons of an interval above 1, the strongest first."""

    @property
    def binding(self) -> Bound | None:
        """Return the bound that decides; None where an iteration starts every cycle."""
        return self.bounds[0] if self.bounds else None


def pipeline_timings(network: Network, target: Target) -> dict[str, PipelineTiming]:
    """Return the timing of each pipeline, by name; see `timed_pipelines`."""
    return {name: timed.timing for name, timed in timed_pipelines(network, target).items()}


def timed_pipelines(network: Network, target: Target) -> dict[str, TimedPipeline]:
    """Return timing and reasons of each pipeline, by name.

    Pipelines are taken as they stand; `streamopt.perf.pipelines.timings.dissolved` first makes
    those that the vendor's tool would.
    """
    memories = {memory.name: memory for memory in network.memories}
    ports, rates = port_counts(network), network_rates(network, target)
    found: dict[str, TimedPipeline] = {}
    for process in network.processes:
        for turns in process.turns:
            found |= timed_in_turn(turns, process.pipelines, memories, target)
        for own in process.pipelines:
            if own.name not in found:
                found[own.name] = timed_pipeline(own, memories, ports, target, rates)
    return found


def timed_in_turn(
    turns: Turns,
    pipelines: Sequence[Pipeline],
    memories: Mapping[str, Memory],
    target: Target,
) -> dict[str, TimedPipeline]:
    """Return how pipelines that take turns run, by their names and by that of them all.

    They run as one, as deep as the deepest.
    Their interval is the one that they were built for, which their memories allow.
    """
    names = turns.pipelines
    own = [pipeline for pipeline in pipelines if pipeline.name in names]
    cycles = port_cycles(own, memories, turns.ii, target)
    depth = max(
        max(depth_cycles(pipeline, memories, (), turns.ii, target), *at)
        for pipeline, at in zip(own, cycles, strict=True)
    )
    accesses = turns.ii * PORTS_OF_A_BANK
    asked = Bound(Reason.MEMORY_PORTS, turns.name, accesses, turns.ii)
    bounds = (asked,) if turns.ii > 1 else ()
    together = TimedPipeline(PipelineTiming(turns.ii, depth), bounds)
    return {turns.name: together} | {
        pipeline.name: TimedPipeline(PipelineTiming(turns.ii, depth, at), bounds)
        for pipeline, at in zip(own, cycles, strict=True)
    }


def timed_pipeline(
    pipeline: Pipeline,
    memories: Mapping[str, Memory],
    ports: Mapping[str, int],
    target: Target,
    rates: Mapping[str, Sequence[float]] = NO_RATES,
) -> TimedPipeline:
    """Return timing and reasons of one pipeline.

    Parameters
    ----------
    memories
        By name, those that it touches.
    ports
        By memory; see `streamopt.perf.pipelines.ports.port_counts`.
    rates
        By memory off the chip; see `streamopt.perf.pipelines.bandwidth.network_rates`.
    """
    updates = tuple(recurrences(pipeline))
    by_ports = [bound for bound in _port_bounds(pipeline, memories, ports) if bound.ii > 1]
    by_ports += [
        Bound(Reason.CHANNEL, name, elems, ii)
        for name, elems, ii in transfer_bounds(pipeline, memories, rates)
        if ii > 1
    ]
    port_ii = max((bound.ii for bound in by_ports), default=1)
    by_updates = [
        Bound(Reason.RECURRENCE, update.target, update.terms, update.ii(target))
        for update in updates
    ]
    by_updates += _circle_bound(pipeline, max((b.ii for b in by_updates), default=1), target)
    asked = Bound(Reason.TARGET, pipeline.name, 0, pipeline.target_ii)
    bounds = [*by_ports, *(bound for bound in (*by_updates, asked) if bound.ii > 1)]
    bounds.sort(key=lambda bound: -bound.ii)
    ii = bounds[0].ii if bounds else 1
    spread_ii = max(port_ii, pipeline.target_ii)  # lanes that share operators take turns
    depth = depth_cycles(pipeline, memories, updates, spread_ii, target)
    return TimedPipeline(PipelineTiming(ii, depth), tuple(bounds))


def _circle_bound(pipeline: Pipeline, ii: int, target: Target) -> Iterator[Bound]:
    """Yield what the slowest circle asks for, if that is more than an interval."""
    circle = slowest_circle(pipeline, target)
    if circle is not None and circle.ii > ii:
        yield Bound(Reason.CIRCLE, ", ".join(circle.memories), circle.distance, circle.ii)


def _port_bounds(
    pipeline: Pipeline, memories: Mapping[str, Memory], ports: Mapping[str, int]
) -> Iterator[Bound]:
    for demand in memory_demands(pipeline, memories, ports):
        yield Bound(Reason.MEMORY_PORTS, demand.target, demand.accesses, demand.ii)
    for demand in stream_demands(pipeline, memories):
        yield Bound(Reason.STREAM_PORTS, demand.target, demand.accesses, demand.ii)


def dissolved(network: Network) -> Network:
    """Return the network with the pipelines that are built: see `without_single_trips`.

    Pipelines that take turns step through states: there is no loop to dissolve.
    """
    stepped = {name for it in network.processes for turns in it.turns for name in turns.pipelines}

    def built(pipeline: Pipeline) -> Pipeline:
        return pipeline if pipeline.name in stepped else without_single_trips(pipeline)

    return network.with_pipelines(built)


def without_idle_requests(network: Network, target: Target) -> Network:
    """Return the network without requests for intervals that its pipelines have anyway.

    Lanes share operators where a design asks for a longer interval than it needs; source with
    ``#pragma HLS pipeline II=4`` often says the interval that its author knew it would get.
    """
    if all(pipeline.target_ii == 1 for pipeline in network.pipelines):
        return network
    timed = timed_pipelines(network, target)

    def built(pipeline: Pipeline) -> Pipeline:
        binding = timed[pipeline.name].binding
        is_idle = binding is not None and binding.reason is not Reason.TARGET
        return replace(pipeline, target_ii=1) if is_idle else pipeline

    return network.with_pipelines(built)


def without_single_trips(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline that is built of one whose innermost loop has a single iteration.

    ``i, j, k=1 | lanes`` with a guard becomes ``i | j, k, lanes``; without a guard, or with fewer
    than two loops around, it stays as it is. Vitis HLS dissolves such a loop, and with it the place
    where pipelining was asked for: it pipelines the loop two levels above and unrolls the one
    between. Five nodes of the published multi-head attention are built so: softmax nodes of
    32 x 32 x 1 iterations run 32 iterations at II 32, and a product of matrices of 32 x 32 x 8 x 1
    runs 1024 at II 4.
    """
    kept = len(pipeline.tiles)
    while kept and pipeline.tiles[kept - 1].trip_count == 1:
        kept -= 1
    guarded = any(port.guard is not None for port in pipeline.ports)
    if kept == len(pipeline.tiles) or kept < 2 or not guarded:
        return pipeline
    lanes = (*pipeline.tiles[kept - 1 :], *pipeline.lanes)
    return replace(pipeline, tiles=pipeline.tiles[: kept - 1], lanes=lanes)
