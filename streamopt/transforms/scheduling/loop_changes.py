"""Other times for the iterations of statements: what each step of the language does to loops.

Interchange, split, tile, skew and shift change values of iterators; after and fuse move a statement
into the loops of another. A loop that several statements share changes for all of them. Nothing
here asks whether the dependences allow it; `streamopt.transforms.scheduling.transformed` does.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import gcd

from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.affine import Affine
from streamopt.ir.loop_steps import After, Fuse, Interchange, Shift, Skew, Split, Tile
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.scheduling.timed import TimedLoop, TimedProgram, TimedStatement


def interchanged(program: TimedProgram, step: Interchange) -> TimedProgram:
    """Return the program with two loops in each other's places.

    Raises
    ------
    LegalityError
        If there is no such loop (E232), or a statement is in only one of the two (E233).
    """
    statement = program.statement(step.node)
    first, second = sorted((statement.depth(step.first), statement.depth(step.second)))

    def swapped(own: TimedStatement) -> TimedStatement:
        loops = [*own.loops]
        loops[first], loops[second] = loops[second], loops[first]
        return replace(own, loops=tuple(loops))

    return _changed(program, statement, (first, second), swapped)


def split(program: TimedProgram, step: Split) -> TimedProgram:
    """Return the program with ``i`` as ``(i - low) / factor`` and ``(i - low) % factor``.

    Raises
    ------
    LegalityError
        If there is no such loop (E232), a factor below 1 (E234) or a name taken (E235).
    """
    statement = program.statement(step.node)
    depth = statement.depth(step.loop)
    if step.factor < 1:
        message = f"the factor of a split is {step.factor}"
        raise LegalityError(Diagnostic("E234", message, hint="give a whole number of at least 1"))
    low = min(own.reach(depth)[0] for own in shared_by(program, statement, depth))

    def divided(own: TimedStatement) -> TimedStatement:
        value = own.loops[depth].value - Affine.of(low)
        parts = value.floordiv(step.factor), value.mod(step.factor)
        loops = map(TimedLoop, step.names, parts)
        position = (*own.position[: depth + 1], 0, *own.position[depth + 1 :])
        return replace(
            own, loops=(*own.loops[:depth], *loops, *own.loops[depth + 1 :]), position=position
        )

    return _changed(program, statement, (depth, depth), divided)


def tiled(program: TimedProgram, step: Tile) -> TimedProgram:
    """Return the program with nested loops in tiles: all outer parts, then all inner ones.

    Raises
    ------
    LegalityError
        As `split` and `interchanged`; E234 where loops, factors and names don't match, or the
        loops aren't nested in this order.
    """
    count = len(step.loops)
    statement = program.statement(step.node)
    depths = [statement.depth(loop) for loop in step.loops]
    if not (count and len(step.factors) == count and len(step.names) == 2 * count):
        message = f"tiles of {count} loops have {len(step.factors)} factors"
        raise LegalityError(Diagnostic("E234", message, hint="give one factor for each loop"))
    if depths != [*range(depths[0], depths[0] + count)]:
        message = f"{', '.join(step.loops)} of {step.node} aren't right inside each other"
        names = ", ".join(loop.name for loop in statement.loops)
        hint = f"name them from the outermost in, after interchanges; its loops are {names}"
        raise LegalityError(Diagnostic("E234", message, hint=hint))
    for at, (loop, factor) in enumerate(zip(step.loops, step.factors, strict=True)):
        names = step.names[at], step.names[count + at]
        program = split(program, Split(step.node, loop, factor, names))
    first = depths[0]
    order = [first + 2 * at for at in range(count)] + [first + 2 * at + 1 for at in range(count)]

    def ordered(own: TimedStatement) -> TimedStatement:
        moved = (own.loops[at] for at in order)
        after = own.loops[first + 2 * count :]
        return replace(own, loops=(*own.loops[:first], *moved, *after))

    ends = first, first + 2 * count - 1
    return _changed(program, program.statement(step.node), ends, ordered)


def skewed(program: TimedProgram, step: Skew) -> TimedProgram:
    """Return the program with ``i, j`` as ``f i + g j`` and ``c i + s j``, of determinant +-1.

    ``skew(i, j, 1, 1)`` makes wavefronts ``i + j`` with ``j`` inside, ``skew(i, j, 2, 1)`` has
    ``2 i + j`` with ``i`` inside: (L4) of ``models/formulations/scheduling.md``.

    Raises
    ------
    LegalityError
        As `interchanged`; E234 where the loops aren't nested in this order, or the factors have
        a common divisor or are not positive and non-negative.
    """
    statement = program.statement(step.node)
    first, second = map(statement.depth, step.loops)
    f, g = step.factors
    if second != first + 1:
        message = f"loop {step.loops[1]} of {step.node} isn't right inside of {step.loops[0]}"
        raise LegalityError(Diagnostic("E234", message, hint="interchange loops first"))
    if f < 0 or gcd(f, g) != 1:
        message = f"factors {f} and {g} of a skew lose iterations or run them twice"
        hint = "give whole numbers without a common divisor, the first not negative"
        raise LegalityError(Diagnostic("E234", message, hint=hint))
    c, s = unimodular_rest(f, g)

    def slanted(own: TimedStatement) -> TimedStatement:
        i, j = own.loops[first].value, own.loops[second].value
        values = i.scaled(f) + j.scaled(g), i.scaled(c) + j.scaled(s)
        loops = map(TimedLoop, step.names, values)
        return replace(own, loops=(*own.loops[:first], *loops, *own.loops[second + 1 :]))

    return _changed(program, statement, (first, second), slanted)


def shifted(program: TimedProgram, step: Shift) -> TimedProgram:
    """Return the program with every iteration of a loop ``amount`` later.

    Raises
    ------
    LegalityError
        If there is no such loop (E232).
    """
    statement = program.statement(step.node)
    depth = statement.depth(step.loop)

    def later(own: TimedStatement) -> TimedStatement:
        loop = own.loops[depth]
        moved = replace(loop, value=loop.value + Affine.of(step.amount))
        return replace(own, loops=(*own.loops[:depth], moved, *own.loops[depth + 1 :]))

    # Of the statements that share the loop this one alone: that is what a shift is for.
    return _with(program, {statement.name: later(statement)})


def unimodular_rest(f: int, g: int) -> tuple[int, int]:
    """Return ``c, s`` with ``f s - g c = 1`` or ``-1``: one of the old loops where that does.

    Then the new loops run over every iteration once, and the inner one is no longer than needed.
    """
    if f == 1:
        return 0, 1
    if abs(g) == 1:
        return 1, 0
    s = next(s for s in range(abs(g) + 1) if (f * s - 1) % g == 0)
    return (f * s - 1) // g, s


def shared_by(
    program: TimedProgram, statement: TimedStatement, depth: int
) -> tuple[TimedStatement, ...]:
    """Return the statements inside one loop of a statement, this one included."""
    prefix = statement.position[: depth + 1]
    return tuple(
        own
        for own in program.statements
        if len(own.loops) > depth and own.position[: depth + 1] == prefix
    )


def _changed(
    program: TimedProgram,
    statement: TimedStatement,
    depths: tuple[int, int],
    change: Callable[[TimedStatement], TimedStatement],
) -> TimedProgram:
    """Return the program with the statements of loops changed; ``depths`` are both ends."""
    outer, inner = (shared_by(program, statement, depth) for depth in depths)
    alone = [own.name for own in outer if own not in inner]
    if alone:
        loops = statement.loops[depths[0]].name, statement.loops[depths[1]].name
        message = f"{', '.join(alone)} is in loop {loops[0]} beside loop {loops[1]} "
        message += f"of {statement.name}"
        hint = f"give {statement.name} loops of its own by after(), or join the others by fuse()"
        raise LegalityError(Diagnostic("E233", message, statement.instance.assign.loc, hint))
    found = _with(program, {own.name: change(own) for own in inner})
    for own in inner:
        _check_names(found.statement(own.name))
    return found


def _with(program: TimedProgram, changed: dict[str, TimedStatement]) -> TimedProgram:
    statements = tuple(changed.get(own.name, own) for own in program.statements)
    return replace(program, statements=statements)


def _check_names(statement: TimedStatement) -> None:
    names: Sequence[str] = [loop.name for loop in statement.loops]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        message = f"{statement.name} would have two loops '{twice}'"
        raise LegalityError(Diagnostic("E235", message, hint="give the new loops other names"))


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

    Before: ``for (i) S1; for (i) S2``
    After:  ``for (i) { S1 S2 }``

    Raises
    ------
    LegalityError
        As `placed_after`.
    """
    statement, other = _both(program, step.node, step.other)
    is_later = statement.position > other.position
    return _inserted(program, statement, other, other.depth(step.loop), int(is_later))


def _both(program: TimedProgram, name: str, other: str) -> tuple[TimedStatement, TimedStatement]:
    if name == other:
        message = f"{name} can't be placed beside itself"
        raise LegalityError(Diagnostic("E236", message, hint="name another statement"))
    return program.statement(name), program.statement(other)


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
    free = FreeNames(names)
    names += [free.fresh(loop.name) for loop in own[len(shared) :]]
    return tuple(replace(loop, name=name) for loop, name in zip(own, names, strict=True))
