"""Copies on the shorter of two paths between nodes, so that no frame waits on the longer one.

A ping-pong buffer holds two frames; a path that is one node shorter than another needs room for
one more. The level of a node is its distance from the end of the graph, as late as possible; an
array that goes down by d levels passes through d - 1 copies ([1] section 6.4.2). Its readers
share the copies that they need.

[1] Ye, Jun, and Chen, HIDA, ASPLOS 2024.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Read
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Array, Loop, Role
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.rebuilding import reading, with_parts
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite


def levels(graph: Graph) -> dict[str, int]:
    """Return how many channels the longest path from each node to the graph's end has."""
    found: dict[str, int] = {}
    out = graph.out_edges()
    for node in reversed(graph.nodes):
        found[node.name] = max((found[e.consumer] + 1 for e in out[node.name]), default=0)
    return found


@dataclass(frozen=True, slots=True)
class BalancePaths(GraphRewrite):
    """Copies of the arrays that pass by a longer path.

    Before: ``first --b1--> second --b2--> third; first --b3--> third``
    After:  ``first --b1--> second --b2--> third; first --b3--> copy_b3 --b3_copy--> third``

    Only of arrays that one node writes, and writes as a whole.
    """

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph with copies."""
        level, readers = levels(graph), _readers(graph)
        draft = _Balanced(graph)
        for array in graph.arrays:
            writers = graph.writers(array.name)
            if len(writers) != 1 or not _is_whole(writers[0], array):
                continue
            spans = {name: level[writers[0].name] - level[name] for name in readers[array.name]}
            draft.pass_on(array, writers[0].name, spans)
        return draft.graph()


def _readers(graph: Graph) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {array.name: [] for array in graph.arrays}
    for node in graph.nodes:
        for array in node.inputs:
            found[array].append(node.name)
    return found


def _is_whole(node: Node, array: Array) -> bool:
    """Return whether a node writes all of an array: as many elements as it has, each once."""
    trips = node.trip_counts
    written = prod(trips[name] for name in node.write.iterators())
    return isinstance(node, SequentialNode) or written == array.size_elems


class _Balanced:
    """A graph to which copies are added behind the nodes whose arrays they pass on."""

    def __init__(self, graph: Graph) -> None:
        self._source = graph
        self._nodes = {node.name: node for node in graph.nodes}
        self._copies: dict[str, list[Node]] = {node.name: [] for node in graph.nodes}
        self._arrays = list(graph.arrays)
        self._names = FreeNames([*self._nodes, *(array.name for array in graph.arrays)])

    def pass_on(self, array: Array, writer: str, spans: Mapping[str, int]) -> None:
        """Add the copies that the furthest reader needs, and let all take theirs.

        Parameters
        ----------
        spans
            By reader: the levels from the writer down to it.
        """
        stages = [array.name]
        for _ in range(max(spans.values(), default=1) - 1):
            name = self._names.fresh(f"{array.name}_copy")
            copy = self._names.fresh(f"copy_{array.name}")
            self._arrays.append(replace(array, name=name, role=Role.INTERNAL))
            self._copies[writer].append(array_copy(copy, array, stages[-1], name))
            stages.append(name)
        for reader, span in spans.items():
            if span > 1:
                self._nodes[reader] = reading(self._nodes[reader], array.name, stages[span - 1])

    def graph(self) -> Graph:
        """Return the graph as it is now: the one that was given, if no copy was added."""
        if not any(self._copies.values()):
            return self._source
        nodes = tuple(
            each for name, node in self._nodes.items() for each in (node, *self._copies[name])
        )
        return with_parts(self._source, self._arrays, nodes)


def array_copy(name: str, array: Array, source: str, target: str) -> Node:
    """Return a node that copies an array of that shape, element by element."""
    loops = tuple(Loop(f"i{at}", extent) for at, extent in enumerate(array.shape, 1))
    place = tuple(Affine.iterator(loop.name) for loop in loops)
    return Node(name, loops, Access(target, place), Read(Access(source, place)))
