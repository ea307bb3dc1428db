"""Whether a reduction puts one operator on its recurrence: E624.

A partial value that an iteration reads, and that the next one needs, waits for every operator
between. Two or more stand there if lanes that the partial value doesn't tell apart all add to it,
or if a statement adds several terms to it one after another.
"""

import ast
import re
from collections.abc import Iterator
from math import prod

from streamopt.codegen.checks.facts import Finding, FunctionFacts, without_subscripts
from streamopt.codegen.checks.indices import IndexScope, parsed, statements

_PARTIAL_VALUE = re.compile(r"\b\w+_acc(?:_\d+)?\b((?:\[[^\[\]]*\])+)")
_ASSIGNED = re.compile(r"(?:const )?[\w:<>, ]*?\b(\w+)((?:\[[^\[\]]*\])*) = (.*);")
_PYTHON = (
    (re.compile(r"\b(static_cast|std::\w+|ap_\w+)<(?:[^<>]|<[^<>]*>)*>"), r"\1"),
    (re.compile(r"::"), "_"),
    (re.compile(r"\b\d[\w.]*(?:(?<=[eEpP])[-+]\w+)?"), "0"),
    (re.compile(r"&&|\|\|"), " and "),
    (re.compile(r"[?:]"), " or "),
    (re.compile(r"!(?!=)"), " not "),
)
"""From C++ to Python of the same structure: a choice becomes ``condition or value or value``."""


def recurrence_findings(function: FunctionFacts) -> Iterator[Finding]:
    """Yield E624 for each partial value with more than one operator from an update to the next."""
    carried: dict[str, tuple[str, int]] = {}  # by name: its partial value, and operators since
    found: dict[str, int] = {}
    for text, scope in statements(function.body, IndexScope({}, {}, {})):
        assigned = _ASSIGNED.fullmatch(text)
        if assigned is None:
            continue
        name, subscripts, value = assigned[1], assigned[2], assigned[3]
        _carry(name, value, carried)
        if _PARTIAL_VALUE.fullmatch(name + subscripts) and carried.get(name, ("", 0))[0] == name:
            place = scope.tree(name + subscripts)
            apart = scope.names(place) if place is not None else set[str]()
            terms = prod(count for lane, count in scope.lanes.items() if lane not in apart)
            found[name] = max(found.get(name, 0), terms * carried[name][1])
    for name, operators in found.items():
        if operators > 1:
            message = f"an iteration combines {operators} terms with {name} one after another"
            yield Finding("E624", f"{message}, not in a tree", function.name)


def _carry(name: str, value: str, carried: dict[str, tuple[str, int]]) -> None:
    """Note the partial value that an assigned one comes from."""
    read = _PARTIAL_VALUE.search(value)
    if read is not None:
        named = without_subscripts(_PARTIAL_VALUE.sub("PARTIAL", value))
        carried[name] = (read[0].split("[", 1)[0], _operators_above(named, "PARTIAL") or 0)
        return
    for known, (memory, depth) in list(carried.items()):
        more = _operators_above(without_subscripts(value), known)
        if more is not None:
            carried[name] = (memory, depth + more)


def _operators_above(text: str, name: str) -> int | None:
    """Return the operators that a name's value goes through in an expression; None without it.

    Examples
    --------
    >>> _operators_above("(k == 0 ? 0.0f : s) + t * u", "s"), _operators_above("t + s + u", "s")
    (1, 2)
    """
    for cpp, python in _PYTHON:
        text = cpp.sub(python, text)
    tree = parsed(text.strip())
    return None if tree is None else _above(tree, name)


def _above(tree: ast.AST, name: str) -> int | None:
    operators = 1
    match tree:
        case ast.Name(known):
            return 0 if known == name else None
        case ast.BoolOp(ast.Or(), choices):
            below, operators = [*choices[1::2], choices[-1]], 0
        case ast.Call(function, below):
            operators = 0 if ast.unparse(function) == "static_cast" else 1
        case _:
            below = [*ast.iter_child_nodes(tree)]
            operators = 0 if isinstance(tree, ast.UnaryOp | ast.Attribute) else 1
    depths = [depth for one in below if (depth := _above(one, name)) is not None]
    return max(depths) + operators if depths else None
