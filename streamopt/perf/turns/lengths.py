"""How long visits of the phases of a sequential node last at least, as a plan says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.perf.pipelines.port_cycles import port_cycles
from streamopt.perf.turns.bubbles import TimedTurn, least_iterations

if TYPE_CHECKING:
    from streamopt.ir.network import Network, Process
    from streamopt.target.device import Target


def visit_lengths(
    process: Process, network: Network, target: Target
) -> tuple[tuple[str, int], ...]:
    """Return pairs (phase, iterations that its visits last at least) of a sequential node."""
    memories = {memory.name: memory for memory in network.memories}
    found: list[tuple[str, int]] = []
    for turns in process.turns:
        named = {pipeline.name: pipeline for pipeline in process.pipelines}
        own = [named[name] for name in turns.pipelines]
        cycles = port_cycles(own, memories, turns.ii, target)
        least = least_iterations(turns, list(map(TimedTurn, own, cycles)))
        phases = (name.removeprefix(f"{process.name}.") for name in turns.pipelines)
        found += zip(phases, least, strict=True)
    return tuple(found)
