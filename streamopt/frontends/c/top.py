"""Which function of a file is the one to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.formats.names import did_you_mean
from streamopt.frontends.c.syntax.usage import calls_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from streamopt.frontends.c.syntax.tree import Function, Unit

__all__ = ["top_function"]


def top_function(unit: Unit, path: Path, wanted: str | None) -> Function:
    """Return the function of that name, or else the only one that can be meant.

    That is the one with ``#pragma scop``, the only one besides main, or the only one that nobody
    but main calls; those of headers count only where the file has none of its own. Raises
    FrontendError (E133) where there is none or more than one.
    """
    functions = unit.functions
    if wanted is not None:
        if wanted in functions:
            return functions[wanted]
        message = f"there is no function '{wanted}'"
        raise FrontendError(_problem(message, path, did_you_mean(wanted, functions)))
    if not functions:
        raise FrontendError(_problem("the file defines no function", path, "define one"))
    marked = [function for function in functions.values() if function.has_scop]
    if len(marked) == 1:
        return marked[0]
    others = marked or [f for f in functions.values() if f.name != "main"]
    others = [f for f in others if f.loc.file == str(path)] or others
    if len(others) == 1:
        return others[0]
    called = {
        call.function
        for function in functions.values()
        if function.name != "main"
        for call in calls_in(function)
        if call.function != function.name
    }
    roots = [function for function in others if function.name not in called]
    if len(roots) == 1:
        return roots[0]
    if not others:
        return functions["main"]
    raise FrontendError(_ambiguous(roots or others, path, is_marked=bool(marked)))


def _ambiguous(found: Sequence[Function], path: Path, *, is_marked: bool) -> Diagnostic:
    names = ", ".join(function.name for function in found[:12])
    what = "have #pragma scop" if is_marked else "can be meant"
    hint = f"name one: --top {found[0].name}"
    return _problem(f"several functions {what}: {names}", path, hint)


def _problem(message: str, path: Path, hint: str) -> Diagnostic:
    return Diagnostic("E133", message, SourceLoc(str(path)), hint)
