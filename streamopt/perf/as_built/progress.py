"""How far a pipeline has read and written at each of some iterations: (O35) of opt6.md.

Shares of an array's elements, so that both sides of a stream agree whatever their lanes are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from streamopt.ir.graph import Edge, Node
from streamopt.ir.window import Window, iterations_apart

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NestProgress:
    """The iterations of a nest of tile loops at which it is looked at."""

    node: Node
    tiles: Mapping[str, int]
    """By loop as built, outermost first."""
    iterations: Integers
    digits: Mapping[str, Integers]
    """By loop, its tile in each of these."""

    @staticmethod
    def of(node: Node, tiles: Mapping[str, int], most: int) -> "NestProgress":
        """Return at most so many iterations, evenly apart, with the first and the last one."""
        count = prod(tiles.values())
        at = np.unique(np.linspace(0, count - 1, min(most, count)).astype(np.int64))
        digits: dict[str, Integers] = {}
        left = at
        for name in reversed([*tiles]):
            digits[name] = left % tiles[name]
            left = left // tiles[name]
        return NestProgress(node, tiles, at, digits)

    def read(self, edge: Edge) -> Floats:
        """Return the share of an operand that is read by the end of each iteration."""
        noted = self.node.noted(edge.array)
        if isinstance(noted, Window) and noted.counted_rows:
            return self._counted(noted)
        if noted is not None:
            ends = {n: -(-end // self._lanes(n)) for n, end in noted.ends.items()}
            return self._taken({n: min(end, self.tiles[n]) for n, end in ends.items()})
        own = {name for access in edge.reads for name in access.iterators()}
        return self._taken({name: self.tiles[name] for name in self.tiles if name in own})

    def written(self) -> Floats:
        """Return the share of the result that is written by the end of each iteration."""
        own, delays, trips = {*self.node.write.iterators()}, self.node.delays, self.node.trip_counts
        counts = {n: -(-trips[n] // self._lanes(n)) for n in self.tiles if n in own}
        inside = total = prod(counts.values())
        found: Integers = np.zeros_like(self.iterations)
        goes_on = np.ones(found.shape, dtype=np.bool_)
        for name, digit in self._outermost_first():
            if name in counts:
                inside //= counts[name]
                own_digit = digit - delays.get(name, 0) // self._lanes(name)
                found = found + goes_on * np.clip(own_digit, 0, counts[name]) * inside
                goes_on = goes_on & (own_digit >= 0) & (own_digit < counts[name])
            else:
                goes_on = goes_on & (digit == self.tiles[name] - 1)
        return np.asarray((found + goes_on) / total)

    def _outermost_first(self) -> Sequence[tuple[str, Integers]]:
        return [(name, self.digits[name]) for name in self.tiles]

    def _lanes(self, name: str) -> int:
        return -(-self.node.built_trip_counts[name] // self.tiles[name])

    def _taken(self, counts: Mapping[str, int]) -> Floats:
        """Return the share that is taken where the loops beside are at their first tile."""
        inside = total = prod(counts.values())
        found: Integers = np.zeros_like(self.iterations)
        goes_on = np.ones(found.shape, dtype=np.bool_)
        for name, digit in self._outermost_first():
            if name in counts:
                inside //= counts[name]
                found = found + goes_on * np.minimum(digit, counts[name]) * inside
                goes_on = goes_on & (digit < counts[name])
            else:
                found = found + (goes_on & (digit > 0)) * inside
                goes_on = goes_on & (digit == 0)
        return np.asarray((found + goes_on) / total)

    def _counted(self, window: Window) -> Floats:
        """Return the share where rows are counted: an element each few iterations (W9)."""
        names = [*self.tiles]
        inner = names[names.index(window.row_loop) + 1 :]
        beside = window.taken_beside
        row = prod(-(-beside[name] // self._lanes(name)) for name in inner if name in beside)
        elements, turns = window.steps * row, prod(self.tiles[name] for name in inner)
        apart = iterations_apart(elements, [self.tiles[name] for name in inner])
        begun = (self.iterations % turns // apart + 1) * -(-elements // turns)
        turn, ends = self.digits[window.row_loop], window.ends[window.row_loop]
        taken = np.minimum(turn, ends) * elements
        taken = taken + (turn < ends) * np.minimum(elements, begun)
        total = window.shape[window.dimension] * row
        return np.asarray(self._outside(window, np.minimum(taken, total) / total))

    def _outside(self, window: Window, share: Floats) -> Floats:
        """Return the share of all from that of the rows which the loops outside are at."""
        names, ends = [*self.tiles], window.ends
        outside = names[: names.index(window.row_loop)]
        for name in reversed([name for name in outside if name in ends]):
            count = -(-ends[name] // self._lanes(name))
            digit = self.digits[name]
            share = np.where(digit < count, (digit + share) / count, 1.0)
        return share
