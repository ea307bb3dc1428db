"""How long visits of the phases of a sequential node last at least, as a plan says it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.perf.pipelines.port_cycles import port_cycles
from streamopt.perf.turns.bubbles import least_lengths
from streamopt.perf.turns.draining import draining_cycles
from streamopt.perf.turns.layout import TimedTurn

if TYPE_CHECKING:
    from streamopt.ir.network import Network, Process
    from streamopt.ir.schedule import NodePlan
    from streamopt.perf.turns.bubbles import LeastLength
    from streamopt.target.device import Target


def with_lengths(plan: NodePlan, process: Process, network: Network, target: Target) -> NodePlan:
    """Return the plan of a sequential node with how long visits of its phases last at least.

    Parameters
    ----------
    process
        Of the node, as the plan builds it, in a network.
    """
    memories = {memory.name: memory for memory in network.memories}
    named = {pipeline.name: pipeline for pipeline in process.pipelines}
    found: list[tuple[str, LeastLength]] = []
    for turns in process.turns:
        own = [named[name] for name in turns.pipelines]
        cycles = port_cycles(own, memories, turns.ii, target)
        timed = list(map(TimedTurn, own, cycles))
        drained = draining_cycles(turns, timed, memories)
        for name, own_length in zip(turns.pipelines, least_lengths(turns, timed), strict=True):
            last = max(own_length.last, drained.get(name, 1))
            phase = name.removeprefix(f"{process.name}.")
            found.append((phase, own_length._replace(last=last)))
    last = tuple((name, own.last) for name, own in found if own.last > own.least)
    least = tuple((name, own.least) for name, own in found)
    return replace(plan, least_cycles=least, last_cycles=last)
