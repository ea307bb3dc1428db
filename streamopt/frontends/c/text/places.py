"""From a place in the preprocessed text back to the file that the user wrote."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from pycparser.c_parser import Coord

from streamopt.errors import SourceLoc


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a token came from."""

    column: int
    """In the preprocessed text, from 1."""
    file: str
    """Key of the file's text."""
    line: int
    """Line of the token, or of the macro call that made it, from 1."""
    offset: int
    """Offset in the file's text; -1 for a token out of a macro's body."""
    macro: str
    """The outermost macro that made the token; empty if none."""


@dataclass(frozen=True, slots=True)
class OriginalText:
    """A file as read: the name that the user knows it by, and where its lines begin."""

    name: str
    text: str
    starts: tuple[int, ...]

    @staticmethod
    def of(name: str, text: str) -> OriginalText:
        """Return the text with its line starts."""
        starts, position = [0], 0
        for line in text.split("\n"):
            position += len(line) + 1
            starts.append(position)
        return OriginalText(name, text, tuple(starts))

    def line(self, number: int) -> str:
        """Return a line, counted from 1, without its end; empty if there is none."""
        if not 1 <= number < len(self.starts):
            return ""
        return self.text[self.starts[number - 1] : self.starts[number] - 1]


@dataclass(frozen=True, slots=True)
class Places:
    """The tokens of every line of the preprocessed text."""

    main: str
    files: Mapping[str, OriginalText]
    rows: list[list[Spot]] = field(default_factory=list[list[Spot]])
    """The spots of each line, by column; lines without tokens have none."""

    def loc(self, line: int, column: int) -> SourceLoc:
        """Return the original place of a place in the preprocessed text, both from 1."""
        spots = self.rows[line - 1] if 0 < line <= len(self.rows) else []
        if not spots:
            return self._near(line)
        index = max(0, bisect_right(spots, column, key=lambda spot: spot.column) - 1)
        return self._original(spots[index])

    def of(self, coordinate: Coord | None) -> SourceLoc:
        """Return the original place of pycparser's coordinate, of the file if it has none."""
        if coordinate is None:
            return self.loc(0, 1)
        return self.loc(coordinate.line, coordinate.column or 1)

    def shift(self, line: int, moves: Sequence[tuple[int, int]]) -> None:
        """Move the spots of a line of the preprocessed text, from 1.

        A move is a column and by how much the spots from there on are moved; columns rise.
        """
        row = self.rows[line - 1]
        waiting = [*reversed(moves)]
        by = 0
        for at, spot in enumerate(row):
            while waiting and waiting[-1][0] <= spot.column:
                by += waiting.pop()[1]
            if by:
                row[at] = replace(spot, column=spot.column + by)

    def _near(self, line: int) -> SourceLoc:
        """Return the place of the last token before a line, or the file itself."""
        for spots in reversed(self.rows[: max(0, line)]):
            if spots:
                return self._original(spots[-1])
        original = self.files.get(self.main)
        return SourceLoc(self.main if original is None else original.name)

    def _original(self, spot: Spot) -> SourceLoc:
        original = self.files.get(spot.file)
        if original is None:
            return SourceLoc(spot.file, line=spot.line)
        if spot.offset >= 0:
            line = bisect_right(original.starts, spot.offset)
            return SourceLoc(
                original.name, line=line, column=spot.offset - original.starts[line - 1] + 1
            )
        found = original.line(spot.line).find(spot.macro) if spot.macro else -1
        return SourceLoc(original.name, line=spot.line, column=found + 1 if found >= 0 else None)


Edit: TypeAlias = tuple[int, int, str]
"""Start and end of text, and other text of the same line that takes its place."""


def edited(text: str, edits: Iterable[Edit], places: Places) -> str:
    """Return the text with edits, each of one line, made; the spots behind them are moved."""
    parts: list[str] = []
    shifts: dict[int, list[tuple[int, int]]] = {}
    line, start, end = 1, 0, 0
    for first, last, new in sorted(edits, key=lambda edit: edit[0]):
        if first < end:
            continue
        parts += [text[end:first], new]
        line += text.count("\n", end, last)
        start = max(start, text.rfind("\n", end, last) + 1)
        end = last
        shifts.setdefault(line, []).append((end - start + 1, len(new) - (last - first)))
    for line, moved in shifts.items():
        places.shift(line, moved)
    return "".join([*parts, text[end:]])


def position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
