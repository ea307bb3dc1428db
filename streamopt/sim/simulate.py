"""Simulates a network to the end, or to its standstill."""

from collections.abc import Iterator, Mapping
from math import inf

import numpy as np

from streamopt.ir.network import Network, PipelineTiming
from streamopt.sim.critical_path import critical_path
from streamopt.sim.deadlock import Deadlock, DeadlockError, Wait, find_ring
from streamopt.sim.plan import make_plan
from streamopt.sim.tokens.engine import HANDOVER_CYCLES, Engine
from streamopt.sim.tokens.flushable import blocked_flushable
from streamopt.sim.tokens.settling import run_network
from streamopt.sim.tokens.stalling import blocked_stalling
from streamopt.sim.tokens.state import ChannelAccess, PipelineRun
from streamopt.sim.trace import Trace, fifo_traces, last_cycle, process_traces
from streamopt.sim.waits import WaitKind, engine_waits
from streamopt.sim.wellformed import check_network


def simulate(
    network: Network,
    timings: Mapping[str, PipelineTiming],
    *,
    frames: int = 1,
    flushable: bool = False,
    depths: Mapping[str, int] | None = None,
    samples: int = 0,
    most_turns: float = inf,
) -> Trace:
    """Return the trace of a network, cycle by cycle; see `streamopt.sim` for the rules.

    Parameters
    ----------
    timings
        Initiation interval and depth of each pipeline, by name.
    frames
        How often the network runs, one frame after the other as its buffers allow. Of a network
        that runs in passes, a frame is all of its passes, and what is traced is one pass.
    flushable
        Whether an empty input holds back only the iterations that haven't read yet, instead of
        freezing the pipeline as Vitis does by default.
    depths
        Elements that each stream of a FIFO holds, by the FIFO's name, where other than the
        network says.
    samples
        Spans of equal length for which the occupancy of every FIFO and the waits of every
        process are told, with the critical path (waits and path of stalling pipelines only).
    most_turns
        Of processes that come as far as is known: the more, the fewer tokens move in one.

    Raises
    ------
    DeadlockError
        If the network comes to a standstill (E810); carries all that is known up to then.
    SimulationError
        If it can't be run: see `streamopt.sim.wellformed`, and E806, E807 for accesses; E815 if it
        takes more turns.
    """
    given = depths or {}
    check_network(network, timings, given, frames)
    asked, frames = frames, 1 if network.passes > 1 else frames
    engine = Engine(make_plan(network, timings, given, flushable=flushable), frames, most_turns)
    ended = run_network(engine)
    waits = engine_waits(engine) if samples and not flushable else []
    processes = process_traces(engine, waits, samples)
    fifos = fifo_traces(engine, network, samples)
    if not ended:
        vain = tuple(_waits(engine))
        ring = find_ring(vain)
        cycles = last_cycle(engine) + 1
        raise DeadlockError(Deadlock(network.name, frames, cycles, vain, ring, processes, fifos))
    ends = [max((p.ends[frame] for p in processes), default=0) for frame in range(frames)]
    path = critical_path(engine, waits, samples) if waits else ()
    if network.passes > 1:  # none begins before the one before has ended
        cycles = network.passes * (ends[0] + HANDOVER_CYCLES) - HANDOVER_CYCLES
        ends = [cycles + frame * (cycles + HANDOVER_CYCLES) for frame in range(asked)]
        frames = asked
    apart, accesses = _interval(ends), sum(c.writes + c.reads for c in engine.plan.channels)
    parts = (processes, fifos, path)
    return Trace(network.name, frames, ends[0], apart, ends[-1], *parts, accesses)


def _interval(ends: list[int]) -> int | None:
    """Return the mean time between the last three ends, or between the only two, rounded up."""
    last = ends[-3:]
    return -((last[0] - last[-1]) // (len(last) - 1)) if len(last) > 1 else None


def _waits(engine: Engine) -> Iterator[Wait]:
    """Yield what each process waits for that hasn't ended its frames."""
    for position, run in enumerate(engine.runs):
        name, frame = run.plan.process.name, engine.frames_ended(run)
        pipeline = engine.current(run)
        if pipeline is not None:
            flows = engine.plan.flushable and pipeline.reads and pipeline.writes
            for access in (blocked_flushable if flows else blocked_stalling)(pipeline):
                yield _wait(engine, (name, frame), pipeline, access)
        elif frame < engine.frames:
            for memory, other in engine.missing_buffers(position):
                peer = engine.runs[other].plan.process.name
                yield Wait(name, "", WaitKind.BUFFER, memory, peer, frame)


def _wait(
    engine: Engine, whose: tuple[str, int], pipeline: PipelineRun, access: ChannelAccess
) -> Wait:
    channel = access.channel.plan
    planned = pipeline.plan
    shape = [loop.trip_count for loop in planned.tiles]
    flat = planned.stages.iteration(access.next, is_read=access.is_read)
    values = np.unravel_index(flat, shape) if shape else ()
    peer = engine.runs[channel.writer if access.is_read else channel.reader]
    return Wait(
        whose[0],
        planned.name,
        WaitKind.EMPTY if access.is_read else WaitKind.FULL,
        channel.fifo + "".join(f"[{at}]" for at in channel.streams[0]),
        peer.plan.process.name,
        whose[1],
        tuple((loop.name, int(at)) for loop, at in zip(planned.tiles, values, strict=True)),
    )
