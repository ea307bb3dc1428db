"""Under which conditions a node reads its operands: those of the branches around the reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.expression import (
    Literal,
    Logic,
    LogicOp,
    affine_conjuncts,
    conditional_reads,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.graph import Node

__all__ = ["read_guards"]


def read_guards(node: Node) -> Mapping[Access, Condition]:
    """Return an affine condition for every access that happens only where it holds.

    An access under different conditions at different places of the node has none; nor has one
    whose conditions compare with fractions, which the rules for lanes don't know.
    """
    found: dict[Access, set[tuple[Condition, ...]]] = {}
    for access, under in _conditional_reads(node):
        found.setdefault(access, set()).add(under)
    guards: dict[Access, Condition] = {}
    for access, places in found.items():
        (first, *others) = places
        if first and not others and all(map(_is_whole, first)):
            guards[access] = first[0] if len(first) == 1 else Logic(LogicOp.AND, first)
    return guards


def _conditional_reads(node: Node) -> Iterator[tuple[Access, tuple[Condition, ...]]]:
    under: tuple[Condition, ...] = ()
    if node.guard is not None:
        under = affine_conjuncts(node.guard)
        yield from conditional_reads(node.guard)
    if node.start is not None:
        yield from conditional_reads(node.start)
    yield from conditional_reads(node.value, under)


def _is_whole(condition: Condition) -> bool:
    literals = (part.value for part in walk(condition) if isinstance(part, Literal))
    return all(float(value).is_integer() for value in literals)
