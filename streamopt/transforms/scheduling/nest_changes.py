"""After and fuse: statements that leave their loops and join those of others.

Before::

    for (i) S1          for (i) S2

After ``fuse(S2, S1, i)``::

    for (i) { S1  S2 }

Nothing here asks whether the dependences allow it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, LegalityError

if TYPE_CHECKING:
    from streamopt.ir.loop_steps import After, Fuse
    from streamopt.transforms.scheduling.timed import TimedLoop, TimedProgram, TimedStatement

__all__ = ["fused", "placed_after"]


def placed_after(program: TimedProgram, step: After) -> TimedProgram:
    """Return the program with a statement right behind another, in one of its loops.

    Raises
    ------
    LegalityError
        If there is no such statement or loop (E231, E232), or it is the same statement (E236).
    """
    statement, other = _both(program, step.node, step.other)
    depth = other.depth(step.loop) if step.loop else -1
    return _inserted(program, statement, other, depth, 1)


def fused(program: TimedProgram, step: Fuse) -> TimedProgram:
    """Return the program with a statement in the loops of another, the text order as it is.

    Raises
    ------
    LegalityError
        As `placed_after`.
    """
    statement, other = _both(program, step.node, step.other)
    is_later = _text_order(statement) > _text_order(other)
    return _inserted(program, statement, other, other.depth(step.loop), int(is_later))


def _both(program: TimedProgram, name: str, other: str) -> tuple[TimedStatement, TimedStatement]:
    if name == other:
        message = f"{name} can't be placed beside itself"
        raise LegalityError(Diagnostic("E236", message, hint="name another statement"))
    return program.statement(name), program.statement(other)


def _text_order(statement: TimedStatement) -> tuple[int, ...]:
    return statement.position


def _inserted(
    program: TimedProgram,
    statement: TimedStatement,
    other: TimedStatement,
    depth: int,
    offset: int,
) -> TimedProgram:
    """Return the program with a statement beside the part of a loop's body that holds another.

    Parameters
    ----------
    depth
        Of the innermost loop that both share then; -1 for none.
    offset
        0 for before, 1 for behind.
    """
    if len(statement.loops) <= depth:
        message = f"{statement.name} has {len(statement.loops)} loops, too few to share "
        message += f"loop {other.loops[depth].name} of {other.name}"
        hint = "name a loop further out"
        raise LegalityError(Diagnostic("E236", message, statement.instance.assign.loc, hint))
    prefix = other.position[: depth + 1]
    place = other.position[depth + 1] + offset

    def moved(own: TimedStatement) -> TimedStatement:
        position = own.position
        if len(own.loops) <= depth or position[: depth + 1] != prefix:
            return own
        if position[depth + 1] < place:
            return own
        position = (*prefix, position[depth + 1] + 1, *position[depth + 2 :])
        return replace(own, position=position)

    inside = (0,) * (len(statement.loops) - depth - 1)
    joined = replace(
        statement,
        loops=_joined(statement.loops, other.loops[: depth + 1]),
        position=(*prefix, place, *inside),
    )
    statements = tuple(
        joined if own.name == statement.name else moved(own) for own in program.statements
    )
    return replace(program, statements=statements)


def _joined(own: tuple[TimedLoop, ...], shared: tuple[TimedLoop, ...]) -> tuple[TimedLoop, ...]:
    """Return loops of which the outer ones are called as those that they join."""
    names = [loop.name for loop in shared]
    for loop in own[len(shared) :]:
        name, number = loop.name, 2
        while name in names:
            name, number = f"{loop.name}_{number}", number + 1
        names.append(name)
    return tuple(replace(loop, name=name) for loop, name in zip(own, names, strict=True))
