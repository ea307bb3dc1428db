"""A tree of nodes with what is known of its subtrees whatever the rows: (E26), (E28)."""

from collections.abc import Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt

from streamopt.search.deadline.completion import Profile, completions
from streamopt.search.deadline.subtrees import Candidates, SubtreeLabels
from streamopt.search.instance import NO_WALK, SearchInstance
from streamopt.search.labels.bounds import bounds
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]


class Tree:
    """An instance that is a tree, within a deadline.

    Parameters
    ----------
    profiles
        Of a relaxed pass with this deadline or a later one; none if there was no pass.

    Attributes
    ----------
    factors
        By node, tile class and row: place of the factor in the class.
    latest
        By node: last write that leaves enough time for the rest.
    spare
        By node: DSPs that the rest of the tree leaves for its subtree.
    """

    def __init__(
        self, problem: SearchInstance, horizon_cycles: int, profiles: Sequence[Profile]
    ) -> None:
        self.problem = problem
        values: dict[int, Integers] = {}
        for choices in problem.nodes:
            for index, own in choices.factors.items():
                values[index] = np.union1d(values.get(index, own), own)
        self.factors = [
            {k: np.searchsorted(values[k], own) for k, own in choices.factors.items()}
            for choices in problem.nodes
        ]
        tails = bounds(problem).tail_cycles
        self.latest = [horizon_cycles - cycles for cycles in tails]
        self.spare = _spare(problem, [own.least_dsps for own in profiles])
        self._latest_first = list(self.latest)
        for channel in problem.channels:
            if channel.streams:
                last_write = int(problem.nodes[channel.consumer].last_write.min())
                self._latest_first[channel.producer] = min(
                    self._latest_first[channel.producer],
                    self.latest[channel.consumer] - last_write,
                )
        self._open = _open_classes(problem)
        self._completions = completions(problem, horizon_cycles, profiles) if profiles else []

    def labels(self, node: int, candidates: Candidates) -> SubtreeLabels:
        """Return the candidates that leave enough time and DSPs for the rest, as labels."""
        spend(WORK.labels.deadline * len(candidates.row))
        choices = self.problem.nodes[node]
        first = candidates.start_cycles + choices.first_write[candidates.row]
        fits = candidates.last_cycles <= self.latest[node]
        fits &= first <= self._latest_first[node]
        fits &= candidates.dsps <= self.spare[node]
        if self._completions:
            rest = self._completions[node].least(first, candidates.last_cycles)
            fits &= candidates.dsps + rest <= self.problem.dsp_limit
        places = np.flatnonzero(fits)
        row, factors = candidates.row[places], self.factors[node]
        return SubtreeLabels(
            self._walks(node)[row],
            {
                k: factors[k][row] if k in factors else candidates.passing[k][places]
                for k in self._open[node]
            },
            first[places],
            candidates.last_cycles[places],
            candidates.dsps[places],
            row,
            candidates.before[places],
        )

    def _walks(self, node: int) -> Integers:
        """Return by row the number of the walk of the outgoing channel of a node."""
        choices = self.problem.nodes[node]
        for channel in self.problem.outs[node]:
            if self.problem.channels[channel].streams:
                return choices.walks[channel]
        return np.full(len(choices), NO_WALK)


def _spare(problem: SearchInstance, known: Sequence[int]) -> list[int]:
    """Return the DSPs that the rest of the tree leaves for the subtree that ends in each node."""
    own = [int(choices.dsps.min()) for choices in problem.nodes]
    inside = list(own)
    spare = [problem.dsp_limit] * len(own)
    for node, ins in enumerate(problem.ins):
        inside[node] += sum(inside[problem.channels[e].producer] for e in ins)
        if known:
            inside[node] = max(inside[node], known[node])
    for node in range(len(own) - 1, -1, -1):
        producers = [problem.channels[e].producer for e in problem.ins[node]]
        left = spare[node] - own[node] - sum(inside[p] for p in producers)
        for producer in producers:
            spare[producer] = left + inside[producer]
    return spare


def _open_classes(problem: SearchInstance) -> list[list[int]]:
    """Return by node the tile classes of its subtree that nodes outside share."""
    users: dict[int, int] = {}
    for node, choices in enumerate(problem.nodes):
        for index in choices.factors:
            users[index] = users.get(index, 0) | 1 << node
    return [
        [index for index, nodes in users.items() if nodes & inside and nodes & ~inside]
        for inside in _subtrees(problem)
    ]


def _subtrees(problem: SearchInstance) -> list[int]:
    """Return by node the nodes that it depends on and itself, as bits."""
    found: list[int] = []
    for node, ins in enumerate(problem.ins):
        before = (found[problem.channels[channel].producer] for channel in ins)
        found.append(reduce(int.__or__, before, 1 << node))
    return found
