"""Files of a project that differ from what streamopt emits for its graph and schedule.

A run compares values. What makes a design fast or small changes none: a pragma, the depth of a FIFO
that holds enough all the same, the clock. So the design is emitted again, and lines are compared,
but for comments: they name the source, which is another file when a project is emitted again.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SourceLoc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from streamopt.codegen.design import Design

__all__ = ["edits_of"]

_SHOWN = 20
_MATCHED_LINES = 4000
"""More lines that differ at once are told as one place."""
_HINT = "emit the project again, or verify with --allow-edits if it was changed on purpose"


def edits_of(directory: Path, design: Design) -> tuple[Diagnostic, ...]:
    """Return E728 for each place where a file differs from the design's, the first ones."""
    found: list[Diagnostic] = []
    for path, text in design.files:
        try:
            there = (directory / path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            found.append(Diagnostic("E728", "the file is missing", SourceLoc(path)))
            continue
        if there != text:
            found += _edits(path, _lines(text), _lines(there))
    if len(found) > _SHOWN:
        message = f"and {len(found) - _SHOWN} more places differ from what was emitted"
        found[_SHOWN:] = [Diagnostic("E728", message)]
    return (*found[:-1], *(replace(last, hint=_HINT) for last in found[-1:]))


def _lines(text: str) -> list[str]:
    """Return the lines of a file, its comments without their words."""
    return ["//" if _is_comment(line) else line for line in text.splitlines()]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("//") and not line.endswith("\\")


def _edits(path: str, emitted: Sequence[str], there: Sequence[str]) -> Iterator[Diagnostic]:
    same = min(len(emitted), len(there))
    start = next((at for at in range(same) if emitted[at] != there[at]), same)
    end = next(
        (at for at in range(same - start) if emitted[-1 - at] != there[-1 - at]), same - start
    )
    old, new = emitted[start : len(emitted) - end], there[start : len(there) - end]
    blocks = [("replace", 0, len(old), 0, len(new))]
    if len(old) + len(new) <= _MATCHED_LINES:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for kind, first, last, from_, to in blocks:
        if kind != "equal":
            place = SourceLoc(path, line=start + from_ + 1)
            message = f"expected {_shown(old[first:last])}, found {_shown(new[from_:to])}"
            yield Diagnostic("E728", message, place)


def _shown(lines: Sequence[str]) -> str:
    if not lines:
        return "nothing"
    more = f" and {len(lines) - 1} more lines" if len(lines) > 1 else ""
    return f"`{lines[0].strip()}`{more}"
