"""Edits of text within its lines, which the places of its tokens follow."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from streamopt.frontends.c.text.places import Places

Edit: TypeAlias = tuple[int, int, str]
"""Start and end of text, and other text of the same line that takes its place."""


def edited(text: str, edits: Iterable[Edit], places: Places) -> str:
    """Return the text with edits, each of one line, made; the spots behind them are moved."""
    starts = line_starts(text)
    parts: list[str] = []
    shifts: dict[int, list[tuple[int, int]]] = {}
    end = 0
    for first, last, new in sorted(edits, key=lambda edit: edit[0]):
        if first < end:
            continue
        parts += [text[end:first], new]
        end = last
        line, column = position(end, starts)
        shifts.setdefault(line, []).append((column, len(new) - (last - first)))
    for line, moved in shifts.items():
        places.shift(line, moved)
    return "".join([*parts, text[end:]])


def line_starts(text: str) -> list[int]:
    """Return the offsets at which lines begin."""
    return [0, *(found.end() for found in re.finditer("\n", text))]


def position(offset: int, starts: Sequence[int]) -> tuple[int, int]:
    """Return line and column of an offset, both from 1."""
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1
