"""Layers joined: what is point-wise goes into the layer before, and pools behind it."""

from __future__ import annotations

from dataclasses import replace

from streamopt.ir.arithmetic import expression_type
from streamopt.ir.element import ElementType
from streamopt.ir.engines.layers import SUM, Combine, Epilogue, FeatureMap, Layer, WindowAxis
from streamopt.ir.expression import (
    Cast,
    Expression,
    Read,
    children,
    reads,
    rebuild,
    rewrite,
    walk,
)
from streamopt.transforms.engines.drafts import is_aligned, scalar


def joined(
    layers: list[Layer], maps: dict[str, FeatureMap], outputs: frozenset[str]
) -> list[Layer]:
    """Return fewer layers that compute the same.

    A point-wise layer goes into the last of the layers that compute what it reads. A map that a
    layer reads beside another and only narrows is narrowed where it is computed. A pool of windows
    that don't overlap goes behind the layer whose result it alone reads.
    """
    found = list(layers)
    while (fewer := _with_epilogue(found, outputs)) is not None:
        found = fewer
    found = _narrowed(found, maps, outputs)
    while (fewer := _with_pool(found, maps, outputs)) is not None:
        found = fewer
    return found


def maps_read(layer: Layer) -> tuple[str, ...]:
    """Return the maps that a layer reads, its source first."""
    return (layer.source, *(name for _, name in layer.epilogue.maps))


def _readers(layers: list[Layer]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, layer in enumerate(layers):
        for name in maps_read(layer):
            found.setdefault(name, []).append(place)
    return found


def _with_epilogue(layers: list[Layer], outputs: frozenset[str]) -> list[Layer] | None:
    """Return the layers with one point-wise layer less; None where none can go."""
    readers = _readers(layers)
    writers = {layer.result: place for place, layer in enumerate(layers)}
    for place, layer in enumerate(layers):
        if layer.combine is not Combine.COPY or not _is_pointwise(layer):
            continue
        known = [writers[name] for name in maps_read(layer) if name in writers]
        if not known:
            continue
        into = layers[max(known)]
        is_sole = readers[into.result] == [place] and into.result not in outputs
        if is_sole and into.pool == (1, 1):
            together = _together(into, layer)
            return [together if one is into else one for one in layers if one is not layer]
    return None


def _is_pointwise(layer: Layer) -> bool:
    return is_aligned(layer.rows) and is_aligned(layer.columns) and layer.pool == (1, 1)


def _together(first: Layer, second: Layer) -> Layer:
    """Return a layer and the point-wise one behind it as one."""
    inner, outer = first.epilogue, second.epilogue
    operand = SUM if second.source == first.result else first.result
    value = Cast(inner.element, inner.value)
    replaced: dict[str, Expression] = {
        operand: value,
        SUM: value if operand == SUM else scalar(second.source),
    }
    beside = [pair for pair in outer.maps if pair[0] != operand]
    if operand != SUM:
        beside.insert(0, (second.source, second.source))
    epilogue = Epilogue(
        _with_operands(outer.value, replaced),
        outer.element,
        tuple(dict.fromkeys((*inner.maps, *beside))),
        tuple(dict.fromkeys((*inner.parameters, *outer.parameters))),
    )
    nodes = (*first.nodes, *(n for n in second.nodes if n not in first.nodes))
    return replace(first, nodes=nodes, result=second.result, epilogue=epilogue)


def _with_operands(value: Expression, replaced: dict[str, Expression]) -> Expression:
    def leaf(part: Expression) -> Expression:
        return replaced.get(part.access.array, part) if isinstance(part, Read) else part

    return rewrite(value, leaf)


def _narrowed(
    layers: list[Layer], maps: dict[str, FeatureMap], outputs: frozenset[str]
) -> list[Layer]:
    """Return the layers with narrow maps in the place of wide ones that are only narrowed."""
    found = list(layers)
    readers = _readers(layers)
    for place, layer in enumerate(layers):
        reader = readers.get(layer.result, [])
        if len(reader) != 1 or layer.result in outputs:
            continue
        later = found[reader[0]]
        operand = layer.result if later.source != layer.result else SUM
        if operand == SUM and later.combine is not Combine.COPY:
            continue
        element = maps[layer.result].element
        part = _narrow_part(later.epilogue.value, operand, element)
        if part is None:
            continue
        own = found[place].epilogue
        value = _with_operands(part, {operand: Cast(own.element, own.value)})
        found[place] = replace(
            found[place], epilogue=replace(own, value=value, element=part.element)
        )
        outer = _with_part(later.epilogue.value, part, scalar(operand))
        found[reader[0]] = replace(later, epilogue=replace(later.epilogue, value=outer))
        maps[layer.result] = replace(maps[layer.result], element=part.element)
    return found


def _narrow_part(value: Expression, operand: str, element: ElementType) -> Cast | None:
    """Return the outermost cast to fewer bits that all uses of an operand are in; None if none."""
    for part in walk(value):
        if isinstance(part, Cast) and part.element.bits < element.bits:
            inside = {access.array for access in reads(part)}
            rest = _with_part(value, part, scalar(SUM))
            if inside == {operand} and (operand == SUM or operand not in _operands(rest)):
                return part
    return None


def _operands(value: Expression) -> set[str]:
    return {access.array for access in reads(value)}


def _with_part(value: Expression, part: Expression, new: Expression) -> Expression:
    """Return an expression with one of its parts replaced wherever it occurs."""
    if value == part:
        return new
    operands = children(value)
    return (
        rebuild(value, tuple(_with_part(one, part, new) for one in operands)) if operands else value
    )


def _with_pool(
    layers: list[Layer], maps: dict[str, FeatureMap], outputs: frozenset[str]
) -> list[Layer] | None:
    """Return the layers with one pool less that has a pass of its own; None where none can go."""
    readers = _readers(layers)
    writers = {layer.result: place for place, layer in enumerate(layers)}
    for place, layer in enumerate(layers):
        into = layers[writers[layer.source]] if layer.source in writers else None
        if into is None or readers[into.result] != [place] or into.result in outputs:
            continue
        if _is_pool(layer, maps) and into.pool == (1, 1) and not into.is_lanes:
            pool = (layer.rows.taps, layer.columns.taps)
            nodes = (*into.nodes, *layer.nodes)
            axes = [
                replace(old, positions=new.positions * taps)
                for old, new, taps in zip(
                    (into.rows, into.columns), (layer.rows, layer.columns), pool, strict=True
                )
            ]
            together = replace(
                into, nodes=nodes, result=layer.result, rows=axes[0], columns=axes[1], pool=pool
            )
            return [together if one is into else one for one in layers if one is not layer]
    return None


def _is_pool(layer: Layer, maps: dict[str, FeatureMap]) -> bool:
    """Return whether a layer takes the largest elements of windows beside each other."""

    def is_beside(axis: WindowAxis) -> bool:
        return axis.taps == axis.step and axis.spread == 1 and axis.before == 0

    element = maps[layer.source].element
    value = layer.epilogue.value
    while isinstance(value, Cast):
        value = value.operand
    is_plain = value == scalar(SUM) and layer.epilogue.element == element
    return (
        layer.combine is Combine.LARGEST
        and is_plain
        and is_beside(layer.rows)
        and is_beside(layer.columns)
    )


def result_type(value: Expression, types: dict[str, ElementType]) -> ElementType | None:
    """Return the type of an expression over operands."""
    return expression_type(value, types.__getitem__)
