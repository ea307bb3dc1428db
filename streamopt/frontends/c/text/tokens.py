"""Tokens of the preprocessor, with numbers in one piece: ``0.5f``, ``1e-5``, ``10ULL``.

pcpp's own lexer takes numbers apart, so that macros could change their ends; this one is also
faster. Token types and methods are those that pcpp asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pcpp import parser

_ESCAPED = re.compile(r"\\(.)")
_TEXTS = {
    name.removeprefix("t_"): _ESCAPED.sub(r"\1", text)
    for name, text in vars(parser).items()
    if name.startswith("t_CPP_") and isinstance(text, str)
}
_PUNCTUATION: Mapping[str, str] = {
    text: name
    for name, text in sorted(_TEXTS.items(), key=lambda item: -len(item[1]))
    if not re.search(r"\w", text)
}
"""pcpp's names of operators and brackets, the longest first."""

_TOKEN = re.compile(
    r"""(?P<CPP_WS>[ \t]+|\n)
    |(?P<CPP_ID>[A-Za-z_]\w*)
    |(?P<NUMBER>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<CPP_COMMENT1>/\*.*?\*/)
    |(?P<CPP_COMMENT2>//[^\n]*)
    |(?P<CPP_LINECONT>\\[ \t]*\n)
    |(?P<CPP_STRING>"(?:[^"\\\n]|\\.)*")
    |(?P<CPP_CHAR>L?'(?:[^'\\\n]|\\.)*')
    |(?P<PUNCTUATION>"""
    + "|".join(map(re.escape, _PUNCTUATION))
    + r""")
    |(?P<OTHER>.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_INTEGER = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*\Z", re.ASCII)
_CONTINUED = re.compile(r"\\[ \t]*\n")


@dataclass(slots=True)
class Token:
    """A token; pcpp changes its parts."""

    type: str | None
    value: str
    lineno: int
    lexpos: int
    """Offset in its file; -1 where it comes out of the body of a macro."""
    source: str = ""
    """The file."""
    expanded_from: list[str] = field(default_factory=list[str])
    """Macros that it went through, innermost first."""

    def __copy__(self) -> Token:
        """Return a copy that shares nothing."""
        parts = self.type, self.value, self.lineno, self.lexpos, self.source
        return Token(*parts, self.expanded_from.copy())


class Lexer:
    """Cuts text into tokens, one at a call of `token`."""

    def __init__(self) -> None:
        self.lineno = 1
        self._tokens: Iterator[Token] = iter(())

    def clone(self) -> Lexer:
        """Return another lexer."""
        return Lexer()

    def input(self, text: str) -> None:
        """Begin with a text."""
        self._tokens = self._cut(text)

    def token(self) -> Token | None:
        """Return the next token, None after the last."""
        return next(self._tokens, None)

    def _cut(self, text: str) -> Iterator[Token]:
        for found in _TOKEN.finditer(text):
            kind, value, line = found.lastgroup or "OTHER", found[0], self.lineno
            match kind:
                case "PUNCTUATION":
                    kind = _PUNCTUATION[value]
                case "NUMBER":
                    kind = "CPP_INTEGER" if _INTEGER.match(value) else "CPP_FLOAT"
                case "CPP_LINECONT":
                    self.lineno += 1
                    value = value[1:-1]
                case "OTHER":
                    kind = value
                case "CPP_ID":
                    pass
                case _:
                    self.lineno += value.count("\n")
                    if kind == "CPP_STRING":
                        value = _CONTINUED.sub("", value)
            yield Token(kind, value, line, found.start())
