"""Where maps are: those that are read at once in different memories, dead ones overwritten.

A memory of maps has one port that reads and one that writes, so a layer's source and the maps of
its epilogue are in different memories, and its result anywhere. An epilogue reads each element
once, before it writes the one at the same place, so a result may be where a map of its epilogue
is that nothing reads afterwards.
"""

from __future__ import annotations

from itertools import combinations

from streamopt.ir.engines.layers import FeatureMap, Layer, LayerGraph
from streamopt.ir.engines.table import MapPlace
from streamopt.transforms.engines.joining import maps_read


def placed(graph: LayerGraph, banks: int) -> tuple[dict[str, MapPlace], int, int]:
    """Return the place of each map, how many memories there are, and the rows of each.

    In the order of layers: of the memories that no map of the same layer is in the one that grows
    least, and in it the lowest place that is free from the layer that writes the map to the last
    that reads it.
    """
    spans = _spans(graph)
    rivals = _rivals(graph)
    writers = {layer.result: layer for layer in graph.layers}
    found: dict[str, MapPlace] = {}
    count, depth = max(len(maps_read(layer)) for layer in graph.layers), 0
    for name in sorted(spans, key=lambda n: spans[n][0]):
        own = graph.map(name)
        size = _rounded(own.size_elems, banks)
        apart = {found[other].memory for other in rivals.get(name, ()) if other in found}
        busy = [place for n, place in found.items() if _overlap(spans[n], spans[name])]
        choices = [
            (max(depth, base + size), memory, base)
            for memory in [m for m in range(count) if m not in apart] or [count]
            for base in [_lowest([one for one in busy if one.memory == memory], size, banks)]
        ]
        choices += [
            (depth, found[other].memory, found[other].base)
            for other in _dead_behind(writers.get(name), spans)
            if found[other].memory not in apart and _have_one_shape(found[other].map, own)
        ]
        depth, memory, base = min(choices)
        count = max(count, memory + 1)
        found[name] = MapPlace(own, memory, base)
    return found, count, depth // banks


def _have_one_shape(one: FeatureMap, other: FeatureMap) -> bool:
    return (one.rows, one.columns, one.channels) == (other.rows, other.columns, other.channels)


def _dead_behind(layer: Layer | None, spans: dict[str, tuple[int, int]]) -> list[str]:
    """Return the maps of a layer's epilogue that nothing reads after their element is replaced."""
    if layer is None or layer.pool != (1, 1):
        return []
    last = spans[layer.result][0]
    return [name for _, name in layer.epilogue.maps if spans[name][1] == last]


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


def _lowest(busy: list[MapPlace], size: int, banks: int) -> int:
    """Return the lowest place for so many elements between those that are taken."""
    place = 0
    for one in sorted(busy, key=lambda own: own.base):
        if place + size <= one.base:
            break
        place = max(place, one.base + _rounded(one.map.size_elems, banks))
    return place
