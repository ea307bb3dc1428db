"""Expressions as C text, for messages."""

from __future__ import annotations

from typing import Any, cast

from pycparser import c_ast as ast
from pycparser.c_generator import CGenerator

from streamopt.frontends.c.text.cplusplus import OVERLOADED

_LONGEST = 60


def text_of(node: ast.Node) -> str:
    """Return an expression as C text."""
    try:
        return " ".join(CGenerator().visit(cast("Any", node)).replace(OVERLOADED, "").split())
    except RecursionError:
        return "..."


def shown(node: ast.Node) -> str:
    """Return an expression as C text, cut where it is long."""
    text = text_of(node)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
