"""Where maps are: those that are read at once in different memories, dead ones overwritten.

A memory of maps has one port that reads and one that writes, so a layer's source and the maps of
its epilogue are in different memories, and its result anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from streamopt.ir.engines.layers import LayerGraph
from streamopt.ir.engines.table import MapPlace
from streamopt.transforms.engines.joining import maps_read


@dataclass(frozen=True, slots=True)
class Margins:
    """Elements that are read before and behind a map, though none of them counts."""

    before: int
    behind: int


def placed(graph: LayerGraph, banks: int, margins: Margins) -> tuple[dict[str, MapPlace], int, int]:
    """Return the place of each map, how many memories there are, and the rows of each.

    The first memory that no map of the same layer is in, and in it the lowest place that is free
    from the layer that writes the map to the last that reads it: first fit, in order of layers.
    """
    spans = _spans(graph)
    rivals = _rivals(graph)
    memories: dict[str, int] = {}
    for name in spans:
        taken = {memories[other] for other in rivals.get(name, ()) if other in memories}
        memories[name] = next(m for m in range(len(taken) + 1) if m not in taken)
    first = -(-margins.before // banks) * banks
    bases: dict[str, int] = {}
    for name in sorted(spans, key=lambda n: spans[n][0]):
        size = _rounded(graph.map(name).size_elems + margins.before, banks)
        busy = sorted(
            (bases[other], _rounded(graph.map(other).size_elems + margins.before, banks))
            for other in bases
            if memories[other] == memories[name] and _overlap(spans[other], spans[name])
        )
        bases[name] = _lowest(busy, size, first)
    ends = [base + graph.map(name).size_elems for name, base in bases.items()]
    depth = _rounded(max(ends) + margins.behind, banks) // banks
    places = {n: MapPlace(graph.map(n), memories[n], bases[n]) for n in spans}
    return places, max(memories.values()) + 1, depth


def _spans(graph: LayerGraph) -> dict[str, tuple[int, int]]:
    """Return the layers that write a map first and read it last; inputs are there before all."""
    spans: dict[str, tuple[int, int]] = dict.fromkeys(graph.inputs, (-1, -1))
    for position, layer in enumerate(graph.layers):
        for name in maps_read(layer):
            spans[name] = (spans[name][0], position)
        if layer.result not in graph.outputs:
            spans[layer.result] = (position, position)
    return spans


def _rivals(graph: LayerGraph) -> dict[str, set[str]]:
    """Return the maps that are read together with each map."""
    found: dict[str, set[str]] = {}
    for layer in graph.layers:
        for one, other in combinations(maps_read(layer), 2):
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return found


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _rounded(elems: int, banks: int) -> int:
    return -(-elems // banks) * banks


def _lowest(busy: list[tuple[int, int]], size: int, first: int) -> int:
    """Return the lowest place for so many elements between those that are taken."""
    place = first
    for base, taken in busy:
        if place + size <= base:
            return place
        place = max(place, base + taken)
    return place
