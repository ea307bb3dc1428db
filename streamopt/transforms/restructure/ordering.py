"""Subscripts with their terms in the order of the loops, so that equal ones compare equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.expression import Access, Index, Read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.expression import Expression
    from streamopt.ir.program import Statement

__all__ = ["ordered_statement"]


def ordered_statement(statement: Statement, names: Sequence[str]) -> Statement:
    """Return the statement with every sum of iterators ordered as ``names``."""

    def access_of(access: Access) -> Access:
        return Access(access.array, tuple(s.ordered(names) for s in access.subscripts))

    def leaf(part: Expression) -> Expression:
        match part:
            case Read(access):
                return Read(access_of(access))
            case Index(value):
                return Index(value.ordered(names))
            case _:
                return part

    return statement.rewritten(leaf, access_of(statement.target))
