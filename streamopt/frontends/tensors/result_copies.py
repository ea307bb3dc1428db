"""Eliminates output copies: the producer writes the result directly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Index, Read, children, reads, rebuild
from streamopt.ir.program import Loop, Nest, Program, Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.expression import Expression
    from streamopt.ir.program import Nest, Statement

__all__ = ["renamed_nest", "without_result_copies"]


def without_result_copies(program: Program) -> Program:
    """Return the program without nests that only hand an array over under another shape.

    Before::

        for i, j, k: product[i][j] += a[i][k] * b[k][j]
        for i, j:    y[0][i][j] = product[i][j]

    After::

        for i, j, k: y[0][i][j] += a[i][k] * b[k][j]
    """
    for nest in program.nests:
        program = _without(program, nest)
    return program


def _without(program: Program, copy: Nest) -> Program:
    statement = copy.statements[0]
    target, value = statement.target, statement.value
    if not isinstance(value, Read) or len(copy.statements) != 1 or statement.reduction is not None:
        return program
    source, result = program.array(value.access.array), program.array(target.array)
    if source.role is not Role.INTERNAL or result.role is not Role.OUTPUT:
        return program
    writers = [n for n in program.nests if n.statements[0].target.array == source.name]
    readers = [n for n in program.nests if _reads(n, source.name)]
    others = [n for n in program.nests if n.statements[0].target.array == result.name]
    places = _places(value.access, copy, source.shape)
    is_alone = len(writers) == 1 and len(readers) == 1 and len(others) == 1
    if not is_alone or places is None or source.element is not result.element:
        return program
    (writer,) = writers
    written = writer.statements[0]
    # Position of the element in the source, by the iterator of the copy.
    moved = {name: written.target.subscripts[position] for name, position in places.items()}
    subscripts = tuple(subscript.substitute(moved) for subscript in target.subscripts)
    statement = replace(written, target=Access(result.name, subscripts))
    merged = replace(writer, statements=(statement,))
    return replace(
        program,
        arrays=tuple(array for array in program.arrays if array is not source),
        nests=tuple(merged if n is writer else n for n in program.nests if n is not copy),
    )


def _reads(nest: Nest, array: str) -> bool:
    found = (a for s in nest.statements for e in s.expressions for a in reads(e))
    return any(access.array == array for access in found)


def _places(access: Access, copy: Nest, shape: tuple[int, ...]) -> Mapping[str, int] | None:
    """Return the dimension that each iterator walks, if the copy reads all elements once."""
    found: dict[str, int] = {}
    for position, (subscript, extent) in enumerate(zip(access.subscripts, shape, strict=True)):
        name = subscript.as_iterator()
        if name is None:
            if extent > 1 or not _is_zero(subscript):
                return None
        elif name in found or copy.trip_counts[name] != extent:
            return None
        else:
            found[name] = position
    return found if set(found) == set(copy.trip_counts) else None


def _is_zero(subscript: Affine) -> bool:
    return not subscript.terms and subscript.constant == 0


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
