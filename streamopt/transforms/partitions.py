"""How arrays are split into banks, so that all lanes of an iteration find theirs at once.

A lane knows its bank beforehand only where the tile loops move its element by whole rounds of the
cyclic partition: ``A[4 * i + lane]`` in 4 or 2 banks, but not ``A[i + k + lane]`` in any. Where
more lanes than a bank has ports walk a buffer otherwise, it is left to the vendor's tool, which
splits arrays inside the design as it needs (the published convolutions have no pragma on such
buffers and run at an II of 1); a pragma would make every lane wait for every bank.
"""

from __future__ import annotations

from math import gcd, prod
from typing import TYPE_CHECKING

from streamopt.ir.affine import Iter
from streamopt.ir.graph import SequentialNode
from streamopt.ir.program import Role
from streamopt.ir.scheduled import Partition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Access
    from streamopt.ir.graph import Edge, Graph, Node
    from streamopt.ir.program import Array

    Factors = Mapping[str, int]
    Use = tuple[Access, Node, Factors]

__all__ = ["boundary_partitions", "buffer_factors"]

PORTS = 2
"""Of a block RAM."""


def buffer_factors(graph: Graph, edge: Edge, factors: Mapping[str, Factors]) -> tuple[int, ...]:
    """Return the cyclic factor of each dimension of a ping-pong buffer; all 1 for no pragma."""
    consumer = graph.node(edge.consumer)
    uses = _writes(graph, edge.array, factors)
    uses += [(access, consumer, factors[consumer.name]) for access in edge.reads]
    found = _cyclic_factors(graph.array(edge.array), uses)
    works = all(_finds_banks(use, found) for use in uses)
    return found if works else (1,) * len(found)


def boundary_partitions(graph: Graph, factors: Mapping[str, Factors]) -> tuple[Partition, ...]:
    """Return the partitions of the boundary arrays that some node touches."""
    found: list[Partition] = []
    for array in graph.arrays:
        uses = _writes(graph, array.name, factors)
        touched = any(array.name in (*node.inputs, *node.outputs) for node in graph.nodes)
        if array.is_given:
            uses += [
                (access, node, factors[node.name])
                for node in graph.nodes
                for access in node.reads_of(array.name)
            ]
        if touched and array.role is not Role.INTERNAL:
            factors_found = _cyclic_factors(array, uses)
            settled = (_settled(f, uses, at) for at, f in enumerate(factors_found))
            found.append(Partition(array.name, tuple(settled)))
    return tuple(found)


def _settled(banks: int, uses: Sequence[Use], at: int) -> int:
    """Return the most banks, not above those given, in which every lane stays in its own.

    ``A[4 * i + lane + k]`` with 3 lanes along ``k`` touches elements of 12 products of lanes but
    moves by 4: of 4 banks each lane knows its own, and none is met by more than 2. The banks
    given where they suit some use, or where no smaller number suits all.
    """
    moves = [[*_steps(access.subscripts[at], node, own)] for access, node, own in uses]
    steps = [step for use in moves for step in use]
    suits_one = any(all(step is not None and step % banks == 0 for step in use) for use in moves)
    if suits_one or None in steps:
        return banks
    common = gcd(*(step for step in steps if step is not None))
    return max((count for count in range(2, banks) if common % count == 0), default=banks)


def _steps(subscript: Affine, node: Node, factors: Factors) -> Iterator[int | None]:
    """Yield by how much each tile loop moves a subscript; None for what isn't constant."""
    trips = node.trip_counts
    for atom, coefficient in subscript.terms:
        if not isinstance(atom, Iter):
            yield None
        elif trips[atom.name] > factors[atom.name]:
            yield coefficient * factors[atom.name]


def _writes(graph: Graph, array: str, factors: Mapping[str, Factors]) -> list[Use]:
    """Return the write of every streaming node into an array."""
    return [
        (node.write, node, factors[node.name])
        for node in graph.writers(array)
        if not isinstance(node, SequentialNode)
    ]


def _cyclic_factors(array: Array, uses: Sequence[Use]) -> tuple[int, ...]:
    """Return, per dimension, the most elements that one tile iteration touches along it."""
    return tuple(
        min(extent, max((_elements(a.subscripts[at], f) for a, _, f in uses), default=1))
        for at, extent in enumerate(array.shape)
    )


def _elements(subscript: Affine, factors: Factors) -> int:
    return prod(factors[name] for name in subscript.iterators())


def _finds_banks(use: Use, banks: Sequence[int]) -> bool:
    """Return whether no more lanes than a bank has ports may meet in one."""
    access, node, factors = use
    return all(
        _elements(subscript, factors) <= PORTS or _moves_by(subscript, node, factors, count)
        for subscript, count in zip(access.subscripts, banks, strict=True)
    )


def _moves_by(subscript: Affine, node: Node, factors: Factors, banks: int) -> bool:
    """Return whether tile loops move a subscript by whole rounds of the banks."""
    steps = _steps(subscript, node, factors)
    return banks == 1 or all(step is not None and step % banks == 0 for step in steps)
