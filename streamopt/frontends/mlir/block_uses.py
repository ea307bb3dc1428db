"""Where the values of a block are used, and which loads must be kept before a store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.frontends.mlir.scalars import is_scalar_operation
from streamopt.frontends.mlir.syntax import operations_inside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.frontends.mlir.syntax import Block, Operation

__all__ = ["BlockUses", "block_uses"]

STORES = ("affine.store", "memref.store", "memref.copy")


@dataclass(frozen=True, slots=True)
class BlockUses:
    """Uses by position in one block.

    Attributes
    ----------
    counts
        How often each value is used, inside later operations too.
    lasts
        Position up to which each value must keep what it is: where it, or what is computed of
        it, is stored, branched on, looped over or handed on.
    stores
        Whether the operation at a position stores something anywhere.
    """

    counts: Mapping[int, int]
    lasts: Mapping[int, int]
    stores: tuple[frozenset[int], ...]

    def is_overwritten(self, number: int, position: int, views: frozenset[int]) -> bool:
        """Return whether a load is followed by a store to its variable before its last use.

        Parameters
        ----------
        views
            All memrefs of the variable.
        """
        last = self.lasts.get(number, position)
        between = range(position + 1, min(last, len(self.stores)))
        # An operation that stores at the end has read what it needs, unless it is a loop.
        return any(self.stores[at] & views for at in between) or (
            last < len(self.stores) and -1 in self.stores[last] and bool(self.stores[last] & views)
        )


def block_uses(block: Block) -> BlockUses:
    """Return the uses of values in a block."""
    counts: dict[int, int] = {}
    lasts: dict[int, int] = {}
    for position in range(len(block.operations) - 1, -1, -1):
        op = block.operations[position]
        inner = list(operations_inside(op))
        used = [value.number for each in (op, *inner) for value in each.operands]
        until = position
        if is_scalar_operation(op):
            until = max(lasts.get(result.number, position) for result in op.results)
        if op.name.endswith(".yield"):
            until = len(block.operations)
        for number in used:
            counts[number] = counts.get(number, 0) + 1
            lasts[number] = max(lasts.get(number, 0), until)
    return BlockUses(counts, lasts, tuple(map(_stored, block.operations)))


def _stored(op: Operation) -> frozenset[int]:
    """Return the memrefs that an operation stores to; and -1 if it has regions."""
    found = {value for each in (op, *operations_inside(op)) for value in _targets(each)}
    return frozenset(found | ({-1} if op.blocks else set()))


def _targets(op: Operation) -> set[int]:
    return {op.operands[1].number} if op.name in STORES else set()
