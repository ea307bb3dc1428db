"""Buffers between nodes that let frames follow each other as closely as the nodes run.

A process whose inputs come as streams runs as long as their producers let it, which a ping-pong
buffer between them ends. A buffer holds two frames, so a path through buffers is frames behind a
FIFO beside it: that holds as many frames.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace

from streamopt.errors import SimulationError
from streamopt.evaluation.frames import simulated_frames, skips, steady_interval_cycles
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import ChannelKind, ChannelPlan, Schedule
from streamopt.target.device import Target
from streamopt.transforms.apply import planned_graph

CLOSE = 0.01
"""Share by which the simulated distance of frames may be above the model's."""
FEWEST_POWER = 9
"""Of two: the least number of slots that FIFOs are limited to, as many as a block of RAM has."""
POWERS_APART = 2
"""Between those that are tried: each is a simulation."""
MOST_TURNS = 20_000
"""Of processes in a simulation with few slots: about two seconds. With too few of them, tokens move
one by one."""
MOST_TRIALS = 8
"""Groups of FIFOs that are made small, each a simulation of some frames."""


def frames_cycles(graph: Graph, schedule: Schedule, on: Target) -> int:
    """Return the steady distance of frames, simulated."""
    return steady_interval_cycles(simulated_frames(graph, schedule, on))


def buffered(schedule: Schedule, channels: Collection[str]) -> Schedule:
    """Return a schedule with ping-pong buffers for some channels."""
    plans = tuple(
        ChannelPlan(c.channel, ChannelKind.PING_PONG) if c.channel in channels else c
        for c in schedule.channels
    )
    return replace(schedule, channels=plans)


def unstretched(graph: Graph, schedule: Schedule, cycles: int, on: Target) -> Schedule:
    """Return a schedule with buffers in front of processes that run longer than a frame.

    Parameters
    ----------
    cycles
        Of a frame.
    """
    longest = (1 + CLOSE) * cycles
    while True:
        late: set[str] = set()
        for process in simulated_frames(graph, schedule, on).processes:
            if max(map(int.__sub__, process.ends, process.starts)) > longest:
                late |= {pipeline.name for pipeline in process.pipelines}
        edges = planned_graph(graph, schedule).edges
        waiting = {e.channel for e in edges if e.consumer in late} & schedule.fifos
        if not waiting:
            return schedule
        schedule = buffered(schedule, waiting)


def deepened(graph: Graph, schedule: Schedule) -> Schedule:
    """Return a schedule whose FIFOs hold a frame for each buffer on longer paths beside them."""
    planned = planned_graph(graph, schedule)
    ins, behind = planned.in_edges(), dict[str, int]()
    for node in planned.nodes:
        own = ins[node.name]
        steps = (behind[e.producer] + (e.channel not in schedule.fifos) for e in own)
        behind[node.name] = max(steps, default=0)
    frames = {
        edge.channel: 1 + behind[edge.consumer] - behind[edge.producer] for edge in planned.edges
    }
    return with_depths(
        schedule,
        {c.channel: c.depth_elems * frames.get(c.channel, 1) for c in schedule.channels},
    )


def shallow(
    graph: Graph,
    schedule: Schedule,
    interval_cycles: int,
    on: Target,
    is_over: Callable[[], bool],
) -> Schedule:
    """Return a schedule with fewer slots of FIFOs, where frames stay as close.

    As producers run ahead of whom they wait for, most FIFOs need far fewer slots than are ever in
    use. Those past longer paths have what is in use in one frame if that does; one number of slots
    limits all others, the least that does of every second power of two.

    Parameters
    ----------
    interval_cycles
        Between frames of the schedule, simulated.
    is_over
        Asked before each simulation; true keeps the slots so far.
    """
    limit = (1 + CLOSE) * interval_cycles
    passing = {channel for _, channel in skips(graph, schedule)}
    depths = {
        c.channel: c.depth_elems or 0 for c in schedule.channels if c.kind is ChannelKind.FIFO
    }

    def limited(most: Mapping[str, int]) -> Schedule:
        least = ((name, most.get(name, depth), depth) for name, depth in depths.items())
        return with_depths(schedule, {name: min(own, depth) for name, own, depth in least})

    def is_steady(tried: Schedule) -> bool:
        with suppress(SimulationError):
            trace = simulated_frames(graph, tried, on, most_turns=MOST_TURNS)
            return steady_interval_cycles(trace) <= limit
        return False

    past: dict[str, int] = {}
    if passing.intersection(depths):
        fifos = simulated_frames(graph, schedule, on, 1).fifos
        past = {fifo.name: fifo.peak_elems for fifo in fifos if fifo.name in passing}
    found = limited(past) if past else schedule
    if past and (is_over() or not is_steady(found)):
        found, past = schedule, {}
    straight = set(depths) - passing
    most = max((depths[name].bit_length() for name in straight), default=0)
    powers = range(FEWEST_POWER, most, POWERS_APART)
    low, high = 0, len(powers)
    while low < high and not is_over():
        middle = (low + high) // 2
        tried = limited({**past, **dict.fromkeys(straight, 1 << powers[middle])})
        if is_steady(tried):
            found, high = tried, middle
        else:
            low = middle + 1
    return found


def small_and_steady(graph: Graph, full: Schedule, small: Schedule, on: Target) -> Schedule:
    """Return a schedule with the small depths that leave frames as close as the full ones do.

    Small depths keep the latency of one frame; a producer that waits for room in them begins its
    next frame later. Groups of FIFOs are tried, halved where they don't do.
    """
    limit = (1 + CLOSE) * frames_cycles(graph, full, on)
    found = full
    waiting = [[c for c in small.channels if c != full.channel(c.channel)]]
    for _ in range(MOST_TRIALS):
        if not waiting:
            break
        group = waiting.pop(0)
        depths = {channel.channel: channel for channel in group}
        channels = tuple(depths.get(c.channel, c) for c in found.channels)
        tried = replace(found, channels=channels)
        if frames_cycles(graph, tried, on) <= limit:
            found = tried
        elif len(group) > 1:
            middle = len(group) // 2
            waiting += [group[:middle], group[middle:]]
    return found


def with_depths(schedule: Schedule, depths: Mapping[str, int]) -> Schedule:
    """Return a schedule with other depths of FIFOs."""
    channels = tuple(
        replace(c, depth_elems=depths.get(c.channel, c.depth_elems))
        if c.kind is ChannelKind.FIFO
        else c
        for c in schedule.channels
    )
    return replace(schedule, channels=channels)
