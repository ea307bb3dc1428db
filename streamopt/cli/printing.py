"""Tables and lines on a terminal or in a pipe: digits are never lost.

A pipe has no width, so tables are as wide as they are. On a narrow terminal words are folded, and
where that isn't enough, whole columns are left out and named.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from streamopt.errors import DesignWarning

if TYPE_CHECKING:
    from rich.table import Column

MOST_OF_A_KIND = 3
"""Warnings that are shown of each kind."""
WORDS = 12
"""Characters to which a column of words may be folded."""
BORDER = 3
"""Characters between two columns."""


def print_tables(*tables: Table) -> None:
    """Print the tables that have rows on stdout."""
    console = Console()
    for table in tables:
        if not table.row_count:
            continue
        if not console.is_terminal:
            widest = console.measure(table, options=console.options.update(width=100_000))
            console.width = max(widest.maximum, len(str(table.title or "")))
            console.print(table)
            continue
        kept, left_out = fitted(table, console.width)
        console.print(kept)
        if left_out:
            typer.echo(f"left out on a narrow terminal: {', '.join(left_out)}")


def fitted(table: Table, width: int) -> tuple[Table, list[str]]:
    """Return a table that fits into a width with all its digits, and the columns left out."""
    columns, left_out = list(table.columns), list[str]()
    while len(columns) > 2 and _least_width(columns) > width:
        numbers = [at for at, column in enumerate(columns) if at and _is_number(column)]
        if not numbers:
            break
        left_out.insert(0, str(columns.pop(numbers[-1]).header))
    kept = Table(title=table.title, show_header=table.show_header)
    for column in columns:
        least = _cell_width(column) if _is_number(column) else None
        kept.add_column(
            column.header,
            justify=column.justify,
            min_width=least,
            no_wrap=_is_number(column),
            overflow="fold",
        )
    for cells in zip(*(column.cells for column in columns), strict=True):
        kept.add_row(*cells)
    return kept, left_out


def _is_number(column: Column) -> bool:
    return column.justify == "right"


def _least_width(columns: Sequence[Column]) -> int:
    """Return the characters that columns take with all their digits."""
    widths = (_cell_width(c) if _is_number(c) else min(WORDS, _cell_width(c)) for c in columns)
    return 1 + sum(width + BORDER for width in widths)


def _cell_width(column: Column) -> int:
    """Return the width of the widest cell, and of the longest word of the name."""
    words = str(column.header).split()
    texts = [*words, *(str(cell) for cell in column.cells)]
    return max((Text.from_markup(text).cell_len for text in texts), default=0)


def print_warnings(warnings: Iterable[DesignWarning]) -> None:
    """Print warnings on stderr, in yellow on a terminal; of each kind the first few."""
    plain = "NO_COLOR" in os.environ or not sys.stderr.isatty()
    for code, group in groupby(warnings, key=lambda warning: warning.code):
        each = list(group)
        lines = [str(warning) for warning in each[:MOST_OF_A_KIND]]
        if more := len(each) - len(lines):
            lines.append(f"{code} {more} more of this kind; --json has all")
        for line in lines:
            typer.secho(f"warning: {line}", fg=None if plain else typer.colors.YELLOW, err=True)
