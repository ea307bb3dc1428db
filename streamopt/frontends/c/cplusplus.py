"""What C++ wraps around C, blanked: every other character keeps its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["without_cplusplus"]

_SCOPES = re.compile(r"\b(?:std|hls)[ ]*::[ ]*")
_LINKAGE = re.compile(r'\bextern\s+"C"(?:\s*\{)?')
_BRACES = re.compile(r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[{}]""")


def without_cplusplus(text: str) -> str:
    """Blank ``std::`` and ``hls::`` before names, and ``extern "C"`` with its braces."""
    if "::" in text:
        text = _SCOPES.sub(lambda found: " " * len(found[0]), text)
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
