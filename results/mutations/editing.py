"""Edits of emitted text that find their place by its structure, and say so where there is none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Edit",
    "NotApplicableError",
    "both",
    "everywhere",
    "exchanged_calls",
    "exchanged_loops",
    "fifo_depth",
    "first",
    "inside",
]

if TYPE_CHECKING:
    from typing import TypeAlias

    Edit: TypeAlias = Callable[[str], str]


class NotApplicableError(LookupError):
    """The text has no place for an edit."""


def first(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Edit:
    """Return an edit of the first place that fits a pattern."""

    def edit(text: str) -> str:
        changed, count = re.subn(pattern, new, text, count=1, flags=re.MULTILINE)
        if count == 0 or changed == text:
            raise NotApplicableError(f"no place for {pattern!r}")
        return changed

    return edit


def everywhere(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Edit:
    """Return an edit of all places that fit a pattern."""

    def edit(text: str) -> str:
        changed = re.sub(pattern, new, text, flags=re.MULTILINE)
        if changed == text:
            raise NotApplicableError(f"no place for {pattern!r}")
        return changed

    return edit


def inside(function: str, edit: Edit) -> Edit:
    """Return an edit inside the first function whose name fits a pattern and that has a place."""

    def within(text: str) -> str:
        form = rf"^(?:static )?void (?:{function})\((?:.|\n)*?^\}}"
        for found in re.finditer(form, text, re.MULTILINE):
            try:
                return text[: found.start()] + edit(found[0]) + text[found.end() :]
            except NotApplicableError:
                continue
        raise NotApplicableError(f"no function {function!r} with a place for the edit")

    return within


def both(*edits: Edit) -> Edit:
    """Return one edit after the other."""

    def all_(text: str) -> str:
        for edit in edits:
            text = edit(text)
        return text

    return all_


def fifo_depth(depth_elems: int, *, declared_only: bool = False) -> Edit:
    """Return an edit of the deepest FIFO of the region; its processes take it as it is then."""

    def edit(text: str) -> str:
        form = r"hls::stream<([^;()]*?), (\d+)> (\w+)((?:\[\d+\])*);"
        found = max(re.findall(form, text), key=lambda fifo: int(fifo[1]), default=None)
        if found is None or int(found[1]) <= depth_elems:
            raise NotApplicableError(f"no FIFO is deeper than {depth_elems}")
        element, depth, name, _ = found
        where = r"(?=(?:\[\d+\])*;)" if declared_only else ""
        old = rf"stream<{re.escape(element)}, {depth}> {name}\b{where}"
        return re.sub(old, f"stream<{element}, {depth_elems}> {name}", text)

    return edit


def exchanged_loops(text: str) -> str:
    """Exchange the headers of the outermost and the pipelined loop of a function."""
    nest = text.partition("#pragma HLS pipeline")[0]
    loops = re.findall(r"^ *(for \(int \w+ = 0; .*\) \{)$", nest, re.MULTILINE)
    if nest == text or len(loops) < 2 or loops[0] == loops[-1]:
        raise NotApplicableError("no two loops")
    one, two = loops[0], loops[-1]
    return text.replace(one, "\0", 1).replace(two, one, 1).replace("\0", two, 1)


def exchanged_calls(text: str) -> str:
    """Exchange the last two calls of the region."""
    head, mark, region = text.rpartition("#pragma HLS dataflow")
    calls = re.findall(r"^    \w+\([^;]*\);$", region, re.MULTILINE)
    calls = [call for call in calls if "set_name" not in call]
    if not mark or len(calls) < 2:
        raise NotApplicableError("no two calls")
    one, two = calls[-2:]
    return head + mark + region.replace(one, "\0").replace(two, one).replace("\0", two)
