"""A network as a list of layers over feature maps: what shared engines run, one after the other.

A map is kept row by row, in a row position by position, and at a position channel by channel. A
*product* layer computes, for every group, output channel and position,

    sum over c, i, j of  weight(c, i, j) * source(c, row * step + i * spread - before, ...)

and a *lanes* layer combines elements of one channel: the products of a depthwise convolution, or
the sum or largest element of a window. An *epilogue*, an expression, makes elements of the
result out of what was combined, of constants of the channel, and of elements of other maps at
the same place; a pool of windows that don't overlap may follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import prod

from streamopt.ir.element import ElementType
from streamopt.ir.expression import Expression

SUM = "sum"
"""The sum, or whatever else a layer has combined, as an operand of its epilogue."""


class Combine(StrEnum):
    """How a layer combines the elements of a window."""

    PRODUCTS = "products"
    SUM = "sum"
    LARGEST = "largest"
    SMALLEST = "smallest"
    COPY = "copy"
    """There is one."""


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """Elements by row, position in the row, and channel."""

    name: str
    """Of the array."""
    rows: int
    columns: int
    channels: int
    element: ElementType
    strides: tuple[int, int, int]
    """Of rows, columns and channels, in elements of the array as the source has it."""

    @property
    def row_elems(self) -> int:
        """Return the elements of a row."""
        return self.columns * self.channels

    @property
    def size_elems(self) -> int:
        """Return all elements."""
        return self.rows * self.row_elems


@dataclass(frozen=True, slots=True)
class WindowAxis:
    """A window along rows or columns: ``position * step + tap * spread - before``."""

    positions: int
    """Of the result, before a pool."""
    taps: int = 1
    step: int = 1
    spread: int = 1
    before: int = 0
    """Rows or columns of the first window that are outside of the map."""


@dataclass(frozen=True, slots=True)
class WeightView:
    """Where the weights of a layer are in an array, in elements."""

    array: str
    element: ElementType
    strides: tuple[int, int, int, int, int]
    """Of group, output channel of the group, depth, row and column of the window."""
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Parameter:
    """A constant for each channel of the result: ``array[offset + channel * stride]``."""

    array: str
    element: ElementType
    stride: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Epilogue:
    """An expression whose operands are scalars: `SUM`, and the names of maps and parameters."""

    value: Expression
    element: ElementType
    """Of the result."""
    maps: tuple[tuple[str, str], ...] = ()
    """Pairs (operand, map)."""
    parameters: tuple[tuple[str, Parameter], ...] = ()


@dataclass(frozen=True, slots=True)
class Layer:
    """One pass of an engine over a map."""

    name: str
    nodes: tuple[str, ...]
    """Of the graph, that it carries out."""
    source: str
    result: str
    groups: int
    outputs: int
    """Channels of the result in a group; 1 of a lanes layer."""
    depth: int
    """Channels of the source in a group; 1 of a lanes layer."""
    rows: WindowAxis
    columns: WindowAxis
    combine: Combine
    accumulator: ElementType
    epilogue: Epilogue
    weights: WeightView | None = None
    fill: float = 0
    """The element that a window sees outside of the map."""
    pool: tuple[int, int] = (1, 1)
    """Rows and columns of a pool of largest elements behind the epilogue."""

    @property
    def is_lanes(self) -> bool:
        """Return whether it combines elements of one channel."""
        return self.combine is not Combine.PRODUCTS or (self.outputs == 1 == self.depth)

    @property
    def channels(self) -> int:
        """Return the channels of the result."""
        return self.groups * self.outputs

    @property
    def taps(self) -> int:
        """Return the elements of a window of a channel."""
        return self.rows.taps * self.columns.taps

    @property
    def positions(self) -> int:
        """Return the windows of a channel."""
        return self.rows.positions * self.columns.positions

    @property
    def products(self) -> int:
        """Return the multiply-accumulates."""
        if self.combine is not Combine.PRODUCTS:
            return 0
        return self.channels * self.positions * self.depth * self.taps

    @property
    def weight_count(self) -> int:
        """Return the weights."""
        return 0 if self.weights is None else self.channels * self.depth * self.taps


@dataclass(frozen=True, slots=True)
class LayerGraph:
    """Layers in order; each reads maps of the ones before it, or inputs."""

    name: str
    maps: tuple[FeatureMap, ...]
    layers: tuple[Layer, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    _maps: Mapping[str, FeatureMap] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Note the maps by name."""
        object.__setattr__(self, "_maps", {one.name: one for one in self.maps})

    def map(self, name: str) -> FeatureMap:
        """Return the map of that name; raises KeyError."""
        return self._maps[name]

    @property
    def products(self) -> int:
        """Return the multiply-accumulates of all layers."""
        return sum(layer.products for layer in self.layers)

    @property
    def is_float(self) -> bool:
        """Return whether its elements are floating-point numbers."""
        return any(layer.accumulator.is_float for layer in self.layers)

    @property
    def weight_bits(self) -> int:
        """Return the bits of the widest weight."""
        found = [layer.weights.element for layer in self.layers if layer.weights is not None]
        return max((one.storage_bits for one in found), default=32 if self.is_float else 8)

    @property
    def weight_bytes(self) -> int:
        """Return the weights of all layers, in bytes."""
        counts = (
            layer.weight_count * layer.weights.element.storage_bits // 8
            for layer in self.layers
            if layer.weights is not None
        )
        return sum(counts)

    def __str__(self) -> str:
        """Return a line for each layer."""
        return "\n".join([f"layers of {self.name}", *map(_line, self.layers)])


def _line(layer: Layer) -> str:
    kind = "lanes" if layer.is_lanes else "product"
    pooled = f", pool {layer.pool[0]}x{layer.pool[1]}" if prod(layer.pool) > 1 else ""
    window = f"{layer.rows.taps}x{layer.columns.taps}"
    shape = f"{layer.rows.positions}x{layer.columns.positions}x{layer.channels}"
    depth = f" of depth {layer.depth}" if layer.depth > 1 else ""
    return f"{layer.name}: {kind} {layer.combine} {shape}, {window}{depth}{pooled}"
