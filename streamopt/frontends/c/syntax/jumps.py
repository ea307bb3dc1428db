"""Early ends of loop bodies and functions: what follows them goes under an else.

Before::

    if (i == 0)
        continue;
    b[i] = a[i - 1];

After::

    if (i == 0) {
    } else {
        b[i] = a[i - 1];
    }
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.frontends.c.syntax.tree import (
    Block,
    Continue,
    Declaration,
    ForLoop,
    IfElse,
    Labelled,
    Name,
    Return,
)
from streamopt.frontends.c.syntax.usage import walked

if TYPE_CHECKING:
    from streamopt.frontends.c.syntax.tree import Statement

__all__ = ["jumps_in", "without_jumps"]

_Jump = type[Continue] | type[Return]


def jumps_in(item: Statement | None, kind: _Jump) -> bool:
    """Return whether a statement has such a jump; a loop's own ``continue`` does not count."""
    waiting: list[Statement | None] = [item]
    while waiting:
        match waiting.pop():
            case Block(items):
                waiting.extend(items)
            case IfElse(_, then, otherwise):
                waiting += [then, otherwise]
            case Labelled(_, body):
                waiting.append(body)
            case ForLoop(body=body) if kind is Return:
                waiting.append(body)
            case found if isinstance(found, kind):
                return True
            case _:
                pass
    return False


def without_jumps(items: tuple[Statement, ...], kind: _Jump) -> tuple[Statement, ...]:
    """Return statements that do the same; jumps stay where that is not possible.

    Jumps at the end go, statements behind one that always jumps too. What follows an ``if`` with
    a jump in one of its branches becomes part of the other.
    """
    for at, item in enumerate(items):
        if isinstance(item, kind):
            return items[:at]
        if not jumps_in(item, kind):
            continue
        rest = items[at + 1 :]
        match item:
            case IfElse():
                return (*items[:at], *_split(item, rest, kind))
            case Block(inner) if not _hides(inner, rest):
                return (*items[:at], replace(item, items=without_jumps((*inner, *rest), kind)))
            case _:
                return items
    return items


def _split(item: IfElse, rest: tuple[Statement, ...], kind: _Jump) -> tuple[Statement, ...]:
    branches = [item.then, item.otherwise or Block((), item.loc)]
    leaves = [_always(branch, kind) for branch in branches]
    if rest and not any(leaves):
        return item, *rest
    following = [() if always else rest for always in leaves]
    then, otherwise = (
        Block(without_jumps((branch, *tail), kind), branch.loc)
        for branch, tail in zip(branches, following, strict=True)
    )
    return (replace(item, then=then, otherwise=otherwise),)


def _always(item: Statement, kind: _Jump) -> bool:
    """Return whether a statement jumps, whatever happens in it."""
    match item:
        case Block(items):
            return any(_always(part, kind) for part in items)
        case IfElse(_, then, otherwise):
            return otherwise is not None and _always(then, kind) and _always(otherwise, kind)
        case _:
            return isinstance(item, kind)


def _hides(items: tuple[Statement, ...], rest: tuple[Statement, ...]) -> bool:
    """Return whether a block declares a name that means something else behind the block."""
    declared = {item.name for item in items if isinstance(item, Declaration)}
    used = {node.name for node in walked(rest) if isinstance(node, Name)}
    return not declared.isdisjoint(used)
