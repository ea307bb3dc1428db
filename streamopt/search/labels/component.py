"""Components: nodes that are done but for one exit, with all the labels that they may have.

A component is a set of nodes that hands over to the rest of the graph only at its exit, and that
takes from the rest only what open forks send it. Its times are max-plus forms over the times of
those forks, as these are decided later.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from streamopt.space.fronts import minimal

if TYPE_CHECKING:
    from collections import Counter

    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]


__all__ = [
    "NEVER",
    "ZERO",
    "Component",
    "Origin",
    "Property",
    "SearchStoppedError",
    "SearchTooLargeError",
    "clamped",
    "codes",
    "joined",
    "pruned",
]

NEVER = -(1 << 40)
"""Coefficient of an origin that a time doesn't depend on."""

Origin = tuple[int, str]
"""(node, "first" or "last"): a write of a source that is put before it later."""

ZERO: Origin = (-1, "zero")
"""The start of all."""

Property = tuple[str, int]
"""What a state consists of: ("class", k) the factor of a tile class, ("walk", e) how the exit
walks a channel, ("need", e) the walk that a channel from an open fork must have, or NO_WALK if
it is a ping-pong buffer."""


@dataclass(frozen=True, slots=True)
class Component:
    """Done nodes and their labels.

    Attributes
    ----------
    used
        Channels of open forks that the component reads, by fork.
    seen
        How many of its nodes have each tile class.
    least_dsps, least_amounts
        What its nodes take at least, on their own.
    state
        Shape (labels, properties).
    first, last
        First and last write of the exit, shape (labels, origins).
    amounts
        Of further resources, shape (labels, resources).
    back
        Where each label comes from: its place in each part; shape (labels, parts).
    parts
        What it was made of: components, or a node number for the rows of a node.
    """

    exit: int
    used: dict[int, frozenset[int]]
    seen: Counter[int]
    least_dsps: int
    least_amounts: Integers
    properties: tuple[Property, ...]
    origins: tuple[Origin, ...]
    state: Integers
    first: Integers
    last: Integers
    dsps: Integers
    amounts: Integers
    back: Integers
    parts: tuple[Component | int, ...]

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self.dsps)

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
            dsps=self.dsps[places],
            amounts=self.amounts[places],
            back=self.back[places],
        )

    def chosen(self, label: int, rows: dict[int, int]) -> None:
        """Note the row of every node of a label in ``rows``."""
        waiting: list[tuple[Component, int]] = [(self, label)]
        while waiting:
            component, place = waiting.pop()
            for part, at in zip(component.parts, component.back[place].tolist(), strict=True):
                if isinstance(part, Component):
                    waiting.append((part, at))
                else:
                    rows[part] = at


def clamped(times: Integers) -> Integers:
    """Return times with every coefficient that stands for never made equal."""
    return np.where(times < NEVER // 2, NEVER, times)


def pruned(component: Component) -> Component:
    """Return the component without the labels that another of the same state makes useless."""
    dsps = component.dsps[:, None]
    costs = np.concatenate([component.last, dsps, component.first, component.amounts], axis=1)
    varying = [c for c in range(costs.shape[1]) if len(costs) and np.ptp(costs[:, c]) > 0]
    return component.taken(minimal(codes(component.state), costs[:, varying or [0]]))


MOST_PAIRS = 6_000_000
"""Labels of a component before it is trimmed: about 1 GB."""


class SearchStoppedError(Exception):
    """The caller asked to stop."""


class SearchTooLargeError(Exception):
    """Too many states are open at once for this search."""


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
        If there are more than `MOST_PAIRS`.
    """
    both = codes(np.concatenate([left, right]))
    first, second = both[: len(left)], both[len(left) :]
    ranked = np.argsort(second, kind="stable")
    low = np.searchsorted(second[ranked], first, side="left")
    count = np.searchsorted(second[ranked], first, side="right") - low
    if count.sum() > MOST_PAIRS:
        raise SearchTooLargeError
    lefts = np.repeat(np.arange(len(left)), count)
    inside = np.arange(len(lefts)) - np.repeat(np.cumsum(count) - count, count)
    return lefts, ranked[np.repeat(low, count) + inside]
