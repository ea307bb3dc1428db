"""Elements at constant positions: read where a table says, or written there.

Positions that follow rules (`streamopt.frontends.tensors.positions`) are subscripts; nothing is
looked up when the program runs.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from streamopt.frontends.tensors import arithmetic as ex
from streamopt.frontends.tensors.indexing import placed
from streamopt.frontends.tensors.positions import Leaf, dimension, joined_pieces
from streamopt.frontends.tensors.tensor import LoweringError, Tensor
from streamopt.ir.expression import Compare, CompareOp, Index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from streamopt.frontends.tensors.builder import ProgramBuilder
    from streamopt.frontends.tensors.indexing import Point
    from streamopt.frontends.tensors.positions import Pieces
    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Expression

    Table = NDArray[np.int64]

__all__ = ["MAX_POSITIONS", "along", "gathered", "scattered", "taken"]

MAX_POSITIONS = 2**22
"""Most positions of one table."""


def along(table: Table, axis: int, rank: int) -> Table:
    """Return a list of positions as a table of a rank that depends on one axis alone."""
    return table.reshape((1,) * axis + (-1,) + (1,) * (rank - axis - 1))


def taken(builder: ProgramBuilder, tensor: Tensor, axis: int, positions: Sequence[int]) -> Tensor:
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
    builder: ProgramBuilder, source: Tensor, tables: Sequence[Table], shape: Sequence[int]
) -> Tensor:
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
    for axis, (table, extent) in enumerate(zip(tables, source.shape, strict=True)):
        if int(table.min()) < 0 or int(table.max()) >= extent:
            message = f"a constant position is outside dimension {axis}, whose extent is {extent}"
            raise LoweringError(message)
    known = builder.known(source) if prod(shape) <= MAX_POSITIONS else None
    if known is not None:
        return builder.constant(builder.label, np.broadcast_to(known[tuple(tables)], shape))
    pieces = joined_pieces(tables) if tables else Leaf(())
    is_view = isinstance(pieces, Leaf)
    if source.operations and (not is_view or prod(shape) > source.size_elems):
        source = builder.store(source)
    made = source.view(shape, lambda point: point)
    if is_view:
        return replace(made, value=lambda point: source.at(_place(pieces.values, point)))

    def value(point: Point) -> Expression:
        return _chosen(pieces, point, lambda values: source.at(_place(values, point)))

    return builder.bounded(
        replace(made, value=value, name=builder.label, operations=_splits(pieces), loc=builder.loc)
    )


def scattered(
    builder: ProgramBuilder, whole: Tensor, updates: Tensor, targets: Sequence[Table]
) -> Tensor:
    """Return a tensor with parts of it replaced; what is written last stays.

    Parameters
    ----------
    updates
        Of shape (positions..., rest of ``whole``): one part for each position.
    targets
        For each of the first dimensions of ``whole``: where the parts go, by position.

    Raises
    ------
    LoweringError
        As `gathered`.
    """
    outer = whole.shape[: len(targets)]
    for axis, (table, extent) in enumerate(zip(targets, outer, strict=True)):
        if int(table.min()) < 0 or int(table.max()) >= extent:
            message = f"a constant position is outside dimension {axis}, whose extent is {extent}"
            raise LoweringError(message)
    if prod(outer) > MAX_POSITIONS:
        raise LoweringError(f"more than {MAX_POSITIONS} constant positions")
    shape = np.broadcast_shapes(*(table.shape for table in targets))
    writers = np.full(outer, -1, dtype=np.int64)
    order = np.arange(prod(shape), dtype=np.int64).reshape(shape)
    writers[tuple(np.broadcast_to(table, shape) for table in targets)] = order
    is_written = (writers >= 0).astype(np.int64)
    sources = np.unravel_index(_without_gaps(writers), shape) if shape else ()
    pieces = joined_pieces([is_written, *(part.astype(np.int64) for part in sources)])
    if updates.operations:
        updates = builder.store(updates)
    if whole.operations:
        whole = builder.store(whole)

    def element(values: tuple[Affine, ...], point: Point) -> Expression:
        written, *places = _place(values, point).indices
        inner = point.indices[len(outer) :]
        if written.terms:
            holds = Compare(CompareOp.NE, Index(written), ex.ZERO)
            return ex.select(holds, updates.at(point.to([*places, *inner])), whole.at(point))
        return updates.at(point.to([*places, *inner])) if written.constant else whole.at(point)

    return builder.bounded(
        replace(
            whole,
            value=lambda point: _chosen(pieces, point, lambda values: element(values, point)),
            name=builder.label,
            operations=1 + _splits(pieces),
            depth=1 + max(whole.depth, updates.depth),
            array="",
            loc=builder.loc,
        )
    )


def _without_gaps(writers: Table) -> Table:
    """Return the writers, with those in front for elements that none writes: any would do."""
    flat = writers.reshape(-1)
    last = np.maximum.accumulate(np.where(flat >= 0, np.arange(flat.size), -1))
    filled = np.where(last >= 0, flat[np.maximum(last, 0)], flat[int(np.argmax(flat >= 0))])
    return filled.reshape(writers.shape)


def _place(values: Sequence[Affine], point: Point) -> Point:
    """Return the point of the expressions, which are over the dimensions of a point."""
    places = {dimension(axis): index for axis, index in enumerate(point.indices)}
    return point.to(placed(value, places, point.trip_counts) for value in values)


def _chosen(
    pieces: Pieces, point: Point, read: Callable[[tuple[Affine, ...]], Expression]
) -> Expression:
    if isinstance(pieces, Leaf):
        return read(pieces.values)
    holds = ex.index_holds(CompareOp.LT, point.indices[pieces.axis], pieces.border, point)
    if holds is True:
        return _chosen(pieces.below, point, read)
    if holds is False:
        return _chosen(pieces.above, point, read)
    below, above = (_chosen(half, point, read) for half in (pieces.below, pieces.above))
    return ex.select(holds, below, above)


def _splits(pieces: Pieces) -> int:
    return 0 if isinstance(pieces, Leaf) else 1 + _splits(pieces.below) + _splits(pieces.above)
