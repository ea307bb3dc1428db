"""The words of tables: arrays whose values a design has, as their memories begin with them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from streamopt.ir.graph import Graph
from streamopt.ir.network import Memory, Network, Place
from streamopt.rtl.emission.numbers import number_bits
from streamopt.rtl.kernel.banks import memory_size
from streamopt.rtl.operators.number_format import format_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def table_words(graph: Graph, network: Network) -> Mapping[str, tuple[int, ...]]:
    """Return the words of each table of a network, whose banks lie side by side."""
    found: dict[str, tuple[int, ...]] = {}
    for memory in network.memories:
        if memory.place is Place.ROM:
            values = graph.values_of(memory.name.removesuffix(".argument"))
            assert values is not None, "a table has values (E334)"
            found[memory.name] = _words(memory, values)
    return found


def _words(memory: Memory, values: NDArray[Any]) -> tuple[int, ...]:
    words, _ = memory_size(memory)
    found, form, bits = [0] * words, format_of(memory.element), memory.element.bits
    places = product(*map(range, memory.shape))
    for place, value in zip(places, values.reshape(-1).tolist(), strict=True):
        address = bank = 0
        for index, extent, factor in zip(place, memory.shape, memory.factors, strict=True):
            address = address * -(-extent // factor) + index // factor
            bank = bank * factor + index % factor
        found[address] |= number_bits(value, form) << bank * bits
    return tuple(found)
