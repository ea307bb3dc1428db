"""Array partitioning: as many cyclic banks as the lanes of all nodes need to find theirs at once.

[1] Ye, Jun, and Chen, HIDA, ASPLOS 2024, Table 6, and the pass ``array-partition`` of its code.
"""

from collections.abc import Mapping, Sequence
from math import gcd, prod

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access
from streamopt.ir.graph import Graph, Node, SequentialNode

Factors = Mapping[str, int]

MOST_UNKNOWN_BANKS = 3
"""Banks of a dimension in which the distance between two lanes is no constant."""


def partitions(graph: Graph, factors: Mapping[str, Factors]) -> dict[str, tuple[int, ...]]:
    """Return the cyclic factor of each dimension of every array: the most that a node asks for.

    Parameters
    ----------
    factors
        Unroll factors by node and loop.
    """
    found = {array.name: (1,) * len(array.shape) for array in graph.arrays}
    for node in graph.nodes:
        for array in (*node.inputs, *node.outputs):
            asked = node_partition(accesses_of(node, array), factors[node.name])
            found[array] = widest(found[array], asked, graph.array(array).shape)
    return found


def widest(one: Sequence[int], other: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """Return the larger factor of each dimension; a node that has none asks for nothing."""
    pairs = zip(one, other or one, shape, strict=True)
    return tuple(min(max(a, b), extent) for a, b, extent in pairs)


def accesses_of(node: Node, array: str) -> tuple[Access, ...]:
    """Return how a node touches an array; not at all where it takes it as a whole."""
    written = (node.write,) if node.write.array == array else ()
    return () if isinstance(node, SequentialNode) else (*node.reads_of(array), *written)


def node_partition(accesses: Sequence[Access], factors: Factors) -> tuple[int, ...]:
    """Return the banks that one node needs along each dimension of an array.

    The distance between the first and the last element that its lanes touch at once, in whole
    strides of the lanes: 8 for ``A[2 * i]`` with 4 lanes.
    """
    dimensions = zip(*(access.subscripts for access in accesses), strict=True)
    return tuple(_banks(along, factors) for along in dimensions)


def _banks(subscripts: Sequence[Affine], factors: Factors) -> int:
    if any(not isinstance(atom, Iter) for s in subscripts for atom, _ in s.terms):
        lanes = max(prod(factors[name] for name in s.iterators()) for s in subscripts)
        return min(lanes, MOST_UNKNOWN_BANKS)
    ends = [_ends(subscript, factors) for subscript in subscripts]
    distance = max(last for _, last in ends) - min(first for first, _ in ends) + 1
    steps = [abs(c) for s in subscripts for name, c in _iterators(s) if factors[name] > 1]
    steps += [abs(s.constant - subscripts[0].constant) for s in subscripts]
    step = gcd(*steps) or 1
    if len({frozenset(subscript.terms) for subscript in subscripts}) > 1:
        return min(distance, MOST_UNKNOWN_BANKS)
    return -(-distance // step) * step if distance > 1 else 1


def _iterators(subscript: Affine) -> list[tuple[str, int]]:
    return [(atom.name, by) for atom, by in subscript.terms if isinstance(atom, Iter)]


def _ends(subscript: Affine, factors: Factors) -> tuple[int, int]:
    """Return the first and the last element that the lanes of one iteration touch."""
    reach = [by * (factors[name] - 1) for name, by in _iterators(subscript)]
    return (
        subscript.constant + sum(min(0, by) for by in reach),
        subscript.constant + sum(max(0, by) for by in reach),
    )
