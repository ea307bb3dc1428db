"""Nests that only set, copy or leave unused what others make, folded into their neighbours.

Before::

    E[i][j] = 0                              acc[i][j] (+)= A[i][k] * B[k][j]
    E_1[i][j] = E[i][j] (+) A[i][k] * B[k][j]     C[i][j] = acc[i][j]

After::

    E_1[i][j] (+)= A[i][k] * B[k][j]         C[i][j] (+)= A[i][k] * B[k][j]

`fold_starts` puts the values of nests without operations where the one statement that reads them
does; `fold_copies` lets a nest write into the array that its result is copied to; `drop_unused`
takes nests away that no output needs. None changes a value or an order of operations.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Index,
    Literal,
    Read,
    reads,
    substitute,
    walk,
)
from streamopt.ir.ordering import users
from streamopt.ir.program import Role
from streamopt.transforms.restructure.ordering import ordered_statement

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.expression import Expression
    from streamopt.ir.program import Nest, Program, Statement

__all__ = ["drop_unused", "fold_copies", "fold_starts"]


def fold_starts(program: Program) -> Program:
    """Put op-free assignments where their only reader reads them."""
    program = _along_links(program, _folded)
    nests = tuple(_without_identity(nest) for nest in program.nests)
    return replace(program, nests=nests)


def _along_links(program: Program, merged: Callable[[Program, str, int, int], Program]) -> Program:
    """Merge two nests after another: the one writer and the one reader of an internal array.

    Parameters
    ----------
    merged
        From the program, the array and the positions of both nests to the program after.
    """
    for array in program.arrays:
        if array.role is not Role.INTERNAL:
            continue
        all_writers, all_readers = users(program.nests)
        match all_writers.get(array.name, []), all_readers.get(array.name, []):
            case [writer], [reader] if writer < reader:
                program = merged(program, array.name, writer, reader)
            case _:
                pass
    return program


def _folded(program: Program, array: str, writer: int, reader: int) -> Program:
    maker, user = program.nests[writer], program.nests[reader]
    if maker.sequential or user.sequential or maker.statements[0].reduction is not None:
        return program
    (source,), (statement,) = maker.statements, user.statements
    value = _readable(program, source, statement)
    if value is None or not _is_stable(program, value, writer, reader):
        return program
    places = [a for e in statement.expressions for a in reads(e) if a.array == array]
    names = [subscript.as_iterator() for subscript in source.target.subscripts]
    if len(places) != 1 or None in names or len(set(names)) != len(names):
        return program
    loops = [loop.name for loop in maker.loops if loop.trip_count > 1]
    if not {*loops} <= {*names}:
        return program
    idle = {loop.name: Affine() for loop in maker.loops}
    by_name = dict(zip((n or "" for n in names), places[0].subscripts, strict=True))
    inlined = substitute(value, {**idle, **by_name})

    def leaf(part: Expression) -> Expression:
        return inlined if part == Read(places[0]) else part

    changed = ordered_statement(
        statement.rewritten(leaf, statement.target), [loop.name for loop in user.loops]
    )
    nests = [*program.nests]
    nests[reader] = replace(user, statements=(changed,))
    del nests[writer]
    arrays = tuple(a for a in program.arrays if a.name != array)
    return replace(program, arrays=arrays, nests=tuple(nests))


def _readable(program: Program, source: Statement, reader: Statement) -> Expression | None:
    """Return the value of an assignment as its reader sees it, if it costs no operation."""
    if any(isinstance(part, Binary | Call) for part in walk(source.value)):
        return None
    element = program.array(source.target.array).element
    touched = [a.array for e in (*reader.expressions, source.value) for a in reads(e)]
    names = {reader.target.array, source.target.array, *touched}
    same = all(program.array(name).element is element for name in names)
    plain = same and not isinstance(source.value, Index)
    return source.value if plain else Cast(element, source.value)


def _is_stable(program: Program, value: Expression, writer: int, reader: int) -> bool:
    """Return whether nobody writes, between two nests, what a value reads."""
    needed = {access.array for access in reads(value)}
    between = program.nests[writer + 1 : reader]
    return not any(s.target.array in needed for nest in between for s in nest.statements)


def _without_identity(nest: Nest) -> Nest:
    """Return the nest without a start that is the identity of its reduction."""
    if nest.sequential:
        return nest
    (statement,) = nest.statements
    match statement.start, statement.reduction:
        case Literal(value), reduction if reduction is not None and value == reduction.identity:
            return replace(nest, statements=(replace(statement, start=None),))
        case _:
            return nest


def fold_copies(program: Program) -> Program:
    """Let nests write into the arrays that their results are only copied to."""
    return _along_links(program, _copied)


def _copied(program: Program, array: str, writer: int, reader: int) -> Program:
    maker, user = program.nests[writer], program.nests[reader]
    if maker.sequential or user.sequential:
        return program
    (source,), (copy,) = maker.statements, user.statements
    plain = copy.reduction is None and isinstance(copy.value, Read)
    if not plain or not isinstance(copy.value, Read):
        return program
    place = copy.value.access
    names = [subscript.as_iterator() for subscript in place.subscripts]
    loops = {loop.name: loop.trip_count for loop in user.loops}
    shape = program.array(array).shape
    whole = all(n is not None and loops[n] == e for n, e in zip(names, shape, strict=True))
    idle = [name for name, trip in loops.items() if trip > 1 and name not in names]
    elements = program.array(array).element, program.array(copy.target.array).element
    if not whole or idle or len(set(names)) != len(names) or elements[0] is not elements[1]:
        return program
    others = {name: Affine() for name in loops}
    by_name = dict(zip((n or "" for n in names), source.target.subscripts, strict=True))
    target = copy.target.substitute({**others, **by_name})
    moved = {Access(array, source.target.subscripts): target}

    def leaf(part: Expression) -> Expression:
        return Read(moved.get(part.access, part.access)) if isinstance(part, Read) else part

    names = [loop.name for loop in maker.loops]
    changed = ordered_statement(source.rewritten(leaf, target), names)
    nests = [*program.nests]
    nests[writer] = replace(maker, statements=(changed,))
    del nests[reader]
    arrays = tuple(a for a in program.arrays if a.name != array)
    return replace(program, arrays=arrays, nests=tuple(nests))


def drop_unused(program: Program) -> Program:
    """Take away nests, statements of sequential ones, and arrays that no output needs."""
    needed = {array.name for array in program.arrays if array.role is Role.OUTPUT}
    kept: list[Nest] = []
    for nest in reversed(program.nests):
        live = _live(nest, needed)
        if live.statements:
            kept.append(live)
            needed |= {statement.target.array for statement in live.statements}
            needed |= {source for _, source in live.carries}
            needed |= {a.array for s in live.statements for e in s.expressions for a in reads(e)}
    arrays = tuple(array for array in program.arrays if array.name in needed)
    values = {name: value for name, value in program.values.items() if name in needed}
    return replace(program, arrays=arrays, nests=tuple(reversed(kept)), values=values)


def _live(nest: Nest, needed: set[str]) -> Nest:
    """Return a nest with the statements that lead to arrays that somebody needs."""
    live: set[str] = set()
    more = needed & {statement.target.array for statement in nest.statements}
    while more > live:
        live = more
        made = [statement for statement in nest.statements if statement.target.array in live]
        more = live | {a.array for s in made for e in s.expressions for a in reads(e)}
    statements = tuple(s for s in nest.statements if s.target.array in live)
    carries = tuple(pair for pair in nest.carries if pair[0] in live)
    return replace(nest, statements=statements, carries=carries)
