"""A graph that is being rewritten, and the nodes that read something else than they did."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.expression import Access, Read, rewrite, rewrite_condition
from streamopt.ir.graph import SequentialNode
from streamopt.transforms.graph_parts import channels

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.expression import Expression
    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.program import Array

__all__ = ["GraphDraft", "folded_everywhere", "reading", "redirected"]


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
        arrays, nodes = tuple(self.arrays.values()), tuple(self._nodes.values())
        edges = channels(arrays, nodes)
        return replace(self._graph, arrays=arrays, nodes=nodes, edges=edges)

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

    return replace(
        node,
        value=rewrite(node.value, leaf),
        start=None if node.start is None else rewrite(node.start, leaf),
        guard=None if node.guard is None else rewrite_condition(node.guard, leaf),
    )


def reading(node: Node, array: str, other: str) -> Node:
    """Return the node with another array in the place of one that it reads, or begins as."""

    def made(access: Access) -> Read:
        return Read(Access(other, access.subscripts))

    def leaf(part: Expression) -> Expression:
        return made(part.access) if isinstance(part, Read) and part.access.array == array else part

    if not isinstance(node, SequentialNode):
        return redirected(node, array, made)
    return replace(
        node,
        value=rewrite(node.value, leaf),
        statements=tuple(s.rewritten(leaf, s.target) for s in node.statements),
        carries=tuple((target, other if s == array else s) for target, s in node.carries),
    )
