"""Pragmas of Vitis HLS, as C99 writes pragmas: their macros are expanded, and nodes say them.

::

    #pragma HLS pipeline II=N    _Pragma("HLS pipeline II=4"), where N is a macro of 4
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamopt.frontends.c.text.places import Edit, edited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.frontends.c.text.places import Places

_LINE = re.compile(
    r"^([ \t]*)#[ \t]*pragma[ \t]+(?:HLS|hls)\b((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE
)
_MARKED = re.compile(r"\bhls_pragma_begin\b([^\n]*?)\bhls_pragma_end\b")


def marked_pragmas(text: str) -> str:
    """Return text whose HLS pragmas are words, so that macros in them are expanded."""

    def words(found: re.Match[str]) -> str:
        lines = found[2].count("\n")
        said = found[2].replace("\\\n", " ").partition("//")[0]
        return f"{found[1]}hls_pragma_begin {said} hls_pragma_end" + "\n" * lines

    return _LINE.sub(words, text)


def with_pragmas(text: str, places: Places) -> str:
    """Return preprocessed text with pragmas in place of what `marked_pragmas` wrote."""

    def edits() -> Iterator[Edit]:
        for found in _MARKED.finditer(text):
            said = re.sub(r'["\\]', " ", found[1]).strip()
            yield found.start(), found.end(), f'_Pragma("HLS {said}")'

    return edited(text, edits(), places)
