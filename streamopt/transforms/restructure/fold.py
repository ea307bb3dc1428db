"""Nests that only set, copy or leave unused what others make, folded into their neighbours.

None changes a value or an order of operations.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.element import is_closed
from streamopt.ir.program import Nest, Program, Role, Statement, users
from streamopt.transforms.restructure.flat_source import MAX_DEPTH, ordered_statement


@dataclass(frozen=True, slots=True)
class _Link:
    """The only writer of an internal array and its only reader, by positions among the nests."""

    program: Program
    array: str
    maker: Nest
    user: Nest
    writer: int
    reader: int
    writers: Mapping[str, set[int]]
    """Positions of the nests that write each array."""


def fold_starts(program: Program) -> Program:
    """Put assignments without operations where their only reader reads them.

    Before: ``E[i][j] = 0; E_1[i][j] = E[i][j] (+) A[i][k] * B[k][j]``
    After:  ``E_1[i][j] (+)= A[i][k] * B[k][j]``
    """
    program = _along_links(program, _folded, keeps_reader=True)
    nests = tuple(_without_identity(nest) for nest in program.nests)
    return replace(program, nests=nests)


def _along_links(
    program: Program, merged: Callable[[_Link], Nest | None], *, keeps_reader: bool
) -> Program:
    """Merge two nests after another: the one writer and the one reader of an internal array.

    Parameters
    ----------
    merged
        From a link to the nest that both become; None where they stay.
    keeps_reader
        Whether that stands where the reader was, not the writer.
    """
    nests: list[Nest | None] = [*program.nests]
    sides = [{name: {*at} for name, at in side.items()} for side in users(program.nests)]
    gone: set[str] = set()
    for array in program.arrays:
        all_writers, all_readers = (side.get(array.name, set[int]()) for side in sides)
        if array.role is not Role.INTERNAL or len(all_writers) != 1 or len(all_readers) != 1:
            continue
        (writer,), (reader,) = all_writers, all_readers
        maker, user = nests[writer], nests[reader]
        if writer >= reader or maker is None or user is None:
            continue
        nest = merged(_Link(program, array.name, maker, user, writer, reader, sides[0]))
        if nest is None:
            continue
        gone.add(array.name)
        place, other = (reader, writer) if keeps_reader else (writer, reader)
        for position, before in ((writer, maker), (reader, user)):
            for side, table in zip(sides, users([before]), strict=True):
                for name in table:
                    side[name].discard(position)
        nests[place], nests[other] = nest, None
        for side, table in zip(sides, users([nest]), strict=True):
            for name in table:
                side[name].add(place)
    arrays = tuple(array for array in program.arrays if array.name not in gone)
    return replace(program, arrays=arrays, nests=tuple(n for n in nests if n is not None))


def _folded(link: _Link) -> Nest | None:
    maker, user = link.maker, link.user
    if maker.sequential or user.sequential or maker.statements[0].reduction is not None:
        return None
    (source,), (statement,) = maker.statements, user.statements
    depths = map(ir.depth_of, (source.value, *statement.expressions))
    if sum(depths) > MAX_DEPTH:
        return None
    value = _readable(link.program, source, statement)
    if value is None or not _is_stable(link, value):
        return None
    places = [a for e in statement.expressions for a in ir.reads(e) if a.array == link.array]
    names = [subscript.as_iterator() for subscript in source.target.subscripts]
    if len(places) != 1 or None in names or len(set(names)) != len(names):
        return None
    loops = [loop.name for loop in maker.loops if loop.trip_count > 1]
    if not {*loops} <= {*names}:
        return None
    idle = {loop.name: Affine() for loop in maker.loops}
    by_name = dict(zip((n or "" for n in names), places[0].subscripts, strict=True))
    inlined = ir.substitute(value, {**idle, **by_name})

    def leaf(part: ir.Expression) -> ir.Expression:
        return inlined if part == ir.Read(places[0]) else part

    changed = ordered_statement(
        statement.rewritten(leaf, statement.target), [loop.name for loop in user.loops]
    )
    return replace(user, statements=(changed,))


def _readable(program: Program, source: Statement, reader: Statement) -> ir.Expression | None:
    """Return the value of an assignment as its reader sees it, if it costs no operation."""
    if any(isinstance(part, ir.Binary | ir.Call) for part in ir.walk(source.value)):
        return None
    element = program.array(source.target.array).element
    touched = [a.array for e in (*reader.expressions, source.value) for a in ir.reads(e)]
    names = {reader.target.array, source.target.array, *touched}
    same = all(program.array(name).element is element for name in names)
    plain = same and not isinstance(source.value, ir.Index)
    plain &= is_closed(element) or isinstance(source.value, ir.Read | ir.Literal)
    return source.value if plain else ir.Cast(element, source.value)


def _is_stable(link: _Link, value: ir.Expression) -> bool:
    """Return whether nobody writes, between two nests, what a value reads."""
    needed = {access.array for access in ir.reads(value)}
    writers = (at for name in needed for at in link.writers.get(name, ()))
    return not any(link.writer < at < link.reader for at in writers)


def _without_identity(nest: Nest) -> Nest:
    """Return the nest without a start that is the identity of its reduction."""
    if nest.sequential:
        return nest
    (statement,) = nest.statements
    match statement.start, statement.reduction:
        case ir.Literal(value), reduction if reduction is not None and value == reduction.identity:
            return replace(nest, statements=(replace(statement, start=None),))
        case _:
            return nest


def fold_copies(program: Program) -> Program:
    """Let nests write into the arrays that their results are only copied to.

    Before: ``acc[i][j] (+)= A[i][k] * B[k][j]; C[i][j] = acc[i][j]``
    After:  ``C[i][j] (+)= A[i][k] * B[k][j]``
    """
    return _along_links(program, _copied, keeps_reader=False)


def _copied(link: _Link) -> Nest | None:
    maker, user = link.maker, link.user
    if maker.sequential or user.sequential:
        return None
    (source,), (copy,) = maker.statements, user.statements
    plain = copy.reduction is None and isinstance(copy.value, ir.Read)
    if not plain or not isinstance(copy.value, ir.Read):
        return None
    place = copy.value.access
    names = [subscript.as_iterator() for subscript in place.subscripts]
    loops = {loop.name: loop.trip_count for loop in user.loops}
    made, copied = link.program.array(link.array), link.program.array(copy.target.array)
    whole = all(n is not None and loops[n] == e for n, e in zip(names, made.shape, strict=True))
    idle = [name for name, trip in loops.items() if trip > 1 and name not in names]
    if not whole or idle or len(set(names)) != len(names) or made.element is not copied.element:
        return None
    others = {name: Affine() for name in loops}
    by_name = dict(zip((n or "" for n in names), source.target.subscripts, strict=True))
    target = copy.target.substitute({**others, **by_name})
    moved = {ir.Access(link.array, source.target.subscripts): target}

    changed = source.rewritten(ir.moved_leaf(lambda access: moved.get(access, access)), target)
    changed = ordered_statement(changed, [loop.name for loop in maker.loops])
    return replace(maker, statements=(changed,))


def drop_unused(program: Program) -> Program:
    """Take away nests, statements of sequential ones, and arrays that no output needs.

    Before: ``w[i] = x[i] * 3; y[i] = x[i] + 1      # y is an output``
    After:  ``y[i] = x[i] + 1``
    """
    needed = {array.name for array in program.arrays if array.role is Role.OUTPUT}
    kept: list[Nest] = []
    for nest in reversed(program.nests):
        live = _live(nest, needed)
        if live.statements:
            kept.append(live)
            needed |= {statement.target.array for statement in live.statements}
            needed |= {source for _, source in live.carries}
            needed |= {a.array for s in live.statements for e in s.expressions for a in ir.reads(e)}
    arrays = tuple(array for array in program.arrays if array.name in needed)
    values = {name: value for name, value in program.values.items() if name in needed}
    return replace(program, arrays=arrays, nests=tuple(reversed(kept)), values=values)


def _live(nest: Nest, needed: set[str]) -> Nest:
    """Return a nest with the statements that lead to needed arrays."""
    live: set[str] = set()
    more = needed & {statement.target.array for statement in nest.statements}
    while more > live:
        live = more
        made = [statement for statement in nest.statements if statement.target.array in live]
        more = live | {a.array for s in made for e in s.expressions for a in ir.reads(e)}
    statements = tuple(s for s in nest.statements if s.target.array in live)
    carries = tuple(pair for pair in nest.carries if pair[0] in live)
    return replace(nest, statements=statements, carries=carries)
