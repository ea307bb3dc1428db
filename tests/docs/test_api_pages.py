"""The API pages describe every parameter of every public function, one entry each, in order."""

from __future__ import annotations

import inspect
import re

import pytest

import streamopt as so

FUNCTIONS = [name for name in so.__all__ if inspect.isfunction(getattr(so, name))]
METHODS = {
    f"{kind.__name__}.{name}": method
    for kind in (so.Solved, so.OpenModel)
    for name, method in vars(kind).items()
    if inspect.isfunction(method) and not name.startswith("_")
}
SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+$|\Z)", re.DOTALL | re.MULTILINE)


def documented(text: str) -> dict[str, str]:
    """Return the entries of a docstring's section of parameters, each with its text."""
    found = SECTION.search(text)
    if found is None:
        return {}
    parts = re.split(r"^(\S.*)\n", found[1], flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_every_parameter_has_an_entry(name: str) -> None:
    """Types and defaults are the signature's own: no entry states another."""
    function = METHODS[name] if name in METHODS else getattr(so, name)
    entries = documented(inspect.getdoc(function) or "")
    named = [*inspect.signature(function).parameters]
    assert [*entries] == [name for name in named if name != "self"]
    assert all(entries.values()), "an entry without words"


def test_sections_are_read() -> None:
    text = "Do.\n\nParameters\n----------\na, b\n    Two.\nc : int\n    One.\n\nRaises\n------\nE"
    assert documented(text) == {"a, b": "Two.", "c : int": "One."}
