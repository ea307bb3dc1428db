"""An argument for each process that reads it, so that none shares the ports of its banks."""

from dataclasses import dataclass, replace

from streamopt.ir.graph import Graph, Node
from streamopt.ir.program import Array
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.rebuilding import reading, with_parts
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite


@dataclass(frozen=True, slots=True)
class PrivateArguments(GraphRewrite):
    """Every input and weight is read by one process.

    Before: ``t[i] += A[i][j] * x[j]; y[j] += A[i][j] * t[i]           # gemv``
    After:  ``t[i] += A[i][j] * x[j]; y[j] += A_gemv[i][j] * t[i]``

    The first process keeps the argument; each further one reads ``<array>_<its first reader>``,
    which the caller fills with the same: `Graph.copies` says so. Nodes that write the same array
    are one process and share their arguments.
    """

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph with private arguments."""
        arrays: list[Array] = []
        copies = dict(graph.copies)
        private: dict[tuple[str, str], str] = {}
        names = FreeNames(array.name for array in graph.arrays)
        for array in graph.arrays:
            arrays.append(array)
            if not array.is_given:
                continue
            readers = [node for node in graph.nodes if array.name in node.inputs]
            processes = list(dict.fromkeys(node.outputs[0] for node in readers))
            for process in processes[1:]:
                first = next(node for node in readers if node.outputs[0] == process)
                name = names.fresh(f"{array.name}_{first.name}")
                arrays.append(replace(array, name=name))
                copies[name] = copies.get(array.name, array.name)
                private[process, array.name] = name
        if not private:
            return graph
        nodes = tuple(_with_own(node, private) for node in graph.nodes)
        return replace(with_parts(graph, arrays, nodes), copies=tuple(copies.items()))


def _with_own(node: Node, private: dict[tuple[str, str], str]) -> Node:
    for array in node.inputs:
        own = private.get((node.outputs[0], array))
        if own is not None:
            node = reading(node, array, own)
    return node
