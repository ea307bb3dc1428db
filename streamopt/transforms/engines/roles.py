"""The part that each loop and each dimension plays: output channel, depth, position, tap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streamopt.ir.engines.layers import FeatureMap, WindowAxis
from streamopt.ir.expression import Access
from streamopt.ir.program import Array
from streamopt.transforms.engines.operands import Loops, NoLayerError, flat_strides

MOST_SPATIAL = 2


@dataclass(frozen=True, slots=True)
class MapLayout:
    """Which dimensions of an array are channels, rows and columns; None where there is none."""

    channel: int | None
    row: int | None
    column: int | None

    def map_of(self, array: Array) -> FeatureMap:
        """Return an array as a map."""
        strides = flat_strides(array.shape)

        def part(dimension: int | None) -> tuple[int, int]:
            return (1, 0) if dimension is None else (array.shape[dimension], strides[dimension])

        (rows, row), (columns, column) = part(self.row), part(self.column)
        channels, channel = part(self.channel)
        kept = (row, column, channel)
        return FeatureMap(array.name, rows, columns, channels, array.element, kept)

    @property
    def spatial(self) -> tuple[int | None, int | None]:
        """Return the dimensions of rows and columns."""
        return self.row, self.column


def layout_of(array: Array, channel: int | None) -> MapLayout:
    """Return the layout of an array whose channels are known: dimensions of one element come last.

    Raises
    ------
    NoLayerError
        If more than two others have several elements.
    """
    others = [dimension for dimension in range(len(array.shape)) if dimension != channel]
    if sum(array.shape[dimension] > 1 for dimension in others) > MOST_SPATIAL:
        raise NoLayerError(f"{array.name} has more than rows, columns and channels")
    by_size = sorted(others, key=lambda dimension: (array.shape[dimension] == 1, -dimension))
    kept = sorted(by_size[:MOST_SPATIAL])
    row, column = ([None] * MOST_SPATIAL + kept)[-MOST_SPATIAL:]
    return MapLayout(channel, row, column)


@dataclass(frozen=True, slots=True)
class WrittenLoops:
    """The loops of a result by the dimension that they write, and the others."""

    dimension: Mapping[str, int]
    factor: Mapping[str, int]
    reduced: tuple[str, ...]

    def owner(self, dimension: int | None) -> list[str]:
        """Return the loops that write a dimension."""
        return [loop for loop, own in self.dimension.items() if own == dimension]


def written_loops(write: Access, loops: Loops) -> WrittenLoops:
    """Return the part of each loop of more than one iteration in the result.

    Raises
    ------
    NoLayerError
        If the result isn't written as a whole in plain subscripts.
    """
    dimension: dict[str, int] = {}
    factor: dict[str, int] = {}
    for place, subscript in enumerate(write.subscripts):
        factors, constant = loops.linear(subscript)
        if constant:
            raise NoLayerError(f"it writes a part of {write.array}")
        for loop, own in factors.items():
            dimension[loop], factor[loop] = place, own
    counts = loops.trip_counts
    reduced = tuple(loop for loop, n in counts.items() if n > 1 and loop not in dimension)
    return WrittenLoops(dimension, factor, reduced)


def axis_of(
    factors: Mapping[str, int], constant: int, written: WrittenLoops, counts: Mapping[str, int]
) -> tuple[WindowAxis, str | None, str | None]:
    """Return the window of a subscript, with the loops of positions and taps.

    Raises
    ------
    NoLayerError
        If it is no window.
    """
    positions = [loop for loop in factors if loop in written.dimension]
    taps = [loop for loop in factors if loop not in written.dimension]
    if len(positions) > 1 or len(taps) > 1 or min(factors.values(), default=1) < 1:
        raise NoLayerError("a subscript is no window: position * step + tap * spread - border")
    position, tap = (positions or [None])[0], (taps or [None])[0]
    axis = WindowAxis(
        1 if position is None else counts[position],
        1 if tap is None else counts[tap],
        1 if position is None else factors[position],
        1 if tap is None else factors[tap],
        -constant,
    )
    return axis, position, tap


def channel_of(subscripts: Sequence[Mapping[str, int]], inner: set[str]) -> int | None:
    """Return the dimension of the channels: the first whose loops are all of depth or group."""
    for dimension, factors in enumerate(subscripts):
        if factors and inner.issuperset(factors):
            return dimension
    return None
