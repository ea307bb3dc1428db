"""Epilogues without their numbers, so that layers of one form share one piece of hardware."""

from __future__ import annotations

from streamopt.ir.engines.layers import SUM, Layer, LayerGraph
from streamopt.ir.engines.table import Form
from streamopt.ir.expression import Access, Expression, Literal, Read, rewrite

SHARED = 2
"""Numbers of a smaller size than this stay in the form: 0 and 1 are wires."""


def form_of(layer: Layer, graph: LayerGraph) -> tuple[Form, tuple[int, ...]]:
    """Return the form of a layer's epilogue, and its numbers."""
    epilogue = layer.epilogue
    names = {SUM: SUM}
    names |= {operand: f"map{place}" for place, (operand, _) in enumerate(epilogue.maps)}
    names |= {name: f"parameter{place}" for place, (name, _) in enumerate(epilogue.parameters)}
    numbers: list[int] = []

    def leaf(part: Expression) -> Expression:
        match part:
            case Read(access):
                return Read(Access(names[access.array], ()))
            case Literal(value) if value.is_integer() and abs(value) >= SHARED:
                numbers.append(int(value))
                return Read(Access(f"number{len(numbers) - 1}", ()))
            case _:
                return part

    value = rewrite(epilogue.value, leaf)
    form = Form(
        value,
        tuple(graph.map(name).element for _, name in epilogue.maps),
        tuple(parameter.element for _, parameter in epilogue.parameters),
        len(numbers),
        epilogue.element,
        layer.accumulator,
    )
    return form, tuple(numbers)
