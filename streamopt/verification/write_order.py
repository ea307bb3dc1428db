"""In which order a node writes the elements of its array, and to which stream of a group.

A reduction sends at the last iteration of its loops, so that only the others matter: their tiles
in the scheduled order, then within a tile their lanes in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from streamopt.ir.program import Array
    from streamopt.ir.scheduled import ScheduledNode

__all__ = ["Writes", "writes_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Writes:
    """All writes of a node, in the order in which the emitted loops make them.

    Attributes
    ----------
    points
        Value of every iterator of the node at each write.
    elements
        Flat index of the element at each write.
    lanes
        Which stream of the group takes it, by array dimension; of shape (dimensions, writes).
    """

    points: Mapping[str, NDArray[np.int64]]
    elements: NDArray[np.int64]
    lanes: NDArray[np.int64]

    def iteration(self, at: int) -> str:
        """Return the original iterators of one write: ``i = 3, j = 0``."""
        return ", ".join(f"{name} = {values[at]}" for name, values in self.points.items())

    def of_stream(self, lanes: tuple[int, ...]) -> NDArray[np.intp]:
        """Return which of the writes go to one stream of the group."""
        wanted = np.array(lanes, dtype=np.int64).reshape(-1, 1)
        return np.flatnonzero((self.lanes == wanted).all(axis=0))


def writes_of(scheduled: ScheduledNode, array: Array) -> Writes:
    """Return the writes of a node to its array."""
    node = scheduled.node
    used = set(node.write.iterators())
    loops = [loop for loop in scheduled.loops if loop.name in used]
    tiles = [-(-loop.trip_count // loop.unroll) for loop in loops]
    extents = [*tiles, *(loop.unroll for loop in loops)]
    flat = np.indices(extents, dtype=np.int64).reshape(len(extents), prod(extents))
    lane = {loop.name: flat[len(loops) + at] for at, loop in enumerate(loops)}
    delay = {loop.name: node.delays.get(loop.name, 0) for loop in loops}
    point = {
        loop.name: flat[at] * loop.unroll + lane[loop.name] - delay[loop.name]
        for at, loop in enumerate(loops)
    }
    inside = np.ones(flat.shape[1], dtype=np.bool_)
    for loop in loops:
        inside &= (point[loop.name] >= 0) & (point[loop.name] < node.trip_counts[loop.name])
    count = int(inside.sum())
    last = {name: np.full(count, trips - 1) for name, trips in node.trip_counts.items()}
    points = {name: point[name][inside] if name in used else last[name] for name in last}
    elements = np.zeros(count, dtype=np.int64)
    lanes = np.zeros((max(1, len(array.shape)), count), dtype=np.int64)
    for at, (subscript, extent) in enumerate(zip(node.write.subscripts, array.shape, strict=True)):
        elements = elements * extent + subscript.evaluate(points)
        name = subscript.as_iterator()
        if name is not None:
            lanes[at] = lane[name][inside]
    ordered = {loop.name: points[loop.name] for loop in node.loops}
    return Writes(ordered, elements, lanes)
