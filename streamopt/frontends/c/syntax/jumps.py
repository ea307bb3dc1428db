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

from collections.abc import Sequence
from copy import copy

from pycparser import c_ast as ast

from streamopt.frontends.c.syntax.trees import Jump, is_block, items_of, jumps_in, walked
from streamopt.frontends.c.syntax.usage import names_in


def without_jumps(items: Sequence[ast.Node], kind: Jump) -> list[ast.Node]:
    """Return statements that do the same; jumps stay where that is not possible.

    Jumps at the end go, statements behind one that always jumps too. What follows an ``if`` with
    a jump in one of its branches becomes part of the other.
    """
    for at, item in enumerate(items):
        if isinstance(item, kind):
            return [*items[:at]]
        if not jumps_in(item, kind):
            continue
        rest = items[at + 1 :]
        match item:
            case ast.If():
                return [*items[:at], *_split(item, rest, kind)]
            case _ if is_block(item) and not _hides(items_of(item), rest):
                following = without_jumps([*items_of(item), *rest], kind)
                return [*items[:at], ast.Compound(following, item.coord)]
            case _:
                return [*items]
    return [*items]


_MOST_TWICE = 40
"""Nodes behind a branch that go into both of its sides where neither always jumps."""


def with_notes(
    items: Sequence[ast.Node], kind: Jump, name: str, also: Sequence[ast.Node] = ()
) -> list[ast.Node]:
    """Return statements in which jumps set a variable: breaks to 0, returns to what they return.

    ``break;`` becomes ``name = 0; also; continue;``, and ``return x;`` ``name = x; also; return;``.
    """
    return [_noted(item, kind, name, also) for item in items]


def _noted(item: ast.Node, kind: Jump, name: str, also: Sequence[ast.Node]) -> ast.Node:
    match item:
        case ast.Break() if kind is ast.Break:
            value, jump = ast.Constant("int", "0", item.coord), ast.Continue(item.coord)
        case ast.Return(expr=ast.Node() as value) if kind is ast.Return:
            jump = ast.Return(None, item.coord)
        case ast.For() | ast.While() if kind is ast.Return and item.stmt is not None:
            return with_body(item, [_noted(item.stmt, kind, name, also)])
        case ast.Compound(block_items=inner):
            return ast.Compound(with_notes(inner or (), kind, name, also), item.coord)
        case ast.If(cond=condition, iftrue=then, iffalse=otherwise):
            sides = [None if s is None else _noted(s, kind, name, also) for s in (then, otherwise)]
            return ast.If(condition, sides[0], sides[1], item.coord)
        case _:
            return item
    noted = ast.Assignment("=", ast.ID(name, item.coord), value, item.coord)
    return ast.Compound([noted, *also, jump], item.coord)


def with_body(loop: ast.For | ast.While, items: Sequence[ast.Node]) -> ast.Node:
    """Return a loop with another body."""
    found = copy(loop)
    found.stmt = ast.Compound([*items], loop.coord)
    return found


def without_returns_in_loops(items: Sequence[ast.Node], flag: str) -> list[ast.Node]:
    """Return statements in which a return in a loop sets a flag and leaves the loop.

    Before: ``for (...) if (a) return; b;``
    After:  ``for (...) if (a) { flag = 1; break; } if (!flag) b;``
    """
    for at, item in enumerate(items):
        if isinstance(item, ast.For | ast.While) and jumps_in(item, ast.Return):
            rest = ast.Compound(without_returns_in_loops(items[at + 1 :], flag), item.coord)
            asked = ast.UnaryOp("!", ast.ID(flag, item.coord), item.coord)
            loop = with_body(item, _leaving([item.stmt] if item.stmt else [], flag))
            return [*items[:at], loop, ast.If(asked, rest, None, item.coord)]
    return [*items]


def _leaving(items: Sequence[ast.Node], flag: str) -> list[ast.Node]:
    found: list[ast.Node] = []
    for item in items:
        match item:
            case ast.Return():
                one = ast.Constant("int", "1", item.coord)
                noted = ast.Assignment("=", ast.ID(flag, item.coord), one, item.coord)
                found += [noted, ast.Break(item.coord)]
            case ast.Compound(block_items=inner):
                found.append(ast.Compound(_leaving(inner or (), flag), item.coord))
            case ast.If(cond=condition, iftrue=then, iffalse=otherwise):
                sides = [s and ast.Compound(_leaving([s], flag)) for s in (then, otherwise)]
                found.append(ast.If(condition, sides[0], sides[1], item.coord))
            case ast.For() | ast.While() if jumps_in(item, ast.Return):
                inner = with_body(item, _leaving([item.stmt] if item.stmt else [], flag))
                leave = ast.If(ast.ID(flag, item.coord), ast.Break(item.coord), None, item.coord)
                found += [inner, leave]
            case _:
                found.append(item)
    return found


def _split(item: ast.If, rest: Sequence[ast.Node], kind: Jump) -> list[ast.Node]:
    branches = item.iftrue, item.iffalse
    leaves = [branch is not None and always_jumps(branch, kind) for branch in branches]
    if rest and not any(leaves) and len([*walked(*rest)]) > _MOST_TWICE:
        return [item, *rest]
    then, otherwise = (
        ast.Compound(
            without_jumps([*([] if branch is None else [branch]), *([] if always else rest)], kind),
            item.coord if branch is None else branch.coord,
        )
        for branch, always in zip(branches, leaves, strict=True)
    )
    return [ast.If(item.cond, then, otherwise, item.coord)]


def always_jumps(item: ast.Node | None, kind: Jump | tuple[Jump, ...]) -> bool:
    """Return whether a statement jumps, whatever happens in it."""
    match item:
        case ast.If(iftrue=then, iffalse=otherwise):
            return all(always_jumps(side, kind) for side in (then, otherwise))
        case _ if is_block(item):
            return any(always_jumps(part, kind) for part in items_of(item))
        case _:
            return isinstance(item, kind)


def _hides(items: Sequence[ast.Node], rest: Sequence[ast.Node]) -> bool:
    """Return whether a block declares a name that means something else behind the block."""
    declared = {item.name for item in items if isinstance(item, ast.Decl)}
    return not declared.isdisjoint(names_in(*rest))
