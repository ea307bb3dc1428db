"""How ping-pong buffers are split: in banks that each lane of both sides knows beforehand.

Where a bank for each element that an iteration touches would be chosen by an index that moves,
there are fewer, and lanes take turns at both of their ports. At the paper's levels such a buffer is
left to the vendor's tool, as in the published designs, which have no pragma on it and run at an II
of 1: of dwsconv_block at opt5 they take 134,541 cycles, and 134,526 are simulated so. Up to two
lanes there meet in whatever bank it is.
"""

from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType

from streamopt.ir.expression import Access
from streamopt.ir.graph import Edge, Graph, Node, SequentialNode
from streamopt.ir.program import Array
from streamopt.ir.stepping.stepped import Transfer
from streamopt.transforms.argument_banks import bank_load, static_factors
from streamopt.transforms.partitions import (
    PORTS,
    Factors,
    Use,
    cyclic_factors,
    fullest_bank,
    inside_elems,
    moves_by,
    touched_elems,
    writes_of,
)
from streamopt.transforms.stepped.transfers import outside_factors


def buffer_factors(
    graph: Graph,
    edge: Edge,
    factors: Mapping[str, Factors],
    copied: Mapping[str, Sequence[Transfer]] = MappingProxyType({}),
    *,
    all_known: bool = False,
) -> tuple[int, ...]:
    """Return the cyclic factor of each dimension of a ping-pong buffer; all 1 for no pragma.

    Parameters
    ----------
    copied
        Copies of arrays into sequential nodes and out of them. They take the banks that others
        need, if there are others.
    all_known
        Whether no index that moves may choose a bank, and nothing is left to the tool.
    """
    consumer = graph.node(edge.consumer)
    uses = writes_of(graph, edge.array, factors)
    if not isinstance(consumer, SequentialNode):
        given = factors[consumer.name]
        uses += [(access, consumer, given) for access in consumer.reads_of(edge.array)]
    if not uses and edge.array in copied:
        return outside_factors(copied[edge.array], None)
    return _factors(graph.array(edge.array), uses, all_known=all_known)


def buffer_load(array: Array, node: Node, accesses: Sequence[Access], factors: Factors) -> int:
    """Return the most elements of a bank that one iteration touches, if no other side matters."""
    uses: list[Use] = [(access, node, factors) for access in accesses]
    banks = _factors(array, uses, all_known=True)
    inside = sum(_load_inside(array, use, banks) for use in uses)
    return min(bank_load(uses, banks), inside)


def _load_inside(array: Array, use: Use, banks: Sequence[int]) -> int:
    """Return the most elements of a bank that one access touches, without those of padding."""
    access, node, factors = use
    return prod(
        min(fullest_bank(each, node, factors, count), inside_elems(each, node, factors, size))
        for each, size, count in zip(access.subscripts, array.shape, banks, strict=True)
    )


def _factors(array: Array, uses: Sequence[Use], *, all_known: bool) -> tuple[int, ...]:
    free_lanes = 0 if all_known else PORTS
    found = cyclic_factors(array.shape, uses, touched_elems)
    known = all(
        touched_elems(subscript, node, factors) <= free_lanes
        or moves_by(subscript, node, factors, banks)
        for access, node, factors in uses
        for subscript, banks in zip(access.subscripts, found, strict=True)
    )
    if known:
        return found
    return static_factors(found, uses, prod(found)) if all_known else (1,) * len(found)
