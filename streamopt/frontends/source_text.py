"""Sources as text for people: C's loops, with the expressions of graph.json inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.graph_json.text import expression_text
from streamopt.ir.expression import Binary, BinaryOp, Read
from streamopt.ir.source import Assign, Branch, RangeLoop

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.affine import Affine
    from streamopt.ir.source import Item

__all__ = ["source_text"]


def source_text(body: Sequence[Item], notes: Mapping[str, str]) -> str:
    """Return loops and statements as text, two columns a level.

    Parameters
    ----------
    notes
        By iterator: what is said behind the head of its loop.
    """
    return "\n".join(_lines(body, "", notes))


def _lines(items: Sequence[Item], indent: str, notes: Mapping[str, str]) -> Iterator[str]:
    for item in items:
        match item:
            case RangeLoop(iterator, lower, upper, body):
                low, high = _bound("max", lower), _bound("min", upper)
                head = f"{indent}for ({iterator} = {low}; {iterator} < {high}; {iterator}++)"
                note = notes.get(iterator, "")
                yield f"{head}  // {note}" if note else head
                yield from _lines(body, f"{indent}  ", notes)
            case Branch(condition, then, otherwise):
                yield f"{indent}if ({expression_text(condition)})"
                yield from _lines(then, f"{indent}  ", notes)
                if otherwise:
                    yield f"{indent}else"
                    yield from _lines(otherwise, f"{indent}  ", notes)
            case Assign():
                yield f"{indent}{_assignment(item)}"


def _bound(function: str, bounds: Sequence[Affine]) -> str:
    if len(bounds) == 1:
        return str(bounds[0])
    return f"{function}({', '.join(map(str, bounds))})"


def _assignment(assign: Assign) -> str:
    label = f"{assign.label}: " if assign.label else ""
    match assign.value:
        case Binary(BinaryOp.ADD | BinaryOp.MUL as op, Read(access), term) if (
            access == assign.target
        ):
            return f"{label}{assign.target} {op}= {expression_text(term)}"
        case _:
            return f"{label}{assign.target} = {expression_text(assign.value)}"
