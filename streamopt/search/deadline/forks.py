"""Nodes with several consumers: what their branches agree on where these meet (E30).

The DSPs of such a node and of all before it go along one channel, the first, so that they count
once. The others begin at its earliest times, whatever its DSPs, and all know the walks of these
others: relaxed labels bound all schedules, restricted ones may be too early.
"""

from collections.abc import Sequence
from functools import reduce

from streamopt.search.instance import SearchInstance


def fork_class(node: int) -> int:
    """Return the number among tile classes of the walks of a fork's other channels."""
    return -1 - node


def subtrees(problem: SearchInstance) -> list[int]:
    """Return by node the nodes that it depends on and itself, as bits."""
    found: list[int] = []
    for node, ins in enumerate(problem.ins):
        before = (found[problem.channels[channel].producer] for channel in ins)
        found.append(reduce(int.__or__, before, 1 << node))
    return found


def open_forks(problem: SearchInstance, inside: Sequence[int]) -> list[tuple[int, ...]]:
    """Return by node the forks before it that some node outside of its subtree reads, too.

    Parameters
    ----------
    inside
        The nodes of every subtree.
    """
    readers = {
        node: sum(1 << problem.channels[channel].consumer for channel in outs)
        for node, outs in enumerate(problem.outs)
        if len(outs) > 1
    }
    return [
        tuple(p for p, own in readers.items() if p != node and known >> p & 1 and own & ~known)
        for node, known in enumerate(inside)
    ]


def carriers(problem: SearchInstance) -> list[bool]:
    """Return by channel whether the DSPs of its producer's subtree go along it."""
    found = [False] * len(problem.channels)
    for outs in problem.outs[:-1]:
        found[outs[0]] = True
    return found


def most_open_forks(problem: SearchInstance) -> int:
    """Return how many forks are open at a node, at most; 0 for a tree."""
    forks = sum(len(outs) > 1 for outs in problem.outs)
    return max(map(len, open_forks(problem, subtrees(problem)))) if forks else 0
