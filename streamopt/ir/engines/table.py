"""The table that an engine runs: whole numbers for each layer, and one form of each epilogue."""

from __future__ import annotations

from dataclasses import dataclass

from streamopt.ir.element import ElementType
from streamopt.ir.engines.layers import Combine, FeatureMap, Layer, LayerGraph
from streamopt.ir.engines.shape import EngineShape, Tiling
from streamopt.ir.expression import Expression


@dataclass(frozen=True, slots=True)
class Move:
    """The steps in the places of a layer that one more iteration of a loop makes."""

    row: int = 0
    """Of the source, which may be outside of it."""
    offset: int = 0
    """Elements in a row of the source, which may be outside of it."""
    result: int = 0
    """Elements of the result."""
    beside: int = 0
    """Elements of the maps that the epilogue reads."""
    lanes: int = 0
    """Channels of the result that are left."""
    columns: int = 0
    """Positions in a row of the result that are left."""


@dataclass(frozen=True, slots=True)
class LayerWalk:
    """The loops over what a layer reads, outermost first, with their moves."""

    counts: tuple[int, ...]
    moves: tuple[Move, ...]
    first: Move
    shift: int
    """Elements between neighbouring positions that are computed at once."""


@dataclass(frozen=True, slots=True)
class MapPlace:
    """A map in a memory."""

    map: FeatureMap
    memory: int
    base: int
    """Element that it begins with."""


@dataclass(frozen=True, slots=True)
class Form:
    """An epilogue without its numbers, which layers have of their own."""

    value: Expression
    """Over ``sum``, ``map<i>``, ``parameter<i>`` and ``number<i>``."""
    maps: tuple[ElementType, ...]
    parameters: tuple[ElementType, ...]
    numbers: int
    element: ElementType
    accumulator: ElementType


@dataclass(frozen=True, slots=True)
class LeavingOrder:
    """How the sums of a product layer wait to leave; a piece of hardware for each."""

    beside: int
    parts: int
    together: int = 1
    pool_columns: int = 1
    """Of the positions that are computed at once; counts where some leave together."""
    channels: int = 0
    """Of a position; counts where some leave together."""

    @property
    def sharers(self) -> int:
        """Return the positions, or parts of a result, that share the sums."""
        return max(self.beside, self.parts)


@dataclass(frozen=True, slots=True)
class LayerPass:
    """One layer as an engine runs it."""

    layer: Layer
    tiling: Tiling
    groups: int
    """Outermost loop; 1 of lanes layers."""
    source: MapPlace
    beside_maps: tuple[MapPlace, ...]
    """That the epilogue reads."""
    result: MapPlace | None
    """None for an output, whose elements leave the engine."""
    walk: LayerWalk
    """Over groups, tiles, rows, blocks, pool rows, pool blocks, runs, runs in a row, chunks."""
    rows: int
    """Rows that exist; others are `Layer.fill`."""
    row_elems: int
    form: int
    numbers: tuple[int, ...]
    head: int
    """Words before the weights of a tile: its parameters."""

    @property
    def combine(self) -> Combine:
        """Return how it combines."""
        return self.layer.combine

    @property
    def pool_columns(self) -> int:
        """Return the positions of a pool's row that are computed at once."""
        return min(self.tiling.beside, self.layer.pool[1])

    @property
    def leaving(self) -> LeavingOrder:
        """Return how the sums of a product layer wait to leave."""
        cut = self.tiling
        if cut.together == 1:
            return LeavingOrder(cut.beside, cut.parts)
        places = (self.pool_columns, self.layer.channels)
        return LeavingOrder(cut.beside, cut.parts, cut.together, *places)

    @property
    def words(self) -> int:
        """Return the words that come from memory, each once."""
        steps = self.tiling.steps if self.layer.weights is not None else 0
        return self.groups * self.tiling.tiles * (self.head + steps)

    @property
    def iterations(self) -> int:
        """Return the iterations of its loop, until its last result is combined."""
        tile = self.prologue + self.tiling.positions * self.tiling.cycles_per_position
        return self.groups * self.tiling.tiles * tile

    @property
    def prologue(self) -> int:
        """Return the cycles before a tile: results of the one before leave, parameters come."""
        return self.tiling.chunks + self.head if self.head else 0


@dataclass(frozen=True, slots=True)
class EngineTable:
    """All that an engine does for one frame."""

    graph: LayerGraph
    shape: EngineShape
    passes: tuple[LayerPass, ...]
    forms: tuple[Form, ...]
    inputs: tuple[MapPlace, ...]
    memories: int
    depth: int
    """Elements of a memory, divided by the banks."""
    element: ElementType
    """Of the memories."""
    weight_bits: int
    word_bytes: int
    """Of a word of weights."""

    @property
    def orders(self) -> tuple[LeavingOrder, ...]:
        """Return all ways in which sums of product layers wait to leave, each once."""
        return tuple(dict.fromkeys(p.leaving for p in self.passes if not p.layer.is_lanes))

    @property
    def words(self) -> int:
        """Return the words of weights of a frame."""
        return sum(one.words for one in self.passes)

    @property
    def tile_words(self) -> int:
        """Return the words of the largest tile that several positions use."""
        sizes = [one.tiling.steps for one in self.passes if one.tiling.positions > 1]
        return max(sizes, default=1)
