"""Short ways to read C in tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from streamopt.frontends.c import read_c
from streamopt.ir.source import Assign, Branch, RangeLoop, Source

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.expression import Expression
    from streamopt.ir.source import Item

__all__ = ["bare", "body", "read", "value", "written"]


def written(folder: Path, text: str, name: str = "code.c") -> Path:
    """Return the path of a new file with that text."""
    path = folder / name
    path.write_text(text)
    return path


def read(folder: Path, text: str, **options: Any) -> Source:
    """Return what is read from a text."""
    return read_c(written(folder, text), **options)


def bare(item: Item) -> Item:
    """Return an item without places."""
    match item:
        case RangeLoop():
            return replace(item, body=tuple(map(bare, item.body)), loc=None)
        case Branch():
            then, otherwise = (tuple(map(bare, part)) for part in (item.then, item.otherwise))
            return replace(item, then=then, otherwise=otherwise, loc=None)
        case Assign():
            return replace(item, loc=None)


def body(folder: Path, statements: str, **options: Any) -> tuple[Item, ...]:
    """Return the items of statements on A[8][8], x[8], n[8] (int), d (double) and *out."""
    head = "void f(float A[8][8], float x[8], int n[8], double d, const float s, float *out)"
    return tuple(map(bare, read(folder, f"{head} {{\n{statements}\n}}", **options).body))


def value(folder: Path, expression: str) -> Expression:
    """Return the value that is assigned to x[0]."""
    (item,) = body(folder, f"x[0] = {expression};")
    assert isinstance(item, Assign)
    return item.value
