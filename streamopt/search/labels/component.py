"""Components: nodes that are done but for one exit, with all the labels that they may have.

A component is a set of nodes that hands over to the rest of the graph only at its exit, and that
takes from the rest only what open forks send it. Its times are max-plus forms over the times of
those forks, as these are decided later. A label is a partial schedule by all that the rest of the
graph sees of it: a state, which must match, and times and resources, better when smaller (E1).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from streamopt.space.dominance import minimal
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]

NEVER = -(1 << 40)
"""Coefficient of an origin that a time doesn't depend on."""

Origin = tuple[int, str]
"""(node, "first" or "last"): a write of a source that is put before it later."""

ZERO: Origin = (-1, "zero")
"""The start of all."""

Property = tuple[str, int]
"""One entry of a state: ("class", k) the factor of a tile class, ("walk", e) how the exit
walks a channel, ("need", e) the walk that a channel from an open fork must have, or NO_WALK if
it is a ping-pong buffer."""


class SearchStoppedError(Exception):
    """The caller asked to stop."""


class SearchTooLargeError(Exception):
    """Too many states are open at once for this search."""


class Mode(StrEnum):
    """Treatment of too many labels or rows, in the terms of decision diagrams (E7).

    ``restricted``: some are dropped, so each that is left is a schedule.
    ``relaxed``: close ones are merged into their componentwise minimum, a lower bound.
    """

    RESTRICTED = "restricted"
    RELAXED = "relaxed"


@dataclass(frozen=True, slots=True)
class JoinTuning:
    """Limits of a join, set by memory; not measured."""

    most_pairs: int = 6_000_000  # pairs of labels of one join: about 1 GB


TUNING = JoinTuning()


@dataclass(frozen=True, slots=True)
class NodeSet:
    """A set of nodes as a whole, whatever their rows."""

    used: dict[int, frozenset[int]]
    """Channels of open forks that its nodes read, by fork."""
    seen: Counter[int]
    """How many of its nodes have each tile class."""
    least_usage: Integers
    """Resources that its nodes take at least, shape (resources,)."""

    def joined(self, other: NodeSet, *, closed: int | None = None) -> NodeSet:
        """Return the union of two sets; ``closed`` is a fork that isn't open any more."""
        used = {fork: channels for fork, channels in self.used.items() if fork != closed}
        for fork, channels in other.used.items():
            used[fork] = used.get(fork, frozenset()) | channels
        return NodeSet(used, self.seen + other.seen, self.least_usage + other.least_usage)


@dataclass(frozen=True, slots=True)
class Component:
    """Done nodes and their labels."""

    exit: int
    region: NodeSet
    properties: tuple[Property, ...]
    origins: tuple[Origin, ...]
    state: Integers
    """Shape (labels, properties)."""
    # first, last: first and last write of the exit, shape (labels, origins)
    first: Integers
    last: Integers
    usage: Integers
    """Shape (labels, resources); the first resource are the DSPs."""
    back: Integers
    """Origin of each label: its place in each part; shape (labels, parts)."""
    parts: tuple[Component | int, ...]
    """Components that it joins, or a node number for the rows of a node."""

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self.usage)

    @property
    def dsps(self) -> Integers:
        """Return the DSPs of every label."""
        return self.usage[:, 0]

    def column(self, wanted: Property) -> Integers:
        """Return the values of one property."""
        return self.state[:, self.properties.index(wanted)]

    def taken(self, places: Integers) -> Component:
        """Return the component with some of its labels."""
        return replace(
            self,
            state=self.state[places],
            first=self.first[places],
            last=self.last[places],
            usage=self.usage[places],
            back=self.back[places],
        )

    def rows_of(self, label: int) -> dict[int, int]:
        """Return the row of every node of a label."""
        rows: dict[int, int] = {}
        waiting: list[tuple[Component, int]] = [(self, label)]
        while waiting:
            component, place = waiting.pop()
            for part, at in zip(component.parts, component.back[place].tolist(), strict=True):
                if isinstance(part, Component):
                    waiting.append((part, at))
                else:
                    rows[part] = at
        return rows


def clamped(times: Integers) -> Integers:
    """Return times with every coefficient that stands for never made equal."""
    return np.where(times < NEVER // 2, NEVER, times)


def undominated(component: Component) -> Component:
    """Return the component without dominated labels."""
    usage = component.usage
    costs = np.concatenate([component.last, usage[:, :1], component.first, usage[:, 1:]], axis=1)
    varying = [c for c in range(costs.shape[1]) if len(costs) and np.ptp(costs[:, c]) > 0]
    return component.taken(minimal(codes(component.state), costs[:, varying or [0]]))


def codes(columns: Integers) -> Integers:
    """Return one number for every row, equal where the rows are equal; shape (rows,)."""
    result = np.zeros(len(columns), dtype=np.int64)
    for column in columns.T:
        _, place = np.unique(column, return_inverse=True)
        result = result * (int(place.max(initial=0)) + 1) + place.ravel()
        if result.max(initial=0) > 1 << 40:
            result = np.unique(result, return_inverse=True)[1].ravel()
    return result


def joined(left: Integers, right: Integers) -> tuple[Integers, Integers]:
    """Return all pairs of rows that are equal, as positions in each; both have equal columns.

    Raises
    ------
    SearchTooLargeError
        If there are more than `JoinTuning.most_pairs`.
    """
    both = codes(np.concatenate([left, right]))
    first, second = both[: len(left)], both[len(left) :]
    ranked = np.argsort(second, kind="stable")
    low = np.searchsorted(second[ranked], first, side="left")
    count = np.searchsorted(second[ranked], first, side="right") - low
    if count.sum() > TUNING.most_pairs:
        raise SearchTooLargeError
    spend(WORK.labels.label * int(count.sum()))
    lefts = np.repeat(np.arange(len(left)), count)
    inside = np.arange(len(lefts)) - np.repeat(np.cumsum(count) - count, count)
    return lefts, ranked[np.repeat(low, count) + inside]
