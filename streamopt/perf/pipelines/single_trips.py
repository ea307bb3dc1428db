"""Innermost loops of one iteration with guards in their body, as Vitis HLS builds them.

It dissolves the loop, and with it the place where pipelining was asked for: it pipelines the
loop two levels above and unrolls the one between. Five nodes of the published multi-head
attention are built so: softmax nodes of 32 x 32 x 1 iterations run 32 iterations at II 32, and
a product of matrices of 32 x 32 x 8 x 1 runs 1024 at II 4.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamopt.ir.network import Network, Pipeline

__all__ = ["dissolved", "without_single_trips"]


def dissolved(network: Network) -> Network:
    """Return the network with the pipelines that are built: see `without_single_trips`."""
    processes = tuple(
        replace(process, pipelines=tuple(map(without_single_trips, process.pipelines)))
        for process in network.processes
    )
    return replace(network, processes=processes)


def without_single_trips(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline that is built of one whose innermost loop has a single iteration.

    ``i, j, k=1 | lanes`` with a guard becomes ``i | j, k, lanes``; without a guard, or with fewer
    than two loops around, it stays as it is.
    """
    kept = len(pipeline.tiles)
    while kept and pipeline.tiles[kept - 1].trip_count == 1:
        kept -= 1
    guarded = any(port.guard is not None for port in pipeline.ports)
    if kept == len(pipeline.tiles) or kept < 2 or not guarded:
        return pipeline
    lanes = (*pipeline.tiles[kept - 1 :], *pipeline.lanes)
    return replace(pipeline, tiles=pipeline.tiles[: kept - 1], lanes=lanes)
