"""Least DSPs of all that is outside of a subtree, by the times of its end (E28).

After a relaxed pass it is known how few DSPs each subtree takes at least to write first, or last,
by a time, whatever its state. Backwards through the tree, the rows of a node, what its other
producers need to arrive by its start, and what comes after it give the least for the rest. Labels
that leave less than that are dropped in later, finer passes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streamopt.search.deadline.subtrees import NEVER, SubtreeLabels, edges
from streamopt.search.instance import SearchInstance

Integers = npt.NDArray[np.int64]

EDGES = 128
"""Of a step function."""


@dataclass(frozen=True, slots=True)
class StepFunction:
    """A step function of time: values from a time on, times in rising order."""

    times: Integers
    values: Integers

    def at(self, times: Integers, *, before: int) -> Integers:
        """Return the values at some times; another one before the first step."""
        place = np.searchsorted(self.times, times, side="right") - 1
        return np.where(place < 0, before, self.values[place])


@dataclass(frozen=True, slots=True)
class Profile:
    """Least DSPs of a subtree that writes first, or last, by a time, whatever its state."""

    by_first: StepFunction
    by_last: StepFunction

    @property
    def least_dsps(self) -> int:
        """Return the least DSPs of the subtree within the deadline."""
        return int(self.by_last.values[-1])


def profile(labels: SubtreeLabels) -> Profile:
    """Return the profile of the relaxed labels of a subtree."""
    return Profile(
        _falling(labels.first_cycles, labels.dsps), _falling(labels.last_cycles, labels.dsps)
    )


def _falling(times: Integers, dsps: Integers) -> StepFunction:
    order = np.lexsort((dsps, times))
    least = np.minimum.accumulate(dsps[order])
    falls = np.append(True, least[1:] < least[:-1])
    return StepFunction(times[order][falls], least[falls])


@dataclass(frozen=True, slots=True)
class Completion:
    """Least DSPs of the rest of the tree, if a subtree writes first, and last, at a time."""

    by_first: StepFunction
    by_last: StepFunction

    def least(self, first_cycles: Integers, last_cycles: Integers) -> Integers:
        """Return the least DSPs of the rest for some labels."""
        return np.maximum(
            self.by_first.at(first_cycles, before=0), self.by_last.at(last_cycles, before=0)
        )


def completions(
    problem: SearchInstance, horizon_cycles: int, profiles: Sequence[Profile]
) -> list[Completion]:
    """Return the completion of every subtree of a tree within a deadline.

    Parameters
    ----------
    profiles
        Of a relaxed pass with this deadline or a later one.
    """
    none = np.zeros(1, dtype=np.int64)
    end = StepFunction(np.array([0, horizon_cycles + 1]), np.array([0, NEVER]))
    found = [Completion(StepFunction(none, none), end)] * len(profiles)
    for node in range(len(profiles) - 1, -1, -1):
        ins = [(problem.channels[e].producer, e) for e in problem.ins[node]]
        for place, (producer, channel) in enumerate(ins):
            others = [profiles[p] for p, _ in ins[:place] + ins[place + 1 :]]
            found[producer] = _before(
                problem, node, channel, found[node], profiles[producer], others
            )
    return found


def _before(
    problem: SearchInstance,
    node: int,
    channel: int,
    after: Completion,
    own: Profile,
    others: Sequence[Profile],
) -> Completion:
    """Return the completion of a producer, from that of its consumer."""
    choices, streams = problem.nodes[node], problem.channels[channel].streams
    first_write, last_write = choices.first_write[:, None], choices.last_write[:, None]
    dsps = choices.dsps[:, None]

    def started(starts: Integers) -> Integers:
        rest = after.least(starts + first_write, starts + last_write)
        return (rest + dsps).min(axis=0)

    arrivals = (own.by_first if streams else own.by_last).times
    by_start = _least_from(arrivals, [other.by_first for other in others], started)
    if not streams:
        return Completion(StepFunction(np.zeros(1, np.int64), by_start.values[:1]), by_start)
    late = choices.epilogue[channel][:, None]

    def ended(ends: Integers) -> Integers:
        return (after.by_last.at(ends + late, before=0) + dsps).min(axis=0)

    by_end = _least_from(own.by_last.times, [], ended)
    missing = sum(other.least_dsps for other in others)
    return Completion(by_start, StepFunction(by_end.times, by_end.values + missing))


def _least_from(
    times: Integers, others: Sequence[StepFunction], cost: Callable[[Integers], Integers]
) -> StepFunction:
    """Return by time the least, from then on, of a cost and what others need by that time."""
    grid = edges(
        np.concatenate([times, *(other.times[other.times >= times.min()] for other in others)]),
        EDGES,
    )
    values = cost(grid)
    ends = np.append(grid[1:] - 1, NEVER)
    for other in others:
        values = values + other.at(ends, before=NEVER)
    least = np.minimum.accumulate(values[::-1])[::-1]
    return StepFunction(grid, np.minimum(least, NEVER))
