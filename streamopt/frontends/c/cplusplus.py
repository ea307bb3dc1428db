"""C++ that is C in other words, written as C; other C++ is refused by its name.

::

    extern "C" { ... }      its text alone
    std::max(a, b)          max(a, b)
    using T = float;        typedef float T;
    static_cast<int>(x)     (int)(x), as int(x)
    float (&a)[8]           float a[8]
    const int &n            const int n
    float &sum              float * _Atomic sum, which the reader takes for a reference
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.frontends.c.places import Places
    from streamopt.frontends.c.problems import Problems

__all__ = ["as_c"]

_BUILT_IN = (
    "_Bool|char|double|float|half|int|long|short|signed|unsigned|size_t|ptrdiff_t|"
    "u?int(?:8|16|32|64)_t"
)
_NAMED = re.compile(r"\btypedef\b[^;]*?\b(\w+)[ ]*(?:\[[^;]*)?;|\busing[ ]+(\w+)[ ]*=")
_ALIAS = re.compile(r"\busing[ ]+(\w+)[ ]*=[ ]*([^;]*);")
_BLANK = re.compile(r"\busing[ ]+namespace[ ]+\w+[ ]*;|\binline[ ]+(?=constexpr\b)")
_SCOPES = re.compile(r"\b(?:std|hls)[ ]*::[ ]*(?!(?:stream|vector|array)\b)")
_LINKAGE = re.compile(r'\bextern\s+"C"(?:\s*\{)?')
_BRACES = re.compile(r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[{}]""")
_ARRAY_REFERENCE = re.compile(r"\([ ]*&[ ]*(\w+)[ ]*\)(?=[ ]*\[)")
_STATIC_CAST = re.compile(r"\bstatic_cast[ ]*<([^<>;(){}]*)>")

_REFUSED = (
    (r"\btemplate\s*<", "a template", "write the function for the types that it is used with"),
    (r"\b(?:class|struct)\s+\w+[^;(){}]*\{[^}]*\(", "a class", "use functions and arrays"),
    (r"\bnamespace\s+\w+\s*\{", "a namespace", "put its functions outside"),
    (r"\bauto\b", "auto", "name the type"),
    (r"\bap_(?:u?int|u?fixed)\s*<", "a type of arbitrary width", "use int16_t, int32_t or float"),
    (r"\bhls\s*::\s*stream\b", "hls::stream", "pass arrays: channels are chosen by the schedule"),
    (r"\b(?:std|hls)\s*::\s*(?:vector|array)\b", "a container", "use arrays: float x[N]"),
)
_REFUSED_PATTERNS = tuple((re.compile(pattern), what, hint) for pattern, what, hint in _REFUSED)


@dataclass(frozen=True, slots=True)
class _Edit:
    """Text that takes the place of other text of the same line."""

    start: int
    end: int
    text: str


def as_c(text: str, places: Places, problems: Problems) -> str:
    """Return C++ as C; the places of what moves within its line are kept.

    What has no counterpart is reported (E135).
    """
    for pattern, what, hint in _REFUSED_PATTERNS:
        for found in pattern.finditer(text):
            loc = places.loc(*_position(text, found.start()))
            problems.report("E135", f"{what} is not supported", loc, hint)
    text = _without_linkage(text)
    for pattern in (_BLANK, _SCOPES):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    named = {name for found in _NAMED.finditer(text) for name in found.groups() if name}
    types = "|".join([_BUILT_IN, *map(re.escape, sorted(named))])
    text = _edited(text, [*_rewritten(text)], places)
    text = _edited(text, [*_casts(text, types)], places)
    return _edited(text, [*_references(text, types)], places)


def _rewritten(text: str) -> Iterator[_Edit]:
    for found in _ALIAS.finditer(text):
        yield _Edit(found.start(), found.end(), f"typedef {found[2].strip()} {found[1]};")
    for found in _ARRAY_REFERENCE.finditer(text):
        yield _Edit(found.start(), found.end(), found[1].center(len(found[0])))
    for found in _STATIC_CAST.finditer(text):
        yield _Edit(found.start(), found.end(), f"({found[1]})")


def _casts(text: str, types: str) -> Iterator[_Edit]:
    """Yield edits for ``type(x)``: after an operator, and not before ``(*`` or ``)(``."""
    pattern = rf"(?<=[-+*/%=<>?:&|,(\[])([ ]*)({types})[ ]*(?=\((?![ ]*\*)[^)])"
    for found in re.finditer(pattern, text):
        yield _Edit(found.start(2), found.end(), f"({found[2]})")
    for found in re.finditer(rf"\breturn[ ]+({types})[ ]*(?=\()", text):
        yield _Edit(found.start(1), found.end(), f"({found[1]})")


def _references(text: str, types: str) -> Iterator[_Edit]:
    pattern = rf"(\bconst[ ]+)?\b(?:{types})([ ]+const)?[ ]*(&)[ ]*\w+[ ]*(?=[,)=;])"
    for found in re.finditer(pattern, text):
        is_const = bool(found[1] or found[2])
        is_local = text[found.end()] in "=;"
        mark = " " if is_const and not is_local else "* _Atomic "
        yield _Edit(found.start(3), found.end(3), mark)


def _edited(text: str, edits: list[_Edit], places: Places) -> str:
    """Return the text with edits made, and move the spots behind them."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        line, column = _position(text, edit.end)
        text = text[: edit.start] + edit.text + text[edit.end :]
        places.shift(line, column, len(edit.text) - (edit.end - edit.start))
    return text


def _position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _without_linkage(text: str) -> str:
    """Blank ``extern "C"`` with its braces."""
    linkages = list(_LINKAGE.finditer(text))
    if not linkages:
        return text
    blanks = [(found.start(), found.end()) for found in linkages]
    opened = {found.end() - 1 for found in linkages if found[0].endswith("{")}
    blanks += [(end, end + 1) for end in _ends(text, opened)]
    characters = list(text)
    for start, end in blanks:
        for position in range(start, end):
            characters[position] = "\n" if characters[position] == "\n" else " "
    return "".join(characters)


def _ends(text: str, opened: set[int]) -> Iterator[int]:
    """Yield where the braces close that open at the given places."""
    stack: list[int] = []
    for found in _BRACES.finditer(text):
        if found[0] == "{":
            stack.append(found.start())
        elif found[0] == "}" and stack and stack.pop() in opened:
            yield found.start()
