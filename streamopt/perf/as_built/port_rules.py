"""Initiation intervals that the arrays and windows of a node ask for, by its unroll factors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streamopt.ir.window import Window
from streamopt.perf.pipelines.bandwidth import TransferRule
from streamopt.work import TUNING as WORK
from streamopt.work import spend

Integers = npt.NDArray[np.int64]


class ArrayRule:
    """A number that an argument or a window asks for, by the unroll factors of some loops: its II.

    Parameters
    ----------
    loops
        Those whose factors decide.
    judge
        From their factors to the II; asked once for each choice.
    free_lanes
        Up to so many nothing is asked for.
    known
        Of rules that judge alike, by the factors; they add to it.
    """

    def __init__(
        self,
        loops: Sequence[str],
        judge: Callable[[Mapping[str, int]], int],
        free_lanes: int,
        known: dict[tuple[int, ...], int] | None = None,
    ) -> None:
        self._loops = tuple(loops)
        self._judge = judge
        self._free_lanes = free_lanes
        self._known: dict[tuple[int, ...], int] = {} if known is None else known
        self._last: tuple[bytes, Integers] = (b"", np.ones(1, dtype=np.int64))

    def intervals(self, factors: Mapping[str, Integers]) -> Integers:
        """Return the II of every choice."""
        if not self._loops:
            return np.ones(1, dtype=np.int64)
        columns = np.stack([factors[name] for name in self._loops], axis=1)
        asked_for = columns.tobytes()
        if self._last[0] == asked_for:  # by another order or binding of the node
            return self._last[1]
        found = np.ones(len(columns), dtype=np.int64)
        wide = np.flatnonzero(columns.prod(axis=1) > self._free_lanes)
        if wide.size:
            points, places = np.unique(columns[wide], axis=0, return_inverse=True)
            asked = np.array([self._ii(tuple(point)) for point in points.tolist()])
            found[wide] = asked[places.ravel()]
        self._last = asked_for, found
        return found

    def _ii(self, point: tuple[int, ...]) -> int:
        if point not in self._known:
            spend(WORK.rows.judgement)
            self._known[point] = self._judge(dict(zip(self._loops, point, strict=True)))
        return self._known[point]


@dataclass(frozen=True, slots=True)
class WindowRule:
    """The II that a window asks a node for."""

    window: Window
    built: Mapping[str, int]
    """Trip counts of the node's loops as built."""
    writes: ArrayRule
    """The elements that a bank is given at once."""
    judge: Callable[[Integers, Integers], Integers]
    """From these and those that a lane takes at once to the II."""

    def intervals(self, factors: Mapping[str, Integers]) -> Integers:
        """Return the II of every choice."""
        tiles = {name: -(-trips // factors[name]) for name, trips in self.built.items()}
        at_once = self.window.taken_at_once(tiles, factors)
        return self.judge(self.writes.intervals(factors), at_once)


@dataclass(frozen=True, slots=True)
class PortRule:
    """The II that the arrays and windows of a node ask for together."""

    arrays: Sequence[ArrayRule | WindowRule | TransferRule]

    def intervals(self, factors: Mapping[str, Integers]) -> Integers:
        """Return the II of every choice."""
        found = np.ones(1, dtype=np.int64)
        for array in self.arrays:
            found = np.maximum(found, array.intervals(factors))
        return found
