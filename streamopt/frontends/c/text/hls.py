"""Words of Vitis HLS in C++, written so that a parser of C takes them.

::

    #pragma HLS pipeline II=N    _Pragma("HLS pipeline II=4"), where N is a macro of 4
    hls::stream<float, 2> &x     struct hls_stream_2_float  x
    ap_uint<12> x                uint16_t x
    std::max<int>(a, b)          max(a, b)
"""

import re
from collections.abc import Iterator

from streamopt.frontends.c.text.edits import edited
from streamopt.frontends.c.text.places import Places

STREAM = "hls_stream_"
"""How the tags of streams begin: a depth, 0 where none is said, and the element follow."""

_LINE = re.compile(
    r"^([ \t]*)#[ \t]*pragma[ \t]+(?:HLS|hls)\b((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE
)
_MARKED = re.compile(r"\bhls_pragma_begin\b([^\n]*?)\bhls_pragma_end\b")
_STREAM = re.compile(
    r"\b(?:hls|tapa)[ ]*::[ ]*i?o?stream[ ]*<[ ]*([\w: ]+?(?:<[\w, ]*>)?)[ ]*(?:,[ ]*(\d+)[ ]*)?>"
    r"([ ]*&)?"
)
_WHOLE = re.compile(r"\bap_(u?)int[ ]*<[ ]*(\d+)[ ]*>")
_FUNCTION = re.compile(r"\b(max|min|abs)[ ]*(<[\w ]+>)[ ]*(?=\()")
_DECLARED = re.compile(r"\bstruct[ ]+hls_stream_\w+[^;{}]*;")
_NAME = re.compile(r"(?<=\w)[ ]*\([ ]*\"[^\"\n]*\"[ ]*\)")
_WIDTHS = (8, 16, 32, 64)


def marked_pragmas(text: str) -> str:
    """Return text whose HLS pragmas are words, so that macros in them are expanded."""

    def words(found: re.Match[str]) -> str:
        lines = found[2].count("\n")
        said = found[2].replace("\\\n", " ").partition("//")[0]
        return f"{found[1]}hls_pragma_begin {said} hls_pragma_end" + "\n" * lines

    return _LINE.sub(words, text)


def hls_as_cpp(text: str, places: Places) -> str:
    """Return preprocessed HLS C++ without the words of HLS, their places kept."""
    text = edited(text, _whole_numbers(text), places)
    text = edited(text, _rewritten(text), places)
    return edited(text, _names(text), places)


def _whole_numbers(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _WHOLE.finditer(text):
        width = next((bits for bits in _WIDTHS if int(found[2]) <= bits), 64)
        yield found.start(), found.end(), f"{found[1]}int{width}_t"


def _names(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield edits that take the names from constructors: ``stream s("s")``."""
    for declared in _DECLARED.finditer(text):
        for found in _NAME.finditer(text, declared.start(), declared.end()):
            yield found.start(), found.end(), ""


def _rewritten(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _MARKED.finditer(text):
        said = re.sub(r'["\\]', " ", found[1]).strip()
        yield found.start(), found.end(), f'_Pragma("HLS {said}")'
    for found in _STREAM.finditer(text):
        element = re.sub(r"\W+", "__", found[1].strip())
        yield found.start(), found.end(), f"struct {STREAM}{found[2] or 0}_{element} "
    for found in _FUNCTION.finditer(text):
        yield found.start(2), found.end(2), ""
