"""Names that C++ or the vendor's tool would not take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.codegen.checks.facts import variable
from streamopt.codegen.checks.finding import Finding
from streamopt.codegen.names import is_reserved
from streamopt.codegen.tree import CppStatement, For, If

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.codegen.checks.facts import FunctionFacts
    from streamopt.codegen.tree import Item

__all__ = ["name_findings"]


def name_findings(functions: Sequence[FunctionFacts]) -> Iterator[Finding]:
    """Yield E617 for names that are taken already in their scope, E618 for reserved words."""
    known: set[str] = set()
    for function in functions:
        if function.name in known:
            yield Finding("E617", f"function {function.name} is defined twice")
        if is_reserved(function.name):
            yield Finding("E618", f"function {function.name} has a reserved name")
        known.add(function.name)
    for function in functions:
        names = [parameter.name for parameter in function.parameters]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield Finding("E617", f"parameter {name} is declared twice", function.name)
        for name in filter(is_reserved, names):
            yield Finding("E618", f"parameter {name} has a reserved name", function.name)
        yield from _declared(function.body, frozenset(names), function.name)


def _declared(items: Sequence[Item], outer: frozenset[str], function: str) -> Iterator[Finding]:
    """Yield what is wrong with the names of one scope and those inside it."""
    known = set(outer)
    for item in items:
        if isinstance(item, For):
            yield from _taken(item.iterator, known, function)
            yield from _declared(item.body, frozenset({*known, item.iterator}), function)
        elif isinstance(item, If):
            yield from _declared(item.body, frozenset(known), function)
        elif isinstance(item, CppStatement):
            found = variable(item.text)
            if found is not None:
                yield from _taken(found.name, known, function)
                known.add(found.name)


def _taken(name: str, known: set[str], function: str) -> Iterator[Finding]:
    if name in known:
        yield Finding("E617", f"{name} is declared again where it is known", function)
    if is_reserved(name):
        yield Finding("E618", f"{name} is a reserved name", function)
