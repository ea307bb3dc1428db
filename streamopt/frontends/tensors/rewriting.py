"""Nests with arrays or iterators under other names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Index, Read, children, rebuild
from streamopt.ir.program import Loop

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.expression import Expression
    from streamopt.ir.program import Nest, Statement

__all__ = ["renamed_nest"]


def renamed_nest(nest: Nest, arrays: Mapping[str, str], iterators: Mapping[str, str]) -> Nest:
    """Return the nest with the new names; names that aren't mentioned stay."""
    affine = {old: Affine.iterator(new) for old, new in iterators.items()}
    return replace(
        nest,
        loops=tuple(
            Loop(iterators.get(loop.name, loop.name), loop.trip_count) for loop in nest.loops
        ),
        statements=tuple(_statement(statement, arrays, affine) for statement in nest.statements),
    )


def _statement(
    statement: Statement, arrays: Mapping[str, str], iterators: Mapping[str, Affine]
) -> Statement:
    start = statement.start
    return replace(
        statement,
        target=_access(statement.target, arrays, iterators),
        value=_expression(statement.value, arrays, iterators),
        start=None if start is None else _expression(start, arrays, iterators),
    )


def _access(access: Access, arrays: Mapping[str, str], iterators: Mapping[str, Affine]) -> Access:
    subscripts = tuple(subscript.substitute(iterators) for subscript in access.subscripts)
    return Access(arrays.get(access.array, access.array), subscripts)


def _expression(
    expression: Expression, arrays: Mapping[str, str], iterators: Mapping[str, Affine]
) -> Expression:
    match expression:
        case Read(access):
            return Read(_access(access, arrays, iterators))
        case Index(value):
            return Index(value.substitute(iterators))
        case _:
            inner = tuple(_expression(e, arrays, iterators) for e in children(expression))
            return rebuild(expression, inner)
