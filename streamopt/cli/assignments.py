"""Options of the form ``NAME=VALUE``, with an error that names the option."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, FrontendError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["integers", "listed", "macros", "ports", "shapes"]


def listed(texts: Sequence[str] | None) -> list[str]:
    """Return the words of an option that is given several times, or once with commas.

    Examples
    --------
    >>> listed(["opt1,opt5", "opt6"]), listed(["A=m_axi:HBM[0,1],B=axis"])
    (['opt1', 'opt5', 'opt6'], ['A=m_axi:HBM[0,1]', 'B=axis'])
    """
    parts = [part for text in texts or () for part in re.split(r",(?![^\[]*\])", text)]
    return [part.strip() for part in parts if part.strip()]


def macros(texts: Sequence[str]) -> dict[str, str]:
    """Return macros by name; one without a value is 1, as compilers have it."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not name.isidentifier():
            raise _refused("-D", text, "-D NAME or -D NAME=VALUE")
        found[name] = value if sign else "1"
    return found


def integers(texts: Sequence[str]) -> dict[str, int]:
    """Return whole numbers by name."""
    found: dict[str, int] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name.isidentifier() or not re.fullmatch(r"-?[0-9]{1,18}", value, re.ASCII):
            raise _refused("--param", text, "--param NAME=10")
        found[name] = int(value)
    return found


def ports(texts: Sequence[str]) -> dict[str, str]:
    """Return kinds of ports by array."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value:
            raise _refused("--port", text, "--port A=m_axi:HBM[3]")
        found[name] = value
    return found


def shapes(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return extents by name."""
    found: dict[str, tuple[int, ...]] = {}
    for text in (part for given in texts for part in re.split(r",(?=[^,=]*=)", given)):
        name, _, value = text.rpartition("=")
        if not name or not re.fullmatch(r"[0-9]{1,18}(?:[x,][0-9]{1,18})*", value, re.ASCII):
            raise _refused("--shape", text, "--shape x=1x3x224x224")
        found[name] = tuple(map(int, re.split("[x,]", value)))
    return found


def _refused(option: str, text: str, form: str) -> FrontendError:
    message = f"{option} {text} doesn't say what has which value"
    return FrontendError(Diagnostic("E117", message, hint=f"write {form}"))
