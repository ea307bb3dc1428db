"""Names that a user may give to arrays, nodes, iterators and temporaries."""

import json
import keyword
import reprlib
from collections.abc import Iterable
from difflib import get_close_matches

from streamopt.ir.element import ElementType
from streamopt.ir.expression import Function

NAME_PATTERN = r"^_?[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*_?$"
"""An ASCII identifier without two underscores in a row: those join the names of channels."""

TITLE_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_-]*$"
"""The name of a whole program, which may begin with a digit, as in 3mm."""

INDEX = "index"
"""Function that makes a value of a sum of iterators."""

FIXED = "ap_fixed"
"""Function that converts to fixed point: ``ap_fixed(x, 16, 6)``."""

SIZED = (FIXED, "ap_int", "ap_uint")
"""Functions that convert to a type whose widths they are given: ``ap_int(x, 4)``."""

INFINITY = "inf"
"""The number beyond all others, as masks have it: ``x[i] if m[i] > 0 else -inf``."""

FUNCTIONS = (
    *(function.value for function in Function),
    "relu",
    "sigmoid",
    INDEX,
    *SIZED,
    *ElementType,
)
"""Functions that a statement may call; a type converts its argument."""

_CPP_WORDS = """
    alignas alignof asm auto bool break case catch char class concept const constexpr const_cast
    continue decltype default delete do double dynamic_cast else enum explicit export extern
    false float for friend goto if inline int long mutable namespace new noexcept nullptr
    operator private protected public register reinterpret_cast requires return short signed
    sizeof static static_assert static_cast struct switch template this throw true try typedef
    typeid typename union unsigned using virtual void volatile wchar_t while
"""


def is_reserved(name: str) -> bool:
    """Return whether a name means something to Python, to C++ or to the statements' syntax."""
    words = (*_CPP_WORDS.split(), *FUNCTIONS, INFINITY)
    return keyword.iskeyword(name) or name in words


def quoted(value: object) -> str:
    """Return a value from the input for a message: quoted, printable and not too long."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    shortener = reprlib.Repr()
    shortener.maxstring = shortener.maxother = shortener.maxlong = 60
    return shortener.repr(value)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint that names the closest known name, or all of them; empty if there are none."""
    names = sorted(known)
    close = get_close_matches(name[:200], names[:1000], n=1)
    if close:
        return f"did you mean {quoted(close[0])}?"
    if not names:
        return ""
    listed = ", ".join(names[:12])
    return f"known here: {listed}{', ...' if len(names) > 12 else ''}"


def path_of(parts: Iterable[str | int]) -> str:
    """Return the path of a value in a JSON document.

    >>> path_of(["nodes", 0, "loops", "i"])
    'nodes[0].loops.i'
    """
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part.isascii() and part.isidentifier() and len(part) <= 100:
            path += f".{part}" if path else part
        else:
            path += f"[{quoted(part)}]"
    return path
