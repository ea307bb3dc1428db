"""Arrays of which readers take separate blocks, as one array and one writer for each block.

A block is walked as a whole, which is what streams: the queries, keys and values that one matrix
makes, the gates of a cell, the halves of a gated unit.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access
from streamopt.ir.graph import Graph, Node, SequentialNode
from streamopt.ir.program import Array, Loop, Role
from streamopt.transforms.rebuilding import with_accesses, with_parts, with_subscripts
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite

Block = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SplitArrays(GraphRewrite):
    """Internal arrays split where each access reads one of a few blocks.

    Before: ``t[i][j] += x[i][k] * w[j][k]; y[i][j] = t[i][j] * t[i][j + 128]``
    After:  ``t_1[i][j] += ...; t_2[i][j] += x[i][k] * w[j + 128][k]; y[i][j] = t_1[i][j] * ...``

    Split is a dimension that one streaming node walks by a loop of its own. Every block has two
    elements or more; elements that nobody reads are no longer computed.
    """

    most_blocks: int = 4
    """Of one array: every block has a node of its own."""

    def __call__(self, graph: Graph) -> Graph:
        """Return the graph with an array for each block."""
        while (later := self._step(graph)) is not None:
            graph = later
        return graph

    def _step(self, graph: Graph) -> Graph | None:
        """Return the graph after one split; None where there is none to make."""
        readers: dict[str, list[Node]] = {array.name: [] for array in graph.arrays}
        for node in graph.nodes:
            for name in node.inputs:
                readers[name].append(node)
        for array in graph.arrays:
            writer = _only_writer(graph, array)
            if writer is None:
                continue
            for at in range(len(array.shape)):
                walked = _is_walked(writer, at, array)
                blocks = _blocks(readers[array.name], array, at) if walked else ()
                if 2 <= len(blocks) <= self.most_blocks:
                    return _split(graph, array, at, blocks)
        return None


def _only_writer(graph: Graph, array: Array) -> Node | None:
    writers = graph.writers(array.name)
    if array.role is not Role.INTERNAL or len(writers) != 1:
        return None
    return None if isinstance(writers[0], SequentialNode) else writers[0]


def _is_walked(writer: Node, at: int, array: Array) -> bool:
    """Return whether a loop walks the dimension alone, and no other."""
    loop = writer.write.subscripts[at].as_iterator()
    if loop is None or writer.trip_counts[loop] != array.shape[at]:
        return False
    return [loop in s.iterators() for s in writer.write.subscripts].count(True) == 1


def _blocks(readers: Sequence[Node], array: Array, at: int) -> tuple[Block, ...]:
    """Return (first, last) of the blocks that are read, ascending; none if they don't do."""
    found: set[Block] = set()
    for node in readers:
        if isinstance(node, SequentialNode):
            return ()
        for access in node.reads_of(array.name):
            subscript = access.subscripts[at]
            if not subscript.is_linear:
                return ()
            found.add(subscript.bounds(node.trip_counts))
    blocks = sorted(found)
    if not blocks or any(first == last for first, last in blocks):
        return ()
    inside = blocks[0][0] >= 0 and blocks[-1][1] < array.shape[at]
    apart = all(before[1] < after[0] for before, after in pairwise(blocks))
    return tuple(blocks) if inside and apart else ()


def _split(graph: Graph, array: Array, at: int, blocks: Sequence[Block]) -> Graph:
    taken = {array.name for array in graph.arrays} | {node.name for node in graph.nodes}
    (writer,) = graph.writers(array.name)
    stems = _free(array.name, len(blocks), taken), _free(writer.name, len(blocks), taken)
    names = {block: f"{stems[0]}_{n}" for n, block in enumerate(blocks, 1)}
    parts = [replace(array, name=n, shape=_cut(array.shape, at, b)) for b, n in names.items()]
    arrays = [p for a in graph.arrays for p in (parts if a.name == array.name else [a])]
    nodes: list[Node] = []
    for node in graph.nodes:
        if node.name != writer.name:
            nodes.append(_reading(node, array.name, at, names))
            continue
        for n, (block, name) in enumerate(names.items(), 1):
            made = _writing(writer, at, block, name)
            nodes.append(replace(made, name=f"{stems[1]}_{n}"))
    return with_parts(graph, arrays, nodes)


def _free(wanted: str, parts: int, taken: Container[str]) -> str:
    stems = (wanted if n == 1 else f"{wanted}_part{n}" for n in count(1))
    return next(s for s in stems if all(f"{s}_{n}" not in taken for n in range(1, parts + 1)))


def _cut(shape: tuple[int, ...], at: int, block: Block) -> tuple[int, ...]:
    return (*shape[:at], block[1] - block[0] + 1, *shape[at + 1 :])


def _writing(writer: Node, at: int, block: Block, name: str) -> Node:
    """Return the writer of one block, from its first element on."""
    walked = writer.write.subscripts[at].as_iterator()
    assert walked is not None
    first, last = block
    moved = {walked: Affine.iterator(walked) + Affine.of(first)}
    loops = tuple(
        Loop(loop.name, last - first + 1) if loop.name == walked else loop for loop in writer.loops
    )
    node = with_subscripts(replace(writer, loops=loops), lambda s: s.substitute(moved))
    return replace(node, write=Access(name, writer.write.subscripts))


def _reading(node: Node, array: str, at: int, names: dict[Block, str]) -> Node:
    """Return a reader of the array that reads its blocks."""
    if array not in node.inputs:
        return node
    trips = node.trip_counts

    def moved(access: Access) -> Access:
        if access.array != array:
            return access
        block = access.subscripts[at].bounds(trips)
        subscripts = list(access.subscripts)
        subscripts[at] = subscripts[at] - Affine.of(block[0])
        return Access(names[block], tuple(subscripts))

    return with_accesses(node, moved)
