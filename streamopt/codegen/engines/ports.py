"""The ports of an engine and their names: shares of weights, inputs, and outputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from streamopt.codegen.names import Names
from streamopt.ir.element import ElementType
from streamopt.ir.engines.hardware import BEAT_BYTES, EngineHardware
from streamopt.ir.engines.table import LayerPass
from streamopt.ir.graph import Graph
from streamopt.ir.program import Array


@dataclass(frozen=True)
class EnginePorts:
    """Names, types and sizes of what crosses the boundary of an engine."""

    hardware: EngineHardware
    graph: Graph
    top: str

    @cached_property
    def arrays(self) -> tuple[Array, ...]:
        """Return the arrays that the host has: inputs, weights and outputs that layers use."""
        table = self.hardware.table
        used = {*table.graph.inputs, *table.graph.outputs}
        for layer in table.graph.layers:
            if layer.weights is not None:
                used.add(layer.weights.array)
            used.update(own.array for _, own in layer.epilogue.parameters)
        return tuple(array for array in self.graph.arrays if array.name in used)

    @cached_property
    def names(self) -> dict[str, str]:
        """Return the C++ name of each array."""
        unique = Names()
        return {array.name: unique.unique(array.name) for array in self.arrays}

    @property
    def weight(self) -> ElementType:
        """Return the type of weights."""
        if self.is_float:
            return ElementType.FLOAT
        return ElementType(f"int{self.hardware.table.weight_bits}_t")

    @property
    def parameter(self) -> ElementType:
        """Return the type of constants of channels."""
        return ElementType.FLOAT if self.is_float else ElementType.INT32

    @property
    def is_float(self) -> bool:
        """Return whether elements are floating-point numbers."""
        return self.hardware.table.graph.is_float

    @property
    def word(self) -> int:
        """Return the weights of a word."""
        return self.hardware.table.word_bytes * 8 // self.hardware.table.weight_bits

    @property
    def share(self) -> int:
        """Return the weights of a beat of a channel."""
        return BEAT_BYTES * 8 // self.hardware.table.weight_bits

    @property
    def channels(self) -> int:
        """Return the channels that weights come over."""
        return len(self.hardware.supply.channels)

    @property
    def shares(self) -> int:
        """Return the beats of a channel that a word takes."""
        return -(-self.word // (self.share * self.channels))

    @property
    def beat(self) -> int:
        """Return the elements of an input in a beat."""
        elems = BEAT_BYTES * 8 // self.hardware.table.element.storage_bits
        return min(elems, self.hardware.table.shape.banks)

    @property
    def value(self) -> ElementType:
        """Return the type that results are computed in: the widest of maps and outputs."""
        table = self.hardware.table
        kinds = [layer.epilogue.element for layer in table.graph.layers]
        return max([table.element, *kinds], key=lambda kind: kind.storage_bits)

    @property
    def output_passes(self) -> tuple[LayerPass, ...]:
        """Return the passes whose results leave the engine."""
        return tuple(one for one in self.hardware.table.passes if one.result is None)

    @property
    def results(self) -> int:
        """Return the beats of outputs."""
        return sum(map(result_beats, self.output_passes))


def slots(one: LayerPass) -> int:
    """Return the results of a block of positions that are beside each other."""
    return one.tiling.beside // one.pool_columns


def group_chunks(one: LayerPass) -> int:
    """Return the cycles in which the results of one position leave."""
    return one.tiling.chunks * one.tiling.together // one.tiling.beside


def result_beats(one: LayerPass) -> int:
    """Return the beats of an output."""
    cut = one.tiling
    of_block = slots(one) * group_chunks(one) // cut.together
    return one.groups * cut.tiles * cut.rows * cut.columns * of_block
