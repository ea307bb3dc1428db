"""When a nest as built reads and writes: as in table 2 of [1], with windows on its streams.

A node that keeps rows of an array computes ``delay`` iterations of a loop after it takes them:
(W5) of ``models/formulations/opt6.md``. Times are in cycles after its start.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, section 3.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamopt.perf.algebra import INTEGERS
from streamopt.perf.timing import NestTiming, nest_run

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from streamopt.ir.graph import Node

__all__ = ["built_run"]


def built_run(
    node: Node,
    order: Sequence[str],
    tiles: Mapping[str, Any],
    operands: Collection[str],
    ii: Any,
) -> NestTiming[Any]:
    """Return the relative times of one run at a given initiation interval, in cycles.

    As `nest_run`; what a window takes has been read when the last element of the array has.

    Parameters
    ----------
    tiles
        Trip count of every tile loop as built: integers, or integer arrays of one shape.
    """
    if not node.stretches:
        algebra: Any = INTEGERS
        return nest_run(node, order, tiles, operands, algebra, ii)
    built, delays = node.built_trip_counts, node.delays

    def tile(name: str, iteration: int) -> Any:
        """Return where an iteration is; factors divide where it is neither first nor last."""
        if iteration == built[name] - 1:
            return tiles[name] - 1
        return iteration // (built[name] // tiles[name])

    first = {name: tile(name, delays.get(name, 0)) for name in order}
    last = {
        name: tile(name, delays.get(name, 0) + trips - 1)
        for name, trips in node.trip_counts.items()
    }

    def read(array: str) -> dict[str, Any]:
        window = node.window(array)
        if window is not None:
            ends = {n: tile(n, extent - 1) for n, extent in window.extents.items()}
            return dict.fromkeys(order, 0) | ends
        own = {name for access in node.reads_of(array) for name in access.iterators()}
        return first | {name: last[name] for name in own}

    def at(indices: Mapping[str, Any]) -> Any:
        total: Any = 0
        for name in order:
            total = total * tiles[name] + indices[name]
        return total * ii

    return NestTiming(
        ii=ii,
        first_write=at(first | {name: last[name] for name in node.reduction_loops}),
        last_write=at(last),
        last_read={array: at(read(array)) for array in operands},
    )
