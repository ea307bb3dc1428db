"""Tables for notebooks, which show what a value's ``_repr_html_`` returns."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["html_table"]


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; whole numbers get separators of thousands and stand to the right.

    Examples
    --------
    >>> html_table("t", ("a",), [(1234,)])
    '<table><caption>t</caption><tr><th>a</th></tr><tr><td align="right">1,234</td></tr></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    top = f"<tr>{head}</tr>" if header else ""
    return f"<table><caption>{escape(caption)}</caption>{top}{body}</table>"


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f'<td align="right">{value:,}</td>'
    return f"<td>{escape(str(value))}</td>"
