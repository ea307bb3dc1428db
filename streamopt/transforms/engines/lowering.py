"""Layers as the table of an engine: how each walks over its source, and where maps are."""

from __future__ import annotations

from collections.abc import Sequence

from streamopt.ir.element import ElementType
from streamopt.ir.engines.layers import FeatureMap, Layer, LayerGraph
from streamopt.ir.engines.shape import EngineShape, Tiling
from streamopt.ir.engines.table import EngineTable, LayerPass, LayerWalk, Move
from streamopt.transforms.engines.forms import forms_of
from streamopt.transforms.engines.placing import placed

PARAMETER_BYTES = 4


def engine_table(graph: LayerGraph, shape: EngineShape, cuts: Sequence[Tiling]) -> EngineTable:
    """Return the table of an engine of some shape, with the tiles of each layer."""
    walks = [
        walk_of(layer, graph.map(layer.source), cut, _beside_row_elems(layer, graph))
        for layer, cut in zip(graph.layers, cuts, strict=True)
    ]
    places, memories, depth = placed(graph, shape.banks)
    forms, uses = forms_of(graph)
    passes: list[LayerPass] = []
    weight_bits = graph.weight_bits
    word_bytes = max(PARAMETER_BYTES, shape.products * weight_bits // 8)
    for layer, cut, walk, use in zip(graph.layers, cuts, walks, uses, strict=True):
        source = graph.map(layer.source)
        whole = (1, source.size_elems) if cut.is_whole else (source.rows, source.row_elems)
        words = -(-shape.pending // (word_bytes // PARAMETER_BYTES))
        passes.append(
            LayerPass(
                layer,
                cut,
                1 if layer.is_lanes else layer.groups,
                places[layer.source],
                tuple(places[name] for _, name in layer.epilogue.maps),
                places.get(layer.result),
                walk,
                *whole,
                use.form,
                use.numbers,
                len(layer.epilogue.parameters) * words,
            )
        )
    stored = [place.map.element for place in places.values()]
    usual = ElementType.FLOAT if graph.is_float else ElementType.INT8
    return EngineTable(
        graph,
        shape,
        tuple(passes),
        forms,
        tuple(places[name] for name in graph.inputs),
        memories,
        depth,
        max(stored, key=lambda element: element.bits, default=usual),
        weight_bits,
        word_bytes,
    )


def _beside_row_elems(layer: Layer, graph: LayerGraph) -> int:
    """Return the elements of a row of the maps that an epilogue reads; 0 if it reads none."""
    return next((graph.map(name).row_elems for _, name in layer.epilogue.maps), 0)


def walk_of(layer: Layer, source: FeatureMap, cut: Tiling, beside_row: int = 0) -> LayerWalk:
    """Return the loops over what a layer reads and writes: (S6).

    Parameters
    ----------
    beside_row
        Elements of a row of the maps that the epilogue reads.
    """
    rows, columns, channels = layer.rows, layer.columns, source.channels
    down, across = layer.pool
    made = layer.channels
    block = max(cut.beside, across, cut.neighbours)
    kept = block // across
    wide, row = columns.positions // across, columns.positions * made
    step = columns.step * channels
    groups = 1 if layer.is_lanes else layer.groups
    lanes = layer.outputs if not layer.is_lanes else (row if cut.is_flat else made)
    gap = block * made if cut.is_side_by_side else 0
    moves = (
        Move(0, layer.depth, layer.outputs, layer.outputs),
        Move(0, cut.tile if layer.is_lanes else 0, cut.tile, cut.tile, -cut.tile),
        Move(rows.step * down, 0, wide * made, down * beside_row),
        Move(0, block * step, kept * made, block * made, -gap, -kept),
        Move(rows.step, 0, 0, beside_row),
        Move(0, cut.beside * step, 0, cut.beside * made),
        Move() if cut.is_whole else Move(rows.spread, 0),
        Move(0, columns.spread * channels),
        Move(0, cut.width),
    )
    counts = (
        *(groups, cut.tiles, cut.rows, cut.columns, *cut.pool, *cut.runs),
        -(-cut.run // cut.width),
    )
    first = Move(-rows.before, -columns.before * channels, 0, 0, lanes, wide)
    shift = step - made if cut.is_side_by_side else step
    if cut.parts > 1:
        shift = cut.width // cut.parts
    return LayerWalk(counts, moves, first, shift)
