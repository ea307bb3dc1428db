"""When a node reads and writes, relative to its start: table 2 of [1], one tile an iteration.

The time function is ``t(indices) = ii * (row-major position in the tile loops)``. All times are
in cycles, relative to the node's start.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, sections 3.5 and 3.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from streamopt.ir.expression import Binary, Call, children
from streamopt.ir.graph import SequentialNode
from streamopt.perf.algebra import Arithmetic

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from streamopt.ir.expression import Expression
    from streamopt.ir.graph import Node
    from streamopt.perf.algebra import Algebra

__all__ = [
    "ACCUMULATION_II",
    "NestTiming",
    "initiation_interval",
    "last_read_cycles",
    "nest_timing",
]

ACCUMULATION_II = 4
"""Cycles between dependent additions: the published II of a node that reduces innermost."""

T = TypeVar("T", bound=Arithmetic)


@dataclass(frozen=True, slots=True)
class NestTiming(Generic[T]):
    """FW, LW and LR of table 2 [1], in cycles after the node's start.

    Attributes
    ----------
    last_read
        LR by array that the node reads from another node.
    """

    ii: int
    first_write: T
    last_write: T
    last_read: Mapping[str, T]


def initiation_interval(node: Node, order: Sequence[str]) -> int:
    """Return the II of a node: `ACCUMULATION_II` if a reduction loop is innermost, else 1.

    A sequential node, which the paper doesn't have, waits for its longest chain of operations:
    `ACCUMULATION_II` for each.
    """
    if isinstance(node, SequentialNode):
        return max(1, ACCUMULATION_II * max(map(_chain, node.expressions)))
    return ACCUMULATION_II if order and order[-1] in node.reduction_loops else 1


def _chain(expression: Expression) -> int:
    """Return the operations on the longest path through an expression."""
    below = max(map(_chain, children(expression)), default=0)
    return below + isinstance(expression, Binary | Call)


def position(
    order: Sequence[str], tiles: Mapping[str, T], at_last: Collection[str], algebra: Algebra[T]
) -> T:
    """Return the row-major position of the iteration with some loops at their last tile.

    Parameters
    ----------
    order
        Tile loops, outermost first.
    tiles
        Trip count of every tile loop.
    at_last
        Loops whose iterator is at its last value; the others are at 0.
    """
    total = algebra.constant(0)
    for loop in order:
        total = total * tiles[loop]
        if loop in at_last:
            total = total + tiles[loop] + -1
    return total


def last_read_cycles(
    node: Node,
    order: Sequence[str],
    tiles: Mapping[str, T],
    array: str,
    algebra: Algebra[T],
) -> T:
    """Return LR of one operand: the array's own iterators at their last value, the others at 0.

    An operand that is read in several ways counts the iterators of all of them.
    """
    own = {name for access in node.reads_of(array) for name in access.iterators()}
    return position(order, tiles, own, algebra) * initiation_interval(node, order)


def nest_timing(
    node: Node,
    order: Sequence[str],
    tiles: Mapping[str, T],
    operands: Sequence[str],
    algebra: Algebra[T],
    *,
    stores: int = 1,
) -> NestTiming[T]:
    """Return the relative times of one node.

    FW has the reduction iterators at their last value and the others at 0; LW has all at their
    last value.

    Parameters
    ----------
    order
        Tile loops, outermost first.
    tiles
        Trip count of every tile loop: extent over unroll factor.
    operands
        Arrays that the node reads from other nodes.
    stores
        Channels that the output goes down. The published models add up LW over a node's store
        operations, so a node whose output was duplicated counts its run once for each; kept, as
        their figures for bypass paths (attention, residual MLP) can't be had otherwise.
    """
    ii = initiation_interval(node, order)
    times = 1 if isinstance(node, SequentialNode) else max(1, stores)
    return NestTiming(
        ii=ii,
        first_write=position(order, tiles, node.reduction_loops, algebra) * ii,
        last_write=position(order, tiles, order, algebra) * (ii * times),
        last_read={
            array: last_read_cycles(node, order, tiles, array, algebra) for array in operands
        },
    )
