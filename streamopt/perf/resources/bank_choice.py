"""LUTs between the lanes of a pipeline and the banks of memories that they touch.

Where the bank of a lane's element depends on the iteration, a multiplexer of the banks brings an
element, once for all lanes and accesses that read it. A value that is written is there for all
banks; only a bank that may get it from several lanes chooses among them. LUTs are of multiplexers
as large as that (`streamopt.perf.resources.fabric.choice_luts`), but for lanes that are turned at
once (`streamopt.perf.resources.rotations`); what a tool adds for long wires is not counted.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, prod
from typing import TYPE_CHECKING

import numpy as np

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.network import AccessMode
from streamopt.perf.resources.fabric import choice_luts
from streamopt.perf.resources.rotations import turning_luts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from streamopt.ir.network import Memory, Pipeline

    Trips = tuple[tuple[str, int], ...]
    """Pairs (iterator, trip count)."""

KEPT_PATHS = 4096
"""Of the latest accesses: plans of one node have many in common."""


@dataclass(frozen=True, slots=True)
class _Path:
    """The way of one dimension's subscript through the banks along it."""

    moving: Affine
    """The part that all lanes have in common."""
    offset: Affine
    banks: int
    reached: tuple[int, ...]
    """By how many banks a lane moves, by and by, around all of them."""


def choice_of_banks(pipeline: Pipeline, memories: Mapping[str, Memory]) -> int:
    """Return the LUTs between the lanes of a pipeline and the banks of all its memories."""
    lanes = tuple((lane.name, lane.trip_count) for lane in pipeline.lanes)
    tiles = tuple((tile.name, tile.trip_count) for tile in pipeline.tiles)
    touched = {(port.mode, port.target, port.subscripts): port for port in pipeline.ports}
    together: dict[tuple[AccessMode, str], list[tuple[Affine, ...]]] = defaultdict(list)
    total = 0
    for (mode, target, subscripts), port in touched.items():
        if target in memories:
            turning = turning_luts(port, pipeline, memories[target])
            if turning is None:
                together[mode, target].append(subscripts)
            total += turning or 0
    for (mode, target), accesses in together.items():
        memory = memories[target]
        banks = tuple(zip(memory.factors, memory.shape, strict=True))
        choices = _choices(tuple(accesses), banks, tiles, lanes, mode)
        total += sum(choice_luts(values, banks, memory.element.bits) for values, banks in choices)
    return total


@lru_cache(maxsize=KEPT_PATHS)
def _choices(
    accesses: tuple[tuple[Affine, ...], ...],
    banks_along: tuple[tuple[int, int], ...],
    tiles: Trips,
    lanes: Trips,
    mode: AccessMode,
) -> tuple[tuple[int, int], ...]:
    """Return the multiplexers of accesses to one memory: pairs (how many, inputs of each).

    Parameters
    ----------
    banks_along
        By dimension: banks, and places.
    """
    groups: dict[tuple[tuple[Affine, tuple[int, ...]], ...], list[list[_Path]]]
    groups = defaultdict(list)
    for subscripts in accesses:
        pairs = zip(subscripts, banks_along, strict=True)
        paths = [_path(s, own, dict(tiles), dict(lanes)) for s, own in pairs]
        groups[tuple((p.moving, p.reached) for p in paths)].append(paths)
    found: list[tuple[int, int]] = []
    for group in groups.values():
        inputs = prod(len(path.reached) for path in group[0])
        if inputs == 1:
            continue
        places = np.concatenate([_places(paths, lanes) for paths in group])
        if mode is AccessMode.READ:
            found.append((len(np.unique(places, axis=0)), inputs))
            continue
        counts, banks = np.unique(_lanes_of_banks(places, group[0]), return_counts=True)
        found += [(int(n), int(own)) for own, n in zip(counts, banks, strict=True) if own > 1]
    return tuple(found)


def _lanes_of_banks(places: npt.NDArray[np.int64], paths: Sequence[_Path]) -> npt.NDArray[np.int64]:
    """Return from how many lanes each bank gets values by and by.

    Parameters
    ----------
    places
        A row for each lane.
    paths
        By dimension.
    """
    total = np.ones((len(places), 1))
    for at, path in enumerate(paths):
        reaches = np.zeros((len(places), path.banks))
        lanes = np.arange(len(places))[:, np.newaxis]
        reaches[lanes, (places[:, at, np.newaxis] + np.array(path.reached)) % path.banks] = 1
        if at + 1 < len(paths):
            total = (total[:, :, np.newaxis] * reaches[:, np.newaxis, :]).reshape(len(places), -1)
        else:
            total = total.T @ reaches
    return total.ravel().astype(np.int64)


def _path(
    subscript: Affine,
    banks_along: tuple[int, int],
    tiles: Mapping[str, int],
    lanes: Mapping[str, int],
) -> _Path:
    moving, offset = Affine(), Affine.of(subscript.constant)
    for atom, by in subscript.terms:
        term = Affine(((atom, by),))
        if any(name in lanes for name in term.iterators()):
            offset += term
            if not isinstance(atom, Iter):
                others = [name for name in term.iterators() if name not in lanes]
                moving += Affine(tuple((Iter(name), 1) for name in others))
        else:
            moving += term
    steps = [
        (by, prod(tiles.get(name, 1) for name in Affine(((atom, 1),)).iterators()))
        for atom, by in moving.terms
    ]
    factor, extent = banks_along
    return _Path(moving, offset, factor, _reached(steps, factor, goes_around=factor < extent))


def _reached(steps: Sequence[tuple[int, int]], banks: int, *, goes_around: bool) -> tuple[int, ...]:
    """Return by how many banks a lane moves, modulo their number.

    Parameters
    ----------
    steps
        Pairs (banks, how often one moves on by so many).
    goes_around
        Whether the first bank follows the last; not among registers.
    """
    found = {0}
    for by, count in steps:
        turns = {by * time % banks for time in range(min(count, banks))}
        found = {(one + turn) % banks for one in found for turn in turns}
    stride = gcd(*(by for by, count in steps if count > 1)) or banks
    if not goes_around and len(found) > -(-banks // stride):
        return tuple(range(0, banks, stride))
    return tuple(sorted(found))


def _places(paths: list[_Path], lanes: Trips) -> npt.NDArray[np.int64]:
    """Return where lanes are from the moving part on, a row for each."""
    used = {name for path in paths for name in path.offset.iterators()}
    own = [(name, count) for name, count in lanes if name in used]
    still = dict.fromkeys(used - {name for name, _ in own}, 0)
    shape = tuple(count for _, count in own) or (1,)
    grid = np.indices(shape).reshape(len(shape), -1)
    point = still | dict(zip((name for name, _ in own), grid, strict=False))
    values = (np.asarray(path.offset.evaluate(point)) for path in paths)
    columns = [np.broadcast_to(value, grid.shape[1:]) for value in values]
    return np.stack(columns, axis=1).astype(np.int64)
