"""The lines of a node's source, as far as its place is known and the file can be read."""

from collections.abc import Iterable
from pathlib import Path

from streamopt.errors import SourceLoc, reason
from streamopt.files import read_text
from streamopt.ir.graph import Node
from streamopt.report.design_document import SourceExcerpt

AROUND = 6
"""Lines shown before and after a node's own."""


def source_excerpts(nodes: Iterable[Node]) -> dict[str, SourceExcerpt]:
    """Return, by node, its place, and the lines around it or why there are none.

    A place is told without folders, so that a report is the same wherever it was made.
    """
    read: dict[str, tuple[str, ...] | str] = {}
    return {node.name: _place(node.loc, read) for node in nodes}


def _place(loc: SourceLoc | None, read: dict[str, tuple[str, ...] | str]) -> SourceExcerpt:
    if loc is None:
        return SourceExcerpt(missing="It was made by a rewrite, or its program has no file.")
    name = Path(loc.file).name
    if loc.line is None:
        words = f"{name} doesn't say which lines of a source its loops come from; a report that is "
        words += "made from the source itself shows them."
        return SourceExcerpt(missing=words)
    place = f"{name}:{loc.line}"
    if loc.file not in read:
        try:
            read[loc.file] = tuple(read_text(loc.file).splitlines())
        except (OSError, ValueError) as error:
            read[loc.file] = reason(error)
    lines = read[loc.file]
    if isinstance(lines, str) or not 0 < loc.line <= len(lines):
        why = lines if isinstance(lines, str) else f"it has no line {loc.line} any more"
        return SourceExcerpt(place, missing=f"{name} can't be shown: {why}.")
    first = max(1, loc.line - AROUND)
    return SourceExcerpt(place, first, loc.line, lines[first - 1 : loc.line + AROUND])
