"""Sources and programs in the middle of restructuring as text, a statement or nest a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.program import Program
from streamopt.ir.source import Source, source_text
from streamopt.ir.text import expression_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.analysis.instances import StatementInstance
    from streamopt.ir.program import Nest
    from streamopt.ir.source import RangeLoop
    from streamopt.transforms.restructure.flat_source import FlatSource

__all__ = ["value_text"]


def value_text(value: Source | FlatSource | Program) -> str:
    """Return the text of what a restructuring pass takes or makes."""
    match value:
        case Source():
            return source_text(value.body, {})
        case Program():
            return "\n".join(_program_lines(value))
        case _:
            return "\n".join(_flat_lines(value))


def _program_lines(program: Program) -> Iterator[str]:
    for array in program.arrays:
        extents = "".join(f"[{extent}]" for extent in array.shape)
        yield f"{array.role.value} {array.element} {array.name}{extents}"
    for nest in program.nests:
        yield from _nest_lines(nest)


def _nest_lines(nest: Nest) -> Iterator[str]:
    """Yield a nest: a line if it streams, else one more for each statement, with the reason."""
    head = f"{nest.name}: " if nest.name else ""
    head += " ".join(f"{loop.name}<{loop.trip_count}" for loop in nest.loops)
    texts = [text for statement in nest.statements for text in statement.texts]
    if not nest.sequential:
        yield f"{head}: {'; '.join(texts)}"
        return
    begin = "".join(f", {array} begins as {source}" for array, source in nest.carries)
    yield f"{head} in order{begin}:  # {nest.reason}"
    yield from (f"  {text}" for text in texts)


def _flat_lines(source: FlatSource) -> Iterator[str]:
    for variable in source.variables.values():
        if source.is_private(variable.name):
            extents = "".join(f"[{extent}]" for extent in variable.shape)
            yield f"local {variable.element} {variable.name}{extents}"
    yield from map(_instance_text, source.statements)


def _instance_text(instance: StatementInstance) -> str:
    loops = " ".join(map(_loop_text, instance.loops))
    guards = " and ".join(map(expression_text, instance.guards))
    value = expression_text(instance.assign.value)
    head = f"{loops}: " if loops else ""
    return f"{head}{f'if {guards}: ' if guards else ''}{instance.target} = {value}"


def _loop_text(loop: RangeLoop) -> str:
    low, high = _bound_text("max", loop.lower), _bound_text("min", loop.upper)
    return f"{loop.iterator}<{high}" if low == "0" else f"{low}<={loop.iterator}<{high}"


def _bound_text(function: str, ends: tuple[object, ...]) -> str:
    texts = ", ".join(map(str, ends))
    return texts if len(ends) == 1 else f"{function}({texts})"
