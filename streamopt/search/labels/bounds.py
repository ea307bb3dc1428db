"""Least times and DSPs of every node, from which a label's least latency follows (E6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from streamopt.search.instance import SearchInstance

__all__ = ["Bounds", "bounds"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What holds for every schedule of an instance; one entry a node.

    Attributes
    ----------
    first_cycles, last_cycles
        Least first and last write.
    tail_cycles
        Least time from a node's last write to the end of all.
    least_dsps, least_amounts
        What all nodes need at least, together; the latter of each further resource.
    """

    first_cycles: tuple[int, ...]
    last_cycles: tuple[int, ...]
    tail_cycles: tuple[int, ...]
    least_dsps: int
    least_amounts: npt.NDArray[np.int64]


def bounds(problem: SearchInstance) -> Bounds:
    """Return the bounds of an instance in which every node has a row."""
    firsts: list[int] = []
    lasts: list[int] = []
    for node, choices in enumerate(problem.nodes):
        start, end = 0, 0
        for channel in problem.ins[node]:
            producer = problem.channels[channel].producer
            if problem.channels[channel].streams:
                start = max(start, firsts[producer])
                end = max(end, lasts[producer] + int(choices.epilogue[channel].min()))
            else:
                start = max(start, lasts[producer])
        firsts.append(start + int(choices.first_write.min()))
        lasts.append(max(end, start + int(choices.last_write.min())))
    tails = [0] * len(problem.nodes)
    for node in range(len(problem.nodes) - 1, -1, -1):
        for channel in problem.outs[node]:
            consumer = problem.channels[channel].consumer
            choices = problem.nodes[consumer]
            streams = problem.channels[channel].streams
            cycles = choices.epilogue[channel] if streams else choices.last_write
            tails[node] = max(tails[node], int(cycles.min()) + tails[consumer])
    least = sum(int(choices.dsps.min()) for choices in problem.nodes)
    amounts = np.zeros(len(problem.limits), dtype=np.int64)
    for choices in problem.nodes:
        amounts = amounts + choices.least_amounts
    return Bounds(tuple(firsts), tuple(lasts), tuple(tails), least, amounts)
