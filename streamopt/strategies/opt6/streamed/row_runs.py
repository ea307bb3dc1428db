"""The runs of the rows of a streaming graph, for the curves of what they write over time (O35)."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from streamopt.ir.graph import Edge, SequentialNode
from streamopt.perf.as_built.closed_form import built_run
from streamopt.perf.as_built.stream_curves import LoneRun, StreamCurves
from streamopt.perf.costs import CostModel, Setting
from streamopt.space.decisions import DecisionSpace
from streamopt.space.row_values import NodeRows

Rows = Mapping[str, NodeRows]


class RowRuns:
    """The runs of the rows of a graph, each made once.

    Parameters
    ----------
    costs
        By which a node begins its iterations and answers; those without waits.
    """

    def __init__(self, space: DecisionSpace, rows: Rows, costs: CostModel) -> None:
        self._graph, self._rows, self._costs = space.graph, rows, costs
        self._ins, self._outs = space.graph.in_edges(), space.graph.out_edges()
        self._known: dict[tuple[str, int], LoneRun] = {}

    def curves(self) -> StreamCurves:
        """Return the curves of the graph for rows by their places."""
        return StreamCurves(self._graph, self.run, self.streams)

    def run(self, name: str, row: int) -> LoneRun:
        """Return the run of a node with a row."""
        if (name, row) not in self._known:
            self._known[name, row] = self._made(name, row)
        return self._known[name, row]

    def streams(self, edge: Edge, writing: int, reading: int) -> bool:
        """Return whether both ends walk an array alike."""
        walks = self._rows[edge.producer].streams.get(edge.channel)
        others = self._rows[edge.consumer].streams.get(edge.channel)
        if walks is None or others is None or walks[writing] is None:
            return False
        return walks[writing] == others[reading]

    def _made(self, name: str, row: int) -> LoneRun:
        node, rows, ins = self._graph.node(name), self._rows[name], self._ins[name]
        if isinstance(node, SequentialNode):
            last = self._costs.plan_cost(self._graph, node, rows.plans[row]).timing.last_write
            return LoneRun(np.array([0.0, float(last)]), {}, np.array([0.0, 1.0]), 0)
        order, binding = rows.orders[row], rows.bindings[row]
        factors = dict(zip(node.trip_counts, rows.factors[row], strict=True))
        setting = Setting.of(self._graph, node, ins, self._outs[name], binding)
        if rows.target_iis:
            setting = replace(setting, target_ii=rows.target_iis[row])
        timing = self._costs.node_cost(node, order, factors, setting).timing
        built = node.built_trip_counts
        tiles = {loop: -(-built[loop] // factors[loop]) for loop in order}
        plain = built_run(node, order, tiles, (), timing.ii)
        depth = int(timing.first_write - plain.first_write)
        return LoneRun.of(node, ins, tiles, int(timing.ii), depth)
