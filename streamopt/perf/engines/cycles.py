"""Cycles of layers on an engine in closed form: (S8) to (S11) of `engines.md`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from streamopt.ir.engines.layers import FeatureMap, Layer, LayerGraph
from streamopt.ir.engines.shape import EngineShape, Tiling, tilings

PARAMETER_BYTES = 4


@dataclass(frozen=True, slots=True)
class LayerCycles:
    """A layer on an engine."""

    tiling: Tiling
    cycles: int
    """Of its loop, if no weight is late, until the last result has left."""
    words: int
    """Of weights and constants."""


def word_bytes(graph: LayerGraph, shape: EngineShape) -> int:
    """Return the bytes of a word of weights: one for each product of a cycle."""
    return max(PARAMETER_BYTES, shape.products * graph.weight_bits // 8)


def layer_cycles(layer: Layer, source: FeatureMap, shape: EngineShape, of_word: int) -> LayerCycles:
    """Return the quickest way to run a layer: the tiling of least cycles, then of fewest words.

    Parameters
    ----------
    of_word
        Bytes of a word of weights.
    """
    found = (_of(layer, shape, cut, of_word) for cut in tilings(layer, source, shape))
    return min(found, key=lambda one: (one.cycles, one.words))


def _of(layer: Layer, shape: EngineShape, cut: Tiling, of_word: int) -> LayerCycles:
    groups = 1 if layer.is_lanes else layer.groups
    head = len(layer.epilogue.parameters) * ceil(shape.pending / (of_word // PARAMETER_BYTES))
    prologue = cut.chunks + head if head else 0
    tile = prologue + cut.positions * cut.cycles_per_position
    steps = cut.steps if layer.weights is not None else 0
    tiles = groups * cut.tiles
    return LayerCycles(cut, tiles * tile + cut.chunks, tiles * (head + steps))


@dataclass(frozen=True, slots=True)
class EngineCycles:
    """All layers on an engine."""

    layers: tuple[LayerCycles, ...]
    fill_cycles: int

    @property
    def compute_cycles(self) -> int:
        """Return the cycles of all loops, one after the other, if no weight is late."""
        return sum(one.cycles + self.fill_cycles for one in self.layers)

    @property
    def words(self) -> int:
        """Return the words of all layers."""
        return sum(one.words for one in self.layers)

    def least(self, cycles_per_word: Fraction, outside_cycles: int) -> int:
        """Return the least cycles of any run: all loops, or all words.

        Parameters
        ----------
        outside_cycles
            Until the inputs are there.
        """
        return max(outside_cycles + self.compute_cycles, ceil(self.words * cycles_per_word))


def engine_cycles(graph: LayerGraph, shape: EngineShape, fill_cycles: int) -> EngineCycles:
    """Return all layers on an engine of some shape, each in its quickest way."""
    of_word = word_bytes(graph, shape)
    layers = (layer_cycles(one, graph.map(one.source), shape, of_word) for one in graph.layers)
    return EngineCycles(tuple(layers), fill_cycles)


def roofline_cycles(graph: LayerGraph, products: int, bytes_per_cycle: float) -> int:
    """Return the least cycles of any engine with so many products a cycle: (S11)."""
    compute = ceil(graph.products / products)
    return max(compute, ceil(graph.weight_bytes / bytes_per_cycle))
