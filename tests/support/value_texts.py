"""Sources and programs in the middle of restructuring as text, a statement or nest a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.program import Program, nest_text
from streamopt.ir.source import Source, source_text
from streamopt.ir.text import expression_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.analysis.instances import StatementInstance
    from streamopt.ir.source import RangeLoop
    from streamopt.transforms.restructure.flat_source import FlatSource

__all__ = ["value_text"]


def value_text(value: Source | FlatSource | Program) -> str:
    """Return the text of what a restructuring pass takes or makes."""
    match value:
        case Source():
            return source_text(value.body, {})
        case Program():
            reasons = (f"{n.name or 'it'} is in order: {n.reason}" for n in value.nests if n.reason)
            return "\n".join([str(value), *reasons])
        case _:
            return "\n".join(_flat_lines(value))


def _flat_lines(source: FlatSource) -> Iterator[str]:
    for variable in source.variables.values():
        if source.is_private(variable.name):
            extents = "".join(f"[{extent}]" for extent in variable.shape)
            yield f"local {variable.name}{extents}: {variable.element}"
    yield from map(_instance_text, source.statements)


def _instance_text(instance: StatementInstance) -> str:
    guards = " and ".join(map(expression_text, instance.guards))
    text = f"{instance.target} = {expression_text(instance.assign.value)}"
    guarded = f"if {guards}: {text}" if guards else text
    return nest_text("", map(_loop_text, instance.loops), [guarded], None).removeprefix(": ")


def _loop_text(loop: RangeLoop) -> str:
    low, high = _bound_text("max", loop.lower), _bound_text("min", loop.upper)
    return f"{loop.iterator} {high}" if low == "0" else f"{loop.iterator} from {low} to {high}"


def _bound_text(function: str, ends: tuple[object, ...]) -> str:
    texts = ", ".join(map(str, ends))
    return texts if len(ends) == 1 else f"{function}({texts})"
