"""Least times and resources of every node, which rule labels out (E6)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streamopt.search.instance import SearchInstance
from streamopt.search.labels.component import NEVER, Component, Origin

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of every schedule of an instance; times have one entry a node."""

    # first_cycles, last_cycles: least first and last write
    first_cycles: tuple[int, ...]
    last_cycles: tuple[int, ...]
    tail_cycles: tuple[int, ...]
    """Least time from a node's last write to the end of all."""
    least_usage: Integers
    """Resources that all nodes need at least, together; shape (resources,)."""
    limits: Integers
    """Of the resources."""

    def least(self, origin: Origin) -> int:
        """Return the least time of an origin, in cycles."""
        node, which = origin
        if node < 0:
            return 0
        return (self.first_cycles if which == "first" else self.last_cycles)[node]

    def fitting(self, component: Component, horizon_cycles: int) -> Flags:
        """Return the labels that leave enough time and resources for all other nodes (E6)."""
        earliest = np.array([self.least(origin) for origin in component.origins])
        ends = (component.last + earliest).max(axis=1, initial=NEVER)
        fits: Flags = ends <= horizon_cycles - self.tail_cycles[component.exit]
        spare = self.limits - (self.least_usage - component.region.least_usage)
        for used, most in zip(component.usage.T, spare, strict=True):
            fits &= used <= most
        return fits


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
    least = np.sum([choices.least_usage for choices in problem.nodes], axis=0)
    limits = np.array(problem.limits, dtype=np.int64)
    return Bounds(tuple(firsts), tuple(lasts), tuple(tails), least, limits)
