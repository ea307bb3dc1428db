"""Intervals that the line buffers of a window ask for: what a bank is given in one iteration.

(W7) and (W8) of ``models/formulations/opt6.md``.
"""

from collections.abc import Mapping
from math import gcd, prod

import numpy as np
import numpy.typing as npt

from streamopt.ir.affine import Affine
from streamopt.ir.graph import Node
from streamopt.ir.scheduled import TiledLoop
from streamopt.ir.window import Window
from streamopt.transforms.line_buffers import Loops, choosing_taps, tile_and_lane

Integers = npt.NDArray[np.int64]

PORTS = 2
"""Of a bank: one is written and one is read."""


def window_writes(node: Node, window: Window, factors: Mapping[str, int]) -> int:
    """Return the elements that a bank of a window's line buffers is given at once, at most.

    Parameters
    ----------
    factors
        Of the loops beside the rows (`loops_beside_rows`) at least.
    """
    trips = node.built_trip_counts
    loops = {name: TiledLoop(name, trips[name], own) for name, own in factors.items()}
    most = 1
    for access in node.reads_of(window.array):
        writes = 1
        for at, taken in enumerate(window.taken.subscripts):
            if at != window.dimension:
                tile, lane = tile_and_lane(access.subscripts[at], loops)
                steps = _taken_steps(window, taken, loops)
                tile -= choosing_taps(tile, lane, steps, taken.iterators())
                step = gcd(*steps, *tile.factors.values())
                lanes = prod(factors[name] for name in taken.iterators())
                writes *= -(-lanes // step) if step else 1
        most = max(most, writes)
    return most


def loops_beside_rows(node: Node, window: Window) -> list[str]:
    """Return the loops that move along the dimensions of a window beside that of its rows."""
    accesses = (window.taken, *node.reads_of(window.array))
    beside = {
        name
        for access in accesses
        for at, subscript in enumerate(access.subscripts)
        if at != window.dimension
        for name in subscript.iterators()
    }
    return [name for name in node.trip_counts if name in beside]


def window_interval(writes: Integers, taken_at_once: Integers) -> Integers:
    """Return the II that the banks of line buffers ask for, with any loop order.

    Parameters
    ----------
    writes
        Elements that a bank is given at once (`window_writes`).
    taken_at_once
        Elements that a lane takes in an iteration.
    """
    return np.maximum(taken_at_once, -(-(1 + writes * taken_at_once) // PORTS))


def _taken_steps(window: Window, taken: Affine, loops: Loops) -> list[int]:
    """Return by what the tiles of a loop, if there are several, move what a window takes."""
    extents = window.extents if window.counted_rows else {}
    own = [(loops[name], extents.get(name, loops[name].trip_count)) for name in taken.iterators()]
    return [loop.unroll for loop, extent in own if extent > loop.unroll]
