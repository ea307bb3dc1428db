"""Pieces: the graph cut into components small enough that all of their labels are known (E9).

A node joins its producer as in the contraction, but only while the labels of both stay few; else
the producer is a piece of its own, and its writes become origins of its consumers.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from streamopt.search.instance import SearchInstance
from streamopt.search.labels.bounds import Bounds, bounds
from streamopt.search.labels.component import Component, SearchStoppedError, undominated
from streamopt.search.labels.partial_join import joined_node


@dataclass(frozen=True, slots=True)
class PieceTuning:
    """Sizes of pieces; not measured."""

    most_pairs: int = 40_000  # pairs of labels that a join may look at
    # with more labels of all pieces, rows of walks are the sums of those for all factors of
    # shared tile classes (E12)
    fine_labels: int = 400_000


TUNING = PieceTuning()


@dataclass(frozen=True, slots=True)
class Cut:
    """An instance in pieces, in topological order; the last one ends them all."""

    problem: SearchInstance
    horizon_cycles: int
    """Schedules of a higher latency may be missing."""
    known: Bounds
    pieces: tuple[Component, ...]

    @property
    def is_fine(self) -> bool:
        """Return whether the relaxation tells the factors of shared tile classes apart."""
        return sum(map(len, self.pieces)) <= TUNING.fine_labels

    def latest(self, node: int) -> int:
        """Return the latest last write of a node within the horizon, in cycles."""
        return self.horizon_cycles - self.known.tail_cycles[node]


def cut(
    problem: SearchInstance, horizon_cycles: int, most_labels: int, should_stop: Callable[[], bool]
) -> Cut | None:
    """Return the pieces of an instance; None if there is no schedule within the horizon.

    Parameters
    ----------
    most_labels
        Components of more labels are not joined with their consumer.

    Raises
    ------
    SearchStoppedError
        If the caller asked for it.
    """
    known = bounds(problem)
    open_pieces: dict[int, Component] = {}
    for node in range(len(problem.nodes)):
        if should_stop():
            raise SearchStoppedError
        direct = _direct(problem, node, open_pieces, most_labels)
        component = joined_node(problem, node, direct, open_pieces)
        component = component.taken(np.flatnonzero(known.fitting(component, horizon_cycles)))
        component = undominated(component)
        if not len(component):
            return None
        if direct is not None:
            del open_pieces[problem.channels[direct].producer]
        open_pieces[node] = component
    return Cut(problem, horizon_cycles, known, tuple(open_pieces.values()))


def _direct(
    problem: SearchInstance, node: int, ready: dict[int, Component], most_labels: int
) -> int | None:
    """Return the channel whose producer becomes part of the node's piece, if any does."""
    rows = len(problem.nodes[node])
    for channel in problem.ins[node]:
        producer = problem.channels[channel].producer
        if len(problem.outs[producer]) > 1 or not problem.channels[channel].streams:
            continue
        part = ready[producer]
        shared = _shared_states(problem, node, part)
        if len(part) <= most_labels and len(part) * rows <= TUNING.most_pairs * shared:
            return channel
    return None


def _shared_states(problem: SearchInstance, node: int, part: Component) -> int:
    """Return about how many groups the labels of both fall into, by the classes they share."""
    factors = problem.nodes[node].factors
    count = 1
    for name in part.properties:
        if name[0] == "class" and name[1] in factors:
            count *= len(np.unique(factors[name[1]]))
    return count
