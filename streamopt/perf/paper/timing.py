"""When a node reads and writes, relative to its start: table 2 of [1], one tile an iteration.

The time function is ``t(indices) = ii * (row-major position in the tile loops)``. All times are
in cycles, relative to the node's start.

[1] Basalama and Cong, Stream-HLS, FPGA 2025, sections 3.5 and 3.7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from streamopt.ir.expression import Binary, Call, children
from streamopt.ir.graph import SequentialNode
from streamopt.perf.paper.algebra import Arithmetic

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from streamopt.ir.expression import Expression
    from streamopt.ir.graph import Node
    from streamopt.perf.paper.algebra import Algebra

__all__ = [
    "ACCUMULATION_II",
    "NestTiming",
    "initiation_interval",
    "nest_run",
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

    ii: T | int
    first_write: T
    last_write: T
    last_read: Mapping[str, T]

    def delayed(self, depth_cycles: T | int) -> NestTiming[T]:
        """Return the times of a pipeline of that depth: writes come so much later than reads."""
        return replace(
            self,
            first_write=self.first_write + depth_cycles,
            last_write=self.last_write + depth_cycles,
        )


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


def nest_run(
    node: Node,
    order: Sequence[str],
    tiles: Mapping[str, T],
    operands: Collection[str],
    algebra: Algebra[T],
    ii: T | int,
) -> NestTiming[T]:
    """Return the relative times of one run at a given initiation interval, in cycles.

    FW has the reduction iterators at their last value and the others at 0; LW has all at their
    last value; LR has the operand's own iterators at their last value and the others at 0. An
    operand that is read in several ways counts the iterators of all of them.
    """

    def at(loops: Collection[str]) -> T:
        return position(order, tiles, loops, algebra) * ii

    own = {
        array: {name for access in node.reads_of(array) for name in access.iterators()}
        for array in operands
    }
    return NestTiming(
        ii=ii,
        first_write=at(node.reduction_loops),
        last_write=at(order),
        last_read={array: at(names) for array, names in own.items()},
    )


def nest_timing(
    node: Node,
    order: Sequence[str],
    tiles: Mapping[str, T],
    operands: Sequence[str],
    algebra: Algebra[T],
    *,
    stores: int = 1,
) -> NestTiming[T]:
    """Return the relative times of one node, as published.

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
    run = nest_run(node, order, tiles, operands, algebra, initiation_interval(node, order))
    times = 1 if isinstance(node, SequentialNode) else max(1, stores)
    return replace(run, last_write=run.last_write * times)
