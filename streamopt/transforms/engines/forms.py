"""Epilogues without their numbers, so that layers of one form share one piece of hardware."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from streamopt.ir.engines.layers import SUM, Layer, LayerGraph
from streamopt.ir.engines.table import Form
from streamopt.ir.expression import Access, Expression, Literal, Read, rewrite

LEAST, MOST = 2, 2**31 - 1
"""Numbers between these may differ from layer to layer: 0 and 1 are wires, others too wide."""
NUMBER = "number"


@dataclass(frozen=True, slots=True)
class FormUse:
    """The form of a layer's epilogue, by its place among all, and the numbers of the layer."""

    form: int
    numbers: tuple[int, ...]


def forms_of(graph: LayerGraph) -> tuple[tuple[Form, ...], tuple[FormUse, ...]]:
    """Return the forms of all epilogues, and which each layer has: (S7).

    Numbers in which layers of one form agree, and floating-point ones, stay in it.
    """
    found = [_form_of(layer, graph) for layer in graph.layers]
    forms = tuple(dict.fromkeys(form for form, _ in found))
    kept: list[Form] = []
    places: dict[Form, tuple[int, ...]] = {}
    for form in forms:
        columns = list(zip(*(numbers for own, numbers in found if own == form), strict=True))
        places[form] = tuple(at for at, column in enumerate(columns) if len(set(column)) > 1)
        kept.append(_with_numbers(form, columns))
    uses = (
        FormUse(forms.index(form), tuple(numbers[at] for at in places[form]))
        for form, numbers in found
    )
    return tuple(kept), tuple(uses)


def _with_numbers(form: Form, columns: Sequence[tuple[int, ...]]) -> Form:
    """Return a form with the numbers in which all its layers agree."""
    replaced: dict[str, Expression] = {}
    count = 0
    for at, column in enumerate(columns):
        if len(set(column)) == 1:
            replaced[f"{NUMBER}{at}"] = Literal(float(column[0]))
        else:
            replaced[f"{NUMBER}{at}"] = Read(Access(f"{NUMBER}{count}", ()))
            count += 1

    def leaf(part: Expression) -> Expression:
        return replaced.get(part.access.array, part) if isinstance(part, Read) else part

    return replace(form, value=rewrite(form.value, leaf), numbers=count)


def _form_of(layer: Layer, graph: LayerGraph) -> tuple[Form, tuple[int, ...]]:
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
            case Literal(value) if is_number(value):
                numbers.append(int(value))
                return Read(Access(f"{NUMBER}{len(numbers) - 1}", ()))
            case _:
                return part

    def is_number(value: float) -> bool:
        is_whole = not layer.accumulator.is_float and value.is_integer()
        return is_whole and LEAST <= abs(value) <= MOST

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
