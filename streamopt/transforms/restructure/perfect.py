"""Loop perfectization and removal of variable bounds: any group of statements as one nest.

Loops that follow each other are laid end to end along one loop; shorter ones are guarded. The
order of all statement instances stays as it is, so this is always legal.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from streamopt.analysis.instances import Hull, StatementInstance, bound_conditions, hull_of
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.program import Loop, Statement
from streamopt.transforms.restructure.conditions import conjunction


@dataclass(frozen=True, slots=True)
class _Entry:
    """A statement inside a block: its old iterators by the new ones, and where it runs."""

    instance: StatementInstance
    iterators: Mapping[str, Affine]
    placed: tuple[ir.Condition, ...]


@dataclass(frozen=True, slots=True)
class _LoopBlock:
    names: tuple[str, ...]
    extents: tuple[int, ...]
    entries: tuple[_Entry, ...]


def perfect_nest(
    group: Sequence[StatementInstance],
) -> tuple[tuple[Loop, ...], tuple[Statement, ...]]:
    """Return loops from 0 with constant trip counts, and guarded statements in order.

    Before: ``for i: x[i] = b[i]; for j in 0 .. i: x[i] = x[i] - L[i][j] * x[j]``
    After:  ``for i, j: if j == 0: x[i] = b[i]; if j < i: x[i] = x[i] - L[i][j] * x[j]``

    Statements that never run are left out; there may be none left.
    """
    hulls: dict[str, Hull] = {}
    for instance in group:
        hulls |= hull_of(instance.loops)
    alive = [i for i in group if all(hulls[name][0] < hulls[name][1] for name in i.iterators)]
    block = _block(alive, 0, hulls)
    trips = dict(zip(block.names, block.extents, strict=True))
    statements = tuple(s for entry in block.entries for s in _statements(entry, trips))
    return tuple(Loop(name, trip) for name, trip in trips.items()), statements


def _statements(entry: _Entry, trips: Mapping[str, int]) -> Iterator[Statement]:
    instance = entry.instance
    bounds = [c for loop in instance.loops for c in bound_conditions(loop)]

    def moved(value: Affine) -> Affine:
        return value.substitute(entry.iterators).lifted(trips)

    def reached(access: ir.Access) -> ir.Access:
        return replace(access, subscripts=tuple(map(moved, access.subscripts)))

    leaf = ir.moved_leaf(reached, moved)
    own = (ir.rewrite_condition(c, leaf) for c in (*bounds, *instance.guards))
    guard = conjunction((*entry.placed, *own), trips)
    if guard is False:
        return
    yield Statement(
        reached(instance.target),
        ir.rewrite(instance.assign.value, leaf),
        guard=None if guard is True else guard,
        loc=instance.assign.loc,
    )


def _block(
    members: Sequence[StatementInstance], depth: int, hulls: Mapping[str, Hull]
) -> _LoopBlock:
    """Return the members as one block over the loops from ``depth`` on."""
    pieces: list[_LoopBlock] = []
    waiting: list[_Entry] = []
    for _, siblings in groupby(members, key=lambda instance: instance.position[depth]):
        inside = [*siblings]
        if len(inside[0].loops) == depth:
            waiting += [_Entry(instance, {}, ()) for instance in inside]
            continue
        piece = _loop_block(inside, depth, hulls)
        first = tuple(_at(piece, entry, last=False) for entry in waiting)
        pieces.append(replace(piece, entries=(*first, *piece.entries)))
        waiting = []
    if not pieces:
        return _LoopBlock((), (), tuple(waiting))
    final = pieces[-1]
    after = tuple(_at(final, entry, last=True) for entry in waiting)
    pieces[-1] = replace(final, entries=(*final.entries, *after))
    return pieces[0] if len(pieces) == 1 else _end_to_end(pieces)


def _loop_block(
    members: Sequence[StatementInstance], depth: int, hulls: Mapping[str, Hull]
) -> _LoopBlock:
    loop = members[0].loops[depth]
    low, high = hulls[loop.iterator]
    inner = _block(members, depth + 1, hulls)
    own = {loop.iterator: Affine.iterator(loop.iterator) + Affine.of(low)}
    entries = tuple(replace(e, iterators={**own, **e.iterators}) for e in inner.entries)
    return _LoopBlock((loop.iterator, *inner.names), (high - low, *inner.extents), entries)


def _at(block: _LoopBlock, entry: _Entry, *, last: bool) -> _Entry:
    """Return an entry that runs at the first or last iteration of a block alone."""
    conditions = tuple(
        _equals(name, extent - 1 if last else 0)
        for name, extent in zip(block.names, block.extents, strict=True)
    )
    return replace(entry, placed=(*entry.placed, *conditions))


def _end_to_end(pieces: Sequence[_LoopBlock]) -> _LoopBlock:
    """Return blocks one after another along the first loop, the others as long as the longest."""
    deepest = max(pieces, key=lambda piece: len(piece.names))
    names = (pieces[0].names[0], *deepest.names[1:])
    extents = tuple(
        max((piece.extents[level] for piece in pieces if level < len(piece.names)), default=1)
        for level in range(1, len(names))
    )
    entries: list[_Entry] = []
    offset = 0
    for piece in pieces:
        entries += _moved(piece, offset, names, extents)
        offset += piece.extents[0]
    return _LoopBlock(names, (offset, *extents), tuple(entries))


def _moved(
    piece: _LoopBlock, offset: int, names: tuple[str, ...], extents: tuple[int, ...]
) -> Iterator[_Entry]:
    first = Affine.iterator(names[0])
    renamed = {piece.names[0]: first - Affine.of(offset)}
    others = zip(piece.names[1:], names[1:], strict=False)
    renamed |= {old: Affine.iterator(new) for old, new in others}
    here: list[ir.Condition] = [
        ir.Compare(ir.CompareOp.GE, ir.Index(first), ir.Literal(float(offset))),
        ir.Compare(ir.CompareOp.LT, ir.Index(first), ir.Literal(float(offset + piece.extents[0]))),
    ]
    for level, (name, extent) in enumerate(zip(names[1:], extents, strict=True), start=1):
        if level >= len(piece.names):
            here.append(_equals(name, 0))
        elif piece.extents[level] < extent:
            bound = ir.Literal(float(piece.extents[level]))
            here.append(ir.Compare(ir.CompareOp.LT, ir.Index(Affine.iterator(name)), bound))
    for entry in piece.entries:
        placed = [ir.substitute_condition(condition, renamed) for condition in entry.placed]
        iterators = {name: value.substitute(renamed) for name, value in entry.iterators.items()}
        yield _Entry(entry.instance, iterators, (*here, *placed))


def _equals(name: str, value: int) -> ir.Condition:
    return ir.Compare(ir.CompareOp.EQ, ir.Index(Affine.iterator(name)), ir.Literal(float(value)))
