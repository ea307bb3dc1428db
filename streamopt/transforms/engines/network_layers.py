"""Graphs of networks as layers."""

from __future__ import annotations

from dataclasses import replace

from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.element import ElementType
from streamopt.ir.engines.layers import Layer, LayerGraph
from streamopt.ir.graph import Graph, Node
from streamopt.ir.program import Role
from streamopt.transforms.engines.drafts import drafted
from streamopt.transforms.engines.joining import joined, maps_read
from streamopt.transforms.rewrites.fold_padding import FoldPadding

MOST_BITS = 16
"""Of an element of a map or weight that engines multiply."""
ELEMENTS = (
    f"engines multiply integers of at most {MOST_BITS} bits, or compute with float throughout"
)


def network_layers(graph: Graph) -> LayerGraph:
    """Return the layers of a network: (L1) to (L4) of ``models/formulations/engines.md``.

    Raises
    ------
    LegalityError
        E341 for each node that is no layer, with the reason; E342 for elements that engines don't
        compute with.
    """
    folded = FoldPadding()(graph)
    drafts, refused = drafted(folded)
    if refused:
        raise LegalityError(*(_no_layer(node, reason) for node, reason in refused))
    outputs = frozenset(a.name for a in folded.arrays if a.role is Role.OUTPUT)
    maps = {one.name: one for one in drafts.maps()}
    layers = joined(drafts.layers, maps, outputs)
    kept = [name for layer in layers for name in (*maps_read(layer), layer.result)]
    used = tuple(dict.fromkeys(kept))
    maps = {name: one for name, one in maps.items() if name in used}
    for layer in layers:
        maps[layer.result] = replace(maps[layer.result], element=layer.epilogue.element)
    inputs = tuple(a.name for a in folded.arrays if a.role is Role.INPUT and a.name in maps)
    wanted = tuple(a.name for a in folded.arrays if a.role is Role.OUTPUT)
    found = LayerGraph(graph.name, tuple(maps.values()), tuple(layers), inputs, wanted)
    _check_elements(found)
    return found


def _no_layer(node: Node, reason: str) -> Diagnostic:
    hint = "engines run products with constant weights, windows of a channel and point-wise nodes"
    return Diagnostic(
        "E341", f"node '{node.name}' is no layer of an engine: {reason}", node.loc, hint
    )


def _check_elements(found: LayerGraph) -> None:
    problems: list[Diagnostic] = []
    for layer in found.layers:
        problems += _element_problems(found, layer)
    if problems:
        raise LegalityError(*problems)


def _element_problems(found: LayerGraph, layer: Layer) -> list[Diagnostic]:
    source = found.map(layer.source).element
    elements = [("source", source), ("sum", layer.accumulator)]
    if layer.weights is not None:
        elements.append(("weights", layer.weights.element))
    epilogue = layer.epilogue
    elements += [("constant", own.element) for _, own in epilogue.parameters]
    if found.is_float:
        elements += [("operand", found.map(name).element) for _, name in epilogue.maps]
        elements.append(("result", epilogue.element))
    problems: list[Diagnostic] = []
    for what, element in elements:
        is_wide = what in ("sum", "constant") or layer.weights is None
        suits = element.is_integer and (is_wide or element.bits <= MOST_BITS)
        if found.is_float:
            suits = element is ElementType.FLOAT
        if not suits:
            message = f"the {what} of layer '{layer.name}' is {element}"
            problems.append(Diagnostic("E342", message, None, ELEMENTS))
    return problems
