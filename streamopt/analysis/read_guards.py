"""Under which conditions statements read their operands: those of the branches around the reads."""

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
    from collections.abc import Iterable, Iterator, Mapping

    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.graph import Node
    from streamopt.ir.program import Statement

__all__ = ["compares_whole_numbers", "read_guards"]


def read_guards(body: Node | Statement) -> Mapping[Access, Condition]:
    """Return an affine condition for every access that happens only where it holds.

    An access at several places has what is a condition at all of them; conditions that compare
    with fractions are left out, which neither isl nor the rules for lanes know.

    Parameters
    ----------
    body
        A streaming node, or a statement of a sequential one.
    """
    found: dict[Access, list[tuple[Condition, ...]]] = {}
    for access, under in _conditional_reads(body):
        found.setdefault(access, []).append(under)
    guards: dict[Access, Condition] = {}
    for access, places in found.items():
        common = _common(places)
        if common:
            guards[access] = common[0] if len(common) == 1 else Logic(LogicOp.AND, common)
    return guards


def _common(places: Iterable[tuple[Condition, ...]]) -> tuple[Condition, ...]:
    first, *others = places
    shared = set(first).intersection(*others)
    return tuple(
        part for part in dict.fromkeys(first) if part in shared and compares_whole_numbers(part)
    )


def _conditional_reads(
    body: Node | Statement,
) -> Iterator[tuple[Access, tuple[Condition, ...]]]:
    under: tuple[Condition, ...] = ()
    if body.guard is not None:
        under = affine_conjuncts(body.guard)
        yield from conditional_reads(body.guard)
    if body.start is not None:
        yield from conditional_reads(body.start)
    yield from conditional_reads(body.value, under)


def compares_whole_numbers(condition: Condition) -> bool:
    """Return whether a condition compares with no fraction."""
    literals = (part.value for part in walk(condition) if isinstance(part, Literal))
    return all(float(value).is_integer() for value in literals)
