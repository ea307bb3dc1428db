"""The latency of streaming nodes from how far each has read and written over time: (O35).

Closed forms know first and last tokens. Here a node is some hundred of its iterations: each begins
an interval after the one before, and not before the share of every operand that it reads has come.
What a node has written over time follows, and so on down the graph.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streamopt.ir.graph import Edge, Graph, Node
from streamopt.perf.as_built.progress import NestProgress

Floats = npt.NDArray[np.float64]

POINTS = 256
"""Iterations of a node that are looked at: of a MobileNet and a ResNet, latencies were within 0.1 %
of simulations."""


@dataclass(frozen=True, slots=True)
class LoneRun:
    """A node with a row, on its own."""

    tokens: Floats
    """Cycles after its start at which iterations begin that never wait."""
    read: Mapping[str, Floats]
    """By channel, the share that each of these has read."""
    written: Floats
    """The share that is written by the end of each."""
    depth_cycles: int

    @staticmethod
    def of(
        node: Node, ins: Sequence[Edge], tiles: Mapping[str, int], ii: int, depth_cycles: int
    ) -> "LoneRun":
        """Return the run of a streaming node, by its tile loops as built, outermost first."""
        nest = NestProgress.of(node, tiles, POINTS)
        read = {edge.channel: nest.read(edge) for edge in ins}
        return LoneRun((nest.iterations * ii).astype(float), read, nest.written(), depth_cycles)


@dataclass(frozen=True, slots=True)
class WrittenCurve:
    """The share of a result that is written, over time."""

    share: Floats
    cycles: Floats


class StreamCurves:
    """The curves of a graph's results for one row of each node.

    Parameters
    ----------
    run_of
        Returns the run of a node with a row.
    streams
        Returns whether the channel of an edge is a FIFO with the rows of both ends.
    """

    def __init__(
        self,
        graph: Graph,
        run_of: Callable[[str, int], LoneRun],
        streams: Callable[[Edge, int, int], bool],
    ) -> None:
        self._run_of, self._streams = run_of, streams
        self._names = [node.name for node in graph.nodes]
        ins = graph.in_edges()
        self._ins = {name: tuple(ins[name]) for name in self._names}
        self._rows: dict[str, int] = {}
        self._known: dict[str, WrittenCurve] = {}

    def keep(self, rows: Mapping[str, int]) -> float:
        """Return the latency of rows in cycles, from which others differ little."""
        self._known = self._curves(rows)
        self._rows = dict(rows)
        return self._latency(self._known)

    def after(self, change: Mapping[str, int]) -> float:
        """Return the latency where some nodes have other rows than those that were kept."""
        return self._latency(self._known | self._curves({**self._rows, **change}, change))

    def _curves(
        self, rows: Mapping[str, int], changed: Mapping[str, int] | None = None
    ) -> dict[str, WrittenCurve]:
        """Return the curves of all nodes, or of those that a change may make other ones."""
        found: dict[str, WrittenCurve] = {}
        for name in self._names:
            ins = self._ins[name]
            is_late = any(edge.producer in found for edge in ins)
            if changed is not None and name not in changed and not is_late:
                continue
            run = self._run_of(name, rows[name])
            late = np.zeros(len(run.tokens))
            for edge in ins:
                before = found.get(edge.producer) or self._known[edge.producer]
                if self._streams(edge, rows[edge.producer], rows[name]):
                    came = np.interp(run.read[edge.channel], before.share, before.cycles)
                    late = np.maximum(late, came - run.tokens)
                else:
                    late = np.maximum(late, before.cycles[-1])
            cycles = np.maximum.accumulate(late) + run.tokens
            found[name] = WrittenCurve(run.written, cycles + run.depth_cycles)
        return found

    @staticmethod
    def _latency(curves: Mapping[str, WrittenCurve]) -> float:
        return max(float(curve.cycles[-1]) for curve in curves.values())
