"""Subscripts that are brought into range step by step, as declarations one after another.

Before::

    int row = y + k;
    if (row < 0)
        row = 0;
    a[row] ...

After, the second hiding the first::

    int row = y + k;
    int row = row < 0 ? 0 : row;
    a[row] ...
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.frontends.c.tree import (
    Assignment,
    Block,
    Declaration,
    Evaluate,
    IfElse,
    Increment,
    Name,
    Operation,
    Subscript,
    Ternary,
    Unary,
)
from streamopt.frontends.c.usage import walked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.frontends.c.tree import Node, Statement

__all__ = ["settled"]


def settled(items: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the statements of a block with such integers declared anew at each step."""
    found = list(items)
    at = 0
    while at < len(items):
        declared: dict[str, Declaration] = {}
        steps: dict[int, Declaration] = {}
        while at < len(items):
            item = items[at]
            if isinstance(item, Declaration):
                declared[item.name] = item
            else:
                step = _step(item, declared)
                if step is None:
                    break
                steps[at] = step
            at += 1
        names = {step.name for step in steps.values()}
        used = {name for name in names if _is_index(name, items[at:], declared)}
        for place, step in steps.items():
            if step.name in used:
                found[place] = step
        at += 1
    return tuple(found)


def _step(item: Statement, declared: Mapping[str, Declaration]) -> Declaration | None:
    """Return a statement that only changes a declared integer as its declaration anew."""
    for name, before in declared.items():
        if before.type.is_integer and before.value is not None and not before.is_static:
            value = _value(item, name)
            if value is not None:
                return replace(before, value=value, loc=item.loc)
    return None


def _value(item: Statement | None, name: str) -> Node | None:
    """Return what a name is after a statement that at most assigns it; None for others."""
    match item:
        case Evaluate(Assignment("", Name(target), value), _) if target == name:
            return value if _is_pure(value) else None
        case Evaluate(Assignment(op, Name(target) as before, value), loc) if target == name:
            return Operation(op, before, value, loc) if _is_pure(value) else None
        case IfElse(condition, then, otherwise, loc):
            if not _is_pure(condition):
                return None
            first = _value(then, name)
            second = Name(name, loc) if otherwise is None else _value(otherwise, name)
            return Ternary(condition, first, second, loc) if first and second else None
        case Block((inner,)):
            return _value(inner, name)
        case _:
            return None


def _is_pure(node: Node) -> bool:
    return not any(isinstance(part, Assignment | Increment) for part in walked(node))


def _is_index(name: str, rest: Sequence[Statement], beside: Mapping[str, Declaration]) -> bool:
    """Return whether a name is part of a subscript or of another integer, and never assigned."""
    integers = (item.value for item in beside.values() if item.type.is_integer)
    is_index = any(_mentions(value, name) for value in integers)
    for node in walked(tuple(rest)):
        match node:
            case Assignment(_, Name(target)) | Increment(Name(target)) if target == name:
                return False
            case Unary("&", Name(target)) if target == name:
                return False
            case Subscript(_, index):
                is_index = is_index or _mentions(index, name)
            case _:
                pass
    return is_index


def _mentions(root: Node | None, name: str) -> bool:
    return any(isinstance(node, Name) and node.name == name for node in walked(root))
