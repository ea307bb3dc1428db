"""The iterations of a pipeline at which a guard holds, without visiting the others.

A condition is split into conjuncts; only loops that one conjunct couples are looked at together,
and the iterations are the products of what each group of loops allows. A nest of 8 million
iterations with an access under ``k == 0`` costs as much as the matching iterations.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.algebra.evaluation import evaluate
from streamopt.ir.expression import (
    Condition,
    Index,
    conjuncts,
    walk,
)
from streamopt.ir.program import Loop


def iterators_of(condition: Condition | None) -> frozenset[str]:
    """Return the iterators that a condition looks at."""
    if condition is None:
        return frozenset()
    indices = (part for part in walk(condition) if isinstance(part, Index))
    return frozenset(name for index in indices for name in index.value.iterators())


def matching_iterations(
    condition: Condition | None, tiles: Sequence[Loop], lane: Mapping[str, int]
) -> NDArray[np.int64]:
    """Return the iterations of the flattened loop at which a condition holds, in order.

    Parameters
    ----------
    condition
        Affine, over the tile iterators and those of ``lane``; None holds everywhere.
    tiles
        Loops, outermost first; iteration 0 is where all iterators are 0.
    lane
        Value of each lane iterator that the condition looks at.
    """
    parts = conjuncts(condition) if condition is not None else ()
    groups = _coupled_loops(tiles, parts)
    strides = [prod(loop.trip_count for loop in tiles[at + 1 :]) for at in range(len(tiles))]
    if not all(evaluate(part, lane) for part in parts if not iterators_of(part) - lane.keys()):
        return np.empty(0, np.int64)
    found = np.zeros(1, np.int64)
    in_order = True
    for group in groups:
        in_order = in_order and group == list(range(group[0], group[-1] + 1))
        offsets = _group_offsets(group, tiles, strides, parts, lane)
        found = np.add.outer(found, offsets).ravel()
    return found if in_order else np.sort(found)


def _coupled_loops(tiles: Sequence[Loop], parts: Iterable[Condition]) -> list[list[int]]:
    """Return positions of loops, grouped where a conjunct couples them, outermost first."""
    place = {loop.name: at for at, loop in enumerate(tiles)}
    groups = [{at} for at in range(len(tiles))]
    for part in parts:
        touched = {place[name] for name in iterators_of(part) if name in place}
        joined = [group for group in groups if group & touched]
        groups = [group for group in groups if not group & touched]
        if joined:
            groups.append(set[int]().union(*joined))
    return sorted(sorted(group) for group in groups)


def _group_offsets(
    group: Sequence[int],
    tiles: Sequence[Loop],
    strides: Sequence[int],
    parts: Iterable[Condition],
    lane: Mapping[str, int],
) -> NDArray[np.int64]:
    """Return the shares of a group of loops in the matching iterations, ascending."""
    extents = [tiles[at].trip_count for at in group]
    names = {tiles[at].name for at in group}
    mine = [part for part in parts if iterators_of(part) & names]
    axes = np.ogrid[tuple(slice(extent) for extent in extents)]
    point: dict[str, Any] = dict(lane)
    point.update({tiles[at].name: axis for at, axis in zip(group, axes, strict=True)})
    steps = sum(axis * strides[at] for at, axis in zip(group, axes, strict=True))
    offsets = np.broadcast_to(np.asarray(steps, np.int64), extents)
    all_hold = np.ones((1,) * len(extents), np.bool_)
    for part in mine:
        all_hold = all_hold & evaluate(part, point)
    return offsets[np.broadcast_to(all_hold, extents)]
