"""The model's formulas as SymPy expressions, for reports and notebooks.

The same lines of `streamopt.perf.paper.timing` and `streamopt.perf.paper.latency` that give
integers give these, over one symbol for the trip count of every tile loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamopt.perf.paper.algebra import symbolic
from streamopt.perf.paper.latency import graph_times, latency, node_timings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from streamopt.ir.graph import Graph
    from streamopt.perf.paper.latency import NodeTimes
    from streamopt.perf.paper.timing import NestTiming

__all__ = ["SymbolicModel", "symbolic_model"]


@dataclass(frozen=True, slots=True)
class SymbolicModel:
    """The performance model of a graph for fixed loop orders and channels; cycles.

    Attributes
    ----------
    tiles
        By node and loop: the symbol ``x_<node>_<loop>``, trip count of the tile loop.
    timings
        FW, LW and LR of every node.
    times
        st, fw and lw of every node.
    latency
        Last write of the whole graph.
    """

    tiles: Mapping[str, Mapping[str, Any]]
    timings: Mapping[str, NestTiming[Any]]
    times: Mapping[str, NodeTimes[Any]]
    latency: Any


def symbolic_model(
    graph: Graph, orders: Mapping[str, Sequence[str]], fifos: Collection[str]
) -> SymbolicModel:
    """Return the model with symbolic tile loops.

    Parameters
    ----------
    orders
        Loop order of every node, outermost first.
    fifos
        Channels that are FIFOs.

    Raises
    ------
    MissingExtraError
        E890 if SymPy isn't installed.
    """
    algebra = symbolic()  # first, as it tells where SymPy is missing
    import sympy

    tiles: dict[str, dict[str, Any]] = {
        node.name: {
            loop.name: sympy.Symbol(f"x_{node.name}_{loop.name}", integer=True, positive=True)
            for loop in node.loops
        }
        for node in graph.nodes
    }
    timings = node_timings(graph, orders, tiles, algebra)
    times = graph_times(graph, timings, fifos, algebra)
    return SymbolicModel(tiles, timings, times, latency(times, algebra))
