"""Elements at constant positions: read where a table says, or written there.

Positions that follow rules (`streamopt.ir.algebra.tables`) are subscripts; nothing is
looked up when the program runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError
from streamopt.ir.affine import Affine
from streamopt.ir.algebra import composing as ex
from streamopt.ir.algebra.divisions import placed
from streamopt.ir.algebra.tables import (
    MAX_PIECES,
    Leaf,
    Pieces,
    PositionSplit,
    TooManyPiecesError,
    dimension,
    joined_pieces,
)
from streamopt.ir.expression import Compare, CompareOp, Expression, Index

_HINT = "reorder the data before the program, or slice it"

Table = NDArray[np.int64]
Combine = Callable[[Expression, Expression], Expression]

Number = TypeVar("Number", bound=np.generic)

MAX_POSITIONS = 2**22
"""Most positions of one table."""

MAX_PASSES = 16
"""Most parts that are combined on one place."""


def along(table: NDArray[Number], axis: int, rank: int) -> NDArray[Number]:
    """Return a list as a table of a rank that depends on one axis alone."""
    return table.reshape((1,) * axis + (-1,) + (1,) * (rank - axis - 1))


def taken(
    builder: ProgramBuilder, tensor: LazyTensor, axis: int, positions: Sequence[int]
) -> LazyTensor:
    """Return the elements at constant positions along an axis, counted from the end if negative.

    Raises
    ------
    LoweringError
        As `gathered`.
    """
    extent = tensor.shape[axis]
    own = np.asarray(positions, dtype=np.int64)
    own = np.where(own < 0, own + extent, own)
    tables = [
        along(own if at == axis else np.arange(n, dtype=np.int64), at, tensor.rank)
        for at, n in enumerate(tensor.shape)
    ]
    shape = (*tensor.shape[:axis], len(positions), *tensor.shape[axis + 1 :])
    return replace(gathered(builder, tensor, tables, shape), axes=tensor.axes)


def gathered(
    builder: ProgramBuilder, source: LazyTensor, tables: Sequence[Table], shape: Sequence[int]
) -> LazyTensor:
    """Return the tensor whose elements are those of the source at the tables' positions.

    Parameters
    ----------
    tables
        One for each dimension of the source, of the rank of the result; extent 1 along axes that
        a table doesn't depend on.

    Raises
    ------
    LoweringError
        For positions outside the source, or that fall into too many pieces.
    """
    _check_inside(tables, source.shape)
    known = builder.known(source) if prod(shape) <= MAX_POSITIONS else None
    if known is not None:
        return builder.constant(builder.label, np.broadcast_to(known[tuple(tables)], shape))
    pieces = _pieces(tables) if tables else Leaf(())
    repeats = prod(shape) > source.size_elems
    if source.operations and (repeats or isinstance(pieces, PositionSplit)):
        source = builder.store(source)

    def value(point: ElementPoint) -> Expression:
        return _chosen(pieces, point, lambda values: source.at(_place(values, point)))

    made = replace(source.view(shape, lambda point: point), value=value)
    if isinstance(pieces, Leaf):
        return made
    made = replace(made, name=builder.label, operations=_splits(pieces), loc=builder.loc)
    return builder.bounded(made)


def scattered(
    builder: ProgramBuilder,
    whole: LazyTensor,
    updates: LazyTensor,
    targets: Sequence[Table],
    combine: Combine | None = None,
) -> LazyTensor:
    """Return a tensor with parts of it replaced; what is written last stays.

    Parameters
    ----------
    updates
        Of shape (positions..., rest of ``whole``): one part for each position.
    targets
        For each of the first dimensions of ``whole``: where the parts go, by position.
    combine
        From an element and its update to what takes their place; the update if None.

    Raises
    ------
    LoweringError
        As `gathered`; also if parts that are combined fall on one place too often.
    """
    outer = whole.shape[: len(targets)]
    _check_inside(targets, outer)
    shape = np.broadcast_shapes(*(table.shape for table in targets))
    if max(prod(outer), prod(shape)) > MAX_POSITIONS:
        raise LoweringError(f"more than {MAX_POSITIONS} constant positions")
    flat = np.ravel_multi_index([np.broadcast_to(t, shape) for t in targets], outer).reshape(-1)
    updates = builder.store(updates) if updates.operations else updates
    for writers in _passes(flat, prod(outer), is_single=combine is None):
        whole = builder.store(whole) if whole.operations else whole
        whole = _written(builder, whole, updates, (writers.reshape(outer), shape), combine)
    return whole


def _passes(flat: Table, size: int, *, is_single: bool) -> list[Table]:
    """Return for each pass which part, by number, every place takes; -1 for none."""
    if is_single:
        writers = np.full(size, -1, dtype=np.int64)
        writers[flat] = np.arange(flat.size)
        return [writers]
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], flat[order])
    turns = np.empty(flat.size, dtype=np.int64)
    turns[order] = np.arange(flat.size) - starts
    if int(turns.max()) >= MAX_PASSES:
        raise LoweringError(f"more than {MAX_PASSES} constant positions are the same")
    passes: list[Table] = []
    for turn in range(int(turns.max()) + 1):
        writers = np.full(size, -1, dtype=np.int64)
        writers[flat[turns == turn]] = np.flatnonzero(turns == turn)
        passes.append(writers)
    return passes


def _written(
    builder: ProgramBuilder,
    whole: LazyTensor,
    updates: LazyTensor,
    writing: tuple[Table, tuple[int, ...]],
    combine: Combine | None,
) -> LazyTensor:
    """Return a tensor with one part at most on each place."""
    writers, shape = writing
    sources = np.unravel_index(_without_gaps(writers), shape)
    is_written = (writers >= 0).astype(np.int64)
    pieces = _pieces([is_written, *(part.astype(np.int64) for part in sources)])

    def element(values: tuple[Affine, ...], point: ElementPoint) -> Expression:
        written, *places = _place(values, point).indices
        old = whole.at(point)
        if not written.terms and not written.constant:
            return old
        new = updates.at(point.to([*places, *point.indices[writers.ndim :]]))
        new = new if combine is None else combine(old, new)
        if not written.terms:
            return new
        return ex.select(Compare(CompareOp.NE, Index(written), ex.ZERO), new, old)

    def value(point: ElementPoint) -> Expression:
        return _chosen(pieces, point, lambda values: element(values, point))

    operations = 2 + _splits(pieces)
    return builder.bounded(builder.computed(whole, value, whole, updates, operations=operations))


def _without_gaps(writers: Table) -> Table:
    """Return the writers, with others for places that none writes: there any would do.

    Where rows and columns are written as wholes, such a row is like the one in front of it.
    """
    is_written = writers >= 0
    axes = range(writers.ndim)
    lines = [np.asarray(is_written.any(axis=tuple(a for a in axes if a != axis))) for axis in axes]
    if is_written.sum() == prod(int(line.sum()) for line in lines):
        filled: Table = writers[np.ix_(*map(_last_true, lines))]
        return filled
    flat = writers.reshape(-1)
    return flat[_last_true(flat >= 0)].reshape(writers.shape)


def _last_true(line: NDArray[np.bool_]) -> Table:
    """Return for each place the last one up to it that holds; the first of all before that."""
    places = np.where(line, np.arange(line.size), -1)
    return np.maximum(np.maximum.accumulate(places), int(np.argmax(line)))


def _check_inside(tables: Sequence[Table], shape: Sequence[int]) -> None:
    for axis, (table, extent) in enumerate(zip(tables, shape, strict=True)):
        if table.size and (int(table.min()) < 0 or int(table.max()) >= extent):
            message = f"a constant position is outside dimension {axis}, whose extent is {extent}"
            raise LoweringError(message)
        if not table.size:
            raise LoweringError("there are no positions")


def _pieces(tables: Sequence[Table]) -> Pieces:
    try:
        return joined_pieces(tables)
    except TooManyPiecesError:
        message = "positions are constants, but not affine in the loops, "
        message += f"and fall into more than {MAX_PIECES} affine pieces"
        raise LoweringError(message, _HINT) from None


def _place(values: Sequence[Affine], point: ElementPoint) -> ElementPoint:
    """Return the point of the expressions, which are over the dimensions of a point."""
    places = {dimension(axis): index for axis, index in enumerate(point.indices)}
    return point.to(placed(value, places, point.trip_counts) for value in values)


def _chosen(
    pieces: Pieces, point: ElementPoint, read: Callable[[tuple[Affine, ...]], Expression]
) -> Expression:
    if isinstance(pieces, Leaf):
        return read(pieces.values)
    index, counts = point.indices[pieces.axis], point.trip_counts
    holds = ex.index_holds(CompareOp.LT, index, pieces.border, counts)
    below, above = (partial(_chosen, half, point, read) for half in (pieces.below, pieces.above))
    return ex.chosen(holds, below, above)


def _splits(pieces: Pieces) -> int:
    return 0 if isinstance(pieces, Leaf) else 1 + _splits(pieces.below) + _splits(pieces.above)
