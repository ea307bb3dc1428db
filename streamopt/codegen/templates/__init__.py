"""Files that are the same in every project, but for a few names; ``@{name}`` marks one."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from string import Template

__all__ = ["TYPE_HEADERS", "fill"]

TYPE_HEADERS = Path(__file__).parent / "types"
"""Directory of our headers of element types, which stand for the vendor's."""


class _Template(Template):
    delimiter = "@"


def fill(name: str, **values: str) -> str:
    """Return the text of a template; raises KeyError for a value that is missing."""
    return _Template((files(__name__) / name).read_text(encoding="utf-8")).substitute(values)
