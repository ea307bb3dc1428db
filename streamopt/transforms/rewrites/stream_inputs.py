"""Windows on inputs that come as streams: after movers have been put in for a schedule's ports."""

from dataclasses import dataclass
from typing import ClassVar

from streamopt.ir.graph import Graph
from streamopt.ir.program import Role
from streamopt.transforms.ports.movers import mover_of
from streamopt.transforms.rebuilding import with_parts
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite
from streamopt.transforms.rewrites.stream_windows import StreamWindows

WINDOWS = StreamWindows()


@dataclass(frozen=True, slots=True)
class StreamInputs(GraphRewrite):
    """Windows at the nodes that read an input that a mover brings, as `StreamWindows` notes them.

    Without ports there are no movers, and there is nothing to do.

    Before: ``load_x: x_chip[h] = x[h];  h 30: y[h] += x_chip[h + k] * f[k]  # a ping-pong buffer``
    After:  ``load_x: x_chip[h] = x[h];  h 32: line[h mod 4] = next x_chip; y[h - 2] += ...``
    """

    is_final: ClassVar[bool] = True

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph with noted windows."""
        inputs = (array.name for array in graph.arrays if array.role is Role.INPUT)
        movers = (mover_of(graph, name) for name in inputs)
        brought = {mover.write.array for mover in movers if mover is not None}
        nodes = tuple(
            WINDOWS.noted(graph, node) if brought.intersection(node.inputs) else node
            for node in graph.nodes
        )
        return graph if nodes == graph.nodes else with_parts(graph, graph.arrays, nodes)
