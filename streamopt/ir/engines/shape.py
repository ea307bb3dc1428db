"""The shape of an engine, and how a layer is cut into its tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from streamopt.ir.engines.layers import FeatureMap, Layer


@dataclass(frozen=True, slots=True)
class FloatAdder:
    """The adders of an engine of floating-point numbers."""

    cycles: int
    """From operands to the sum."""
    implementation: str
    """The parts that they are built from, as the operator table of the device names them."""


@dataclass(frozen=True, slots=True)
class EngineShape:
    """The multipliers of an engine, and the memories beside them."""

    outputs: int
    """Sums that a product layer has at work at once."""
    depth: int
    """Products of each of them in a cycle."""
    banks: int
    """Elements that a memory of maps delivers or takes in a cycle, at any place; a power of 2."""
    drain: int
    """Results that leave in a cycle; a power of 2, at most `banks`."""
    beside: int = 1
    """Most neighbouring positions, or parts of a result, that share the sums."""
    packed: bool = False
    """Whether the products of two sums share a multiplier; sums are then in pairs."""
    in_luts: int = 0
    """Sums, the last ones, whose multipliers are built from LUTs."""
    adder: FloatAdder | None = None
    """None for integers, which are added within the cycle."""

    @property
    def products(self) -> int:
        """Return the products of a cycle."""
        return self.outputs * self.depth

    @property
    def multipliers(self) -> int:
        """Return the multipliers that are in DSPs."""
        found = (self.outputs - self.in_luts) * self.depth
        return found // 2 if self.packed else found

    @property
    def partials(self) -> int:
        """Return the sums of a position that take turns: one is in each cycle of its adder."""
        return 1 if self.adder is None else max(1, self.adder.cycles)

    @property
    def lanes(self) -> int:
        """Return the channels that a lanes layer has at work at once: each needs an adder."""
        return min(self.banks, self.multipliers if self.adder is None else self.outputs)

    def tile(self, sharers: int) -> int:
        """Return the channels of a tile where so many positions, or parts, share the sums."""
        tile = self.outputs // sharers
        return tile - tile % 2 if self.packed else tile

    @property
    def pending(self) -> int:
        """Return the sums that wait to leave, at most."""
        sizes = [-(-self.tile(n) // self.drain) * n for n in range(1, self.beside + 1)]
        return max(*sizes, -(-self.lanes // self.drain)) * self.drain

    def __str__(self) -> str:
        """Return the numbers in one line."""
        sums = f"{self.outputs} sums of {self.depth} products"
        luts = f" ({self.in_luts} of LUTs)" if self.in_luts else ""
        if self.adder is not None:
            sums = f"{self.outputs} float sums of {self.depth} products"
        return f"{sums}{luts}, {self.banks} banks, {self.drain} results a cycle"


@dataclass(frozen=True, slots=True)
class Tiling:
    """How an engine runs a layer: (S1) to (S5) of ``models/formulations/engines.md``."""

    tiles: int
    """In a group."""
    tile: int
    """Channels of a tile, or elements of a row of a flat one."""
    rows: int
    """Of the result, behind a pool."""
    columns: int
    """Blocks of positions in a row of the result."""
    pool: tuple[int, int]
    """Rows, and blocks of columns, that a result takes one after the other."""
    beside: int
    """Positions at once."""
    runs: tuple[int, int]
    """Stretches of neighbouring elements that a window is read in: by row, and in a row."""
    run: int
    """Elements of a stretch that are combined."""
    width: int
    """Elements of a stretch in a cycle."""
    chunks: int
    """Cycles in which a position's results leave."""
    is_flat: bool = False
    """Whether a tile has neighbouring positions as well as channels."""
    neighbours: int = 1
    """Positions of a lanes layer at once whose windows don't follow each other."""
    is_whole: bool = False
    """Whether a window is one stretch over all rows."""
    parts: int = 1
    """Sums of a result, each of other elements of a stretch; added up when it leaves."""
    together: int = 1
    """Positions of the result whose channels leave in one cycle."""

    @property
    def windows(self) -> int:
        """Return the windows that are read at once."""
        return max(self.beside, self.neighbours, self.parts)

    @property
    def is_side_by_side(self) -> bool:
        """Return whether a tile of a lanes layer has positions whose windows have gaps."""
        return self.neighbours > 1

    @property
    def steps(self) -> int:
        """Return the cycles that combine the elements of a position: words of a tile."""
        return prod(self.runs) * -(-self.run // self.width)

    @property
    def cycles_per_position(self) -> int:
        """Return the cycles of a position: results have to leave meanwhile."""
        return max(self.steps, self.chunks)

    @property
    def positions(self) -> int:
        """Return the positions of a tile, one block of neighbours counted once."""
        return self.rows * self.columns * prod(self.pool)


def tilings(layer: Layer, source: FeatureMap, shape: EngineShape) -> Iterator[Tiling]:
    """Yield all ways to cut a layer into the tiles of an engine."""
    if layer.is_lanes:
        yield _by_channels(layer, shape)
        if layer.columns.step == 1:
            yield _flat(layer, source, shape)
        for neighbours in range(2, shape.beside + 1):
            found = _side_by_side(layer, source, shape, neighbours)
            if found is not None:
                yield found
        return
    for sharers in range(1, min(shape.beside, shape.outputs) + 1):
        found = _by_outputs(layer, source, shape, sharers)
        if found is not None:
            yield found
        if sharers == 1 or shape.adder is not None:
            continue  # parts of floating-point sums would need more adders
        if sharers * shape.depth <= shape.banks and shape.tile(sharers):
            yield _by_parts(layer, source, shape, sharers)


def _by_outputs(layer: Layer, source: FeatureMap, shape: EngineShape, beside: int) -> Tiling | None:
    """Return the tiles of a product layer with so many neighbours at once; None if impossible."""
    columns, across = layer.columns, layer.pool[1]
    if beside > 1:
        reach = (beside - 1) * columns.step * source.channels + shape.depth
        fits = beside % across == 0 or across % beside == 0
        if reach > shape.banks or not fits or columns.positions == 1:
            return None
    tile = shape.tile(beside)
    if not tile:
        return None
    return _of_products(layer, source, shape, tile, beside=beside)


def _by_parts(layer: Layer, source: FeatureMap, shape: EngineShape, parts: int) -> Tiling:
    """Return the tiles of a product layer whose results have so many sums each."""
    return _of_products(layer, source, shape, shape.tile(parts), parts=parts)


def _of_products(
    layer: Layer,
    source: FeatureMap,
    shape: EngineShape,
    tile: int,
    *,
    beside: int = 1,
    parts: int = 1,
) -> Tiling:
    rows, columns, (down, across) = layer.rows, layer.columns, layer.pool
    is_row = columns.spread == 1 and layer.groups == 1
    is_whole = is_row and _covers(layer, source)
    runs, run = (rows.taps, columns.taps), layer.depth
    if is_row:
        runs, run = (rows.taps, 1), columns.taps * layer.depth
    if is_whole:
        runs, run = (1, 1), rows.taps * run
    together = _together(layer, shape, tile, beside)
    return Tiling(
        -(-layer.outputs // tile),
        tile,
        rows.positions // down,
        -(-(columns.positions // across) // max(1, beside // across)),
        (down, max(1, across // beside)),
        beside,
        runs,
        run,
        parts * shape.depth,
        beside // together if together > 1 else beside * -(-tile // shape.drain),
        is_whole=is_whole,
        parts=parts,
        together=together,
    )


def _together(layer: Layer, shape: EngineShape, tile: int, beside: int) -> int:
    """Return the positions of the result whose channels leave in one cycle.

    They are neighbours in memory if all channels are in one tile. Maps that are read beside a
    pool's positions aren't.
    """
    across = layer.pool[1]
    slots = beside // min(beside, across)
    if layer.groups > 1 or layer.outputs > tile or (layer.epilogue.maps and across > 1):
        return 1
    most = min(slots, shape.drain // layer.outputs)
    return max((n for n in range(1, most + 1) if slots % n == 0), default=1)


def _covers(layer: Layer, source: FeatureMap) -> bool:
    """Return whether the window of a layer is its whole source, in one stretch."""
    rows, columns = layer.rows, layer.columns
    is_one = rows.positions == columns.positions == 1 and rows.before == columns.before == 0
    is_full = columns.taps == source.columns and rows.taps <= source.rows
    return is_one and is_full and rows.spread == 1


def _by_channels(layer: Layer, shape: EngineShape) -> Tiling:
    """Return the tiles of a lanes layer, each with some channels of one position."""
    tile = min(shape.lanes, layer.channels)
    return _of_lanes(layer, shape, -(-layer.channels // tile), tile, layer.columns.positions)


def _flat(layer: Layer, source: FeatureMap, shape: EngineShape) -> Tiling:
    """Return the tiles of a lanes layer, each with a stretch of a row."""
    row = layer.columns.positions * source.channels
    tile = min(shape.lanes, row)
    return _of_lanes(layer, shape, -(-row // tile), tile, 1, is_flat=True)


def _side_by_side(
    layer: Layer, source: FeatureMap, shape: EngineShape, neighbours: int
) -> Tiling | None:
    """Return the tiles of a lanes layer with gaps, each with some positions; None if impossible."""
    channels, columns = source.channels, layer.columns
    tile = neighbours * channels
    reach = (neighbours - 1) * columns.step * channels + channels
    if columns.step == 1 or reach > shape.banks or tile > shape.lanes:
        return None
    if neighbours > columns.positions:
        return None
    blocks = -(-columns.positions // neighbours)
    cut = _of_lanes(layer, shape, 1, tile, blocks, is_flat=True)
    return replace(cut, neighbours=neighbours)


def _of_lanes(
    layer: Layer, shape: EngineShape, tiles: int, tile: int, columns: int, *, is_flat: bool = False
) -> Tiling:
    return Tiling(
        tiles,
        tile,
        layer.rows.positions,
        columns,
        (1, 1),
        1,
        (layer.rows.taps, layer.columns.taps),
        1,
        1,
        -(-tile // shape.drain),
        is_flat=is_flat,
    )
