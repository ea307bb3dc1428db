"""Design finalization: one point for each band, the fastest that fits ([1] V-E2, step 5).

The frontiers of bands are combined one after another and pruned in between. Bands of one level of
the dataflow run at the same time, levels one after another; nothing is shared between bands.

[1] Ye et al., ScaleHLS, HPCA 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from streamopt.strategies.scalehls.exploration import DesignPoint, ExploredBand

Amounts: TypeAlias = NDArray[np.int64]
Joining: TypeAlias = Callable[[Amounts, Amounts], Amounts]


@dataclass(frozen=True, slots=True)
class Combined:
    """One point for each band, by the band's name."""

    cycles: int
    dsps: int
    points: dict[str, DesignPoint]


@dataclass(frozen=True, slots=True, eq=False)
class _Pareto:
    """Pareto points, the fastest first."""

    cycles: Amounts
    dsps: Amounts
    chosen: tuple[Amounts, ...] = ()
    """For each band so far, the place of its point, by Pareto point."""


def combined(levels: Sequence[Sequence[ExploredBand]], dsp_limit: int) -> Combined | None:
    """Return the fastest combination within a number of DSPs; None if there is none.

    Parameters
    ----------
    levels
        Bands that run at the same time, in the order of the levels.
    """
    total = _START
    for bands in levels:
        level = _START
        for band in bands:
            level = _joined(level, _front(band), np.maximum, dsp_limit)
        total = _joined(total, level, np.add, dsp_limit)
    if not len(total.cycles):
        return None
    bands = [band for level in levels for band in level]
    points = {
        explored.name: explored.points[int(places[0])]
        for explored, places in zip(bands, total.chosen, strict=True)
    }
    return Combined(int(total.cycles[0]), int(total.dsps[0]), points)


_START = _Pareto(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))


def _front(explored: ExploredBand) -> _Pareto:
    points = explored.points
    cycles = np.array([point.cycles for point in points], dtype=np.int64)
    dsps = np.array([point.dsps for point in points], dtype=np.int64)
    return _Pareto(cycles, dsps, (np.arange(len(points), dtype=np.int64),))


def _joined(one: _Pareto, other: _Pareto, joining: Joining, dsp_limit: int) -> _Pareto:
    cycles = joining(one.cycles[:, None], other.cycles[None, :]).ravel()
    dsps = (one.dsps[:, None] + other.dsps[None, :]).ravel()
    fitting = np.flatnonzero(dsps <= dsp_limit)
    order = fitting[np.lexsort((dsps[fitting], cycles[fitting]))]
    least = np.minimum.accumulate(dsps[order]) if len(order) else dsps[order]
    is_better = np.ones(len(order), dtype=np.bool_)
    is_better[1:] = dsps[order][1:] < least[:-1]
    kept = order[is_better]
    first, second = np.divmod(kept, len(other.cycles)) if len(other.cycles) else (kept, kept)
    chosen = (*(places[first] for places in one.chosen), *(p[second] for p in other.chosen))
    return _Pareto(cycles[kept], dsps[kept], chosen)
