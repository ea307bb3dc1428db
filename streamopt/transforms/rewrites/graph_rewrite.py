"""Rewrites of graphs as frozen values, and a graph that is being rewritten."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from streamopt.ir.expression import Access, Expression, Read
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Array
from streamopt.transforms.rebuilding import rewritten_node, with_parts


@dataclass(frozen=True, slots=True)
class GraphRewrite(ABC):
    """A rewrite: computes the same as before, bit by bit. Its fields are its options."""

    is_final: ClassVar[bool] = False
    """Whether other rewrites can't follow, as it notes something on the graph as it is."""

    @abstractmethod
    def __call__(self, graph: Graph) -> Graph:
        """Return the graph after the rewrite; the graph itself where there is nothing to do."""


class GraphDraft:
    """Arrays and nodes by name, in the graph's order, and who writes and reads what.

    Rewrites take nodes out or give them other reads of earlier arrays, which keeps their order
    topological.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.arrays = {array.name: array for array in graph.arrays}
        self._nodes = {node.name: node for node in graph.nodes}
        self._writers: dict[str, dict[str, None]] = {name: {} for name in self.arrays}
        self._readers: dict[str, dict[str, None]] = {name: {} for name in self.arrays}
        for node in graph.nodes:
            self._index(node)

    def writers(self, array: str) -> tuple[Node, ...]:
        """Return the nodes that write an array, in program order."""
        return tuple(self._nodes[name] for name in self._writers[array])

    def streaming_readers(self, array: str) -> tuple[Node, ...]:
        """Return the nodes that read an array; none if one of them is sequential."""
        found = tuple(self._nodes[name] for name in self._readers[array])
        return () if any(isinstance(node, SequentialNode) for node in found) else found

    def remove_node(self, node: Node) -> None:
        """Take a node out."""
        del self._nodes[node.name]
        for index, arrays in ((self._writers, node.outputs), (self._readers, node.inputs)):
            for array in arrays:
                index[array].pop(node.name, None)

    def remove_array(self, array: Array) -> None:
        """Take an array out that no node reads or writes any more."""
        del self.arrays[array.name]

    def change_node(self, old: Node, new: Node) -> None:
        """Put a node of the same name and outputs in the place of another."""
        for array in old.inputs:
            self._readers[array].pop(old.name)
        self._nodes[old.name] = new
        self._index(new)

    def graph(self) -> Graph:
        """Return the graph as it is now."""
        return with_parts(self._graph, self.arrays.values(), self._nodes.values())

    def _index(self, node: Node) -> None:
        for array in node.outputs:
            self._writers[array][node.name] = None
        for array in node.inputs:
            self._readers[array][node.name] = None


def folded_everywhere(graph: Graph, fold: Callable[[GraphDraft, Array], bool]) -> Graph:
    """Return the graph after all foldings of its arrays.

    Parameters
    ----------
    fold
        Folds one array away, or says that it doesn't; what it leaves may fold again.
    """
    draft, changed = GraphDraft(graph), True
    any_change = False
    while changed:
        found = [fold(draft, array) for array in tuple(draft.arrays.values())]
        changed = any(found)
        any_change |= changed
    return draft.graph() if any_change else graph


def redirected(node: Node, array: str, made: Callable[[Access], Expression]) -> Node:
    """Return the streaming node with every read of an array replaced by what ``made`` makes."""

    def leaf(part: Expression) -> Expression:
        match part:
            case Read(access) if access.array == array:
                return made(access)
            case _:
                return part

    return rewritten_node(node, leaf)
