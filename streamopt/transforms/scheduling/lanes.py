"""Loops of a split that are unrolled as a whole: lanes of the loop that was split.

Before::

    for (i0 = 0; i0 < 8; i0++)        // pipeline
      for (i1 = 0; i1 < 4; i1++)      // unroll
        A[4 * i0 + i1] = ...

After::

    for (i = 0; i < 32; i++)          // unroll 4
      A[i] = ...

Both are the same hardware, but only in the second form an array is walked by one iterator for a
dimension, as FIFOs need (Cond. 2).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.ir.affine import FloorDiv, Mod
from streamopt.transforms.scheduling.legality import legality_problems

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from streamopt.ir.affine import Affine
    from streamopt.transforms.scheduling.timed import TimedProgram, TimedStatement

__all__ = ["with_lanes"]


def with_lanes(
    program: TimedProgram, unrolled: Collection[tuple[str, str]]
) -> tuple[TimedProgram, Mapping[tuple[str, str], int]]:
    """Return the program without the inner loops of splits that are unrolled as a whole.

    Parameters
    ----------
    unrolled
        (statement, loop) of the loops all of whose iterations work in parallel.

    Returns
    -------
    tuple
        The program, and by (statement, loop) the factor of the loops that took lanes in. A split
        stays where its loops are shared, or the order of the lanes matters.
    """
    factors: dict[tuple[str, str], int] = {}
    for statement in program.statements:
        for loop in statement.loops:
            if (statement.name, loop.name) in unrolled:
                found = _merged(program, program.statement(statement.name), loop.name)
                if found is not None:
                    program, outer, factor = found
                    factors[statement.name, outer] = factor
    return program, factors


def _merged(
    program: TimedProgram, statement: TimedStatement, inner: str
) -> tuple[TimedProgram, str, int] | None:
    depth = statement.depth(inner)
    parts = _divided(statement.loops[depth].value, Mod)
    if parts is None:
        return None
    outer = next(
        (at for at, own in enumerate(statement.loops) if _divided(own.value, FloorDiv) == parts),
        None,
    )
    if outer is None or outer > depth or _is_shared(program, statement):
        return None
    whole, factor = parts
    loops = [*statement.loops]
    name = loops[outer].name
    loops[outer] = replace(loops[outer], value=whole)
    del loops[depth]
    position = (*statement.position[: depth + 1], *statement.position[depth + 2 :])
    merged = replace(statement, loops=tuple(loops), position=position)
    statements = tuple(merged if own is statement else own for own in program.statements)
    after = replace(program, statements=statements)
    if any(legality_problems(program, after, "lanes")):
        return None
    return after, name, factor


def _divided(value: Affine, kind: type[FloorDiv | Mod]) -> tuple[Affine, int] | None:
    """Return what is divided by which factor, where a value is nothing else."""
    match value.terms, value.constant:
        case ((atom, 1),), 0 if isinstance(atom, kind):
            return atom.value, atom.divisor
        case _:
            return None


def _is_shared(program: TimedProgram, statement: TimedStatement) -> bool:
    first = statement.position[0]
    return any(own.position[0] == first for own in program.statements if own is not statement)
