"""The table of an engine as C++: a line of numbers for each layer."""

from __future__ import annotations

from collections.abc import Iterable

from streamopt.codegen.engines.ports import group_chunks
from streamopt.codegen.expressions import literal
from streamopt.ir.engines.layers import Combine, Layer
from streamopt.ir.engines.table import EngineTable, LayerPass, Move

COMBINES = {
    Combine.PRODUCTS: "COMBINE_PRODUCTS",
    Combine.SUM: "COMBINE_SUM",
    Combine.LARGEST: "COMBINE_LARGEST",
    Combine.SMALLEST: "COMBINE_SMALLEST",
    Combine.COPY: "COMBINE_COPY",
}
"""In the order of the enumeration of the template."""


def maps_of(table: EngineTable) -> int:
    """Return the most maps that a layer reads beside its source; at least 1."""
    return max(1, *(len(one.beside_maps) for one in table.passes))


def numbers_of(table: EngineTable) -> int:
    """Return the most numbers that an epilogue has; at least 1."""
    return max(1, *(len(one.numbers) for one in table.passes))


def table_text(table: EngineTable) -> str:
    """Return the initializers of the table."""
    return "".join(f"    {_layer(table, one)}\n" for one in table.passes)


def _layer(table: EngineTable, one: LayerPass) -> str:
    layer, cut = one.layer, one.tiling
    maps, numbers = maps_of(table), numbers_of(table)
    parts = [
        *(one.iterations, one.head, cut.steps, cut.cycles_per_position, cut.chunks),
        *(group_chunks(one), 0 if layer.is_lanes else table.orders.index(one.leaving)),
        *(one.walk.shift % table.shape.banks, one.pool_columns),
        *(int(layer.weights is not None), COMBINES[layer.combine]),
        literal(layer.fill, table.element),
        *(int(layer.is_lanes), one.source.memory, one.source.base, one.rows, one.row_elems),
        int(one.result is None),
        *((0, 0) if one.result is None else (one.result.memory, one.result.base)),
        *(cut.together, cut.together * layer.channels, int(layer.pool != (1, 1))),
        *(cut.windows, layer.channels),
        len(one.beside_maps),
        _listed([place.memory for place in one.beside_maps], maps),
        _listed([place.base for place in one.beside_maps], maps),
        one.form,
        _listed(one.numbers, numbers),
        _listed(one.walk.counts, len(one.walk.counts)),
        f"{{{', '.join(_move(move, one.row_elems) for move in one.walk.moves)}}}",
        _move(one.walk.first, one.row_elems),
    ]
    return f"{{{', '.join(map(str, parts))}}}, // {_comment(layer)}"


def _comment(layer: Layer) -> str:
    return "".join(c if c.isascii() and c.isprintable() and c != "\\" else "?" for c in layer.name)


def _listed(values: Iterable[int], count: int) -> str:
    own = list(values)
    return f"{{{', '.join(map(str, own + [0] * (count - len(own))))}}}"


def _move(move: Move, row_elems: int) -> str:
    address = move.row * row_elems + move.offset
    own = (move.row, move.offset, address, move.result, move.beside, move.lanes, move.columns)
    return _listed(own, len(own))


def windows_of(table: EngineTable) -> int:
    """Return the most windows that a layer reads at once."""
    return max(one.tiling.windows for one in table.passes)
