"""Increments inside of expressions, as statements of their own.

Before::

    c[k++] = *p++;

After::

    c[k] = *p;
    k++;
    p++;
"""

from collections.abc import Callable, Sequence
from copy import copy

from pycparser import c_ast as ast

from streamopt.frontends.c.syntax.trees import INCREMENTS, walked

_OPERANDS = ("lvalue", "rvalue", "left", "right", "expr", "name", "subscript", "args")


def spread(item: ast.Node) -> tuple[list[ast.Node], ast.Node, list[ast.Node]] | None:
    """Return a statement without increments, between those that come before it and after it.

    None where there are none inside, or where they don't happen once in any case: below ``?:``,
    ``&&`` or ``||``, or of a variable that the statement names again.
    """
    found = _inside(item)
    if not found:
        return None
    named = [node.name for node in walked(item) if isinstance(node, ast.ID)]
    changed = [node.expr for node in found]
    names = [one.name for one in changed if isinstance(one, ast.ID)]
    if len(names) < len(found) or any(named.count(name) > 1 for name in names):
        return None
    rest = _replaced(item, lambda node: node.expr if node in found else None)
    if rest is None:
        return None
    before = [node for node in found if not node.op.startswith("p")]
    after = [node for node in found if node.op.startswith("p")]
    return [*before], rest, [*after]


def _inside(item: ast.Node) -> Sequence[ast.UnaryOp]:
    """Return the increments below a statement's own, in the order of the text."""
    found = [
        node
        for node in walked(item)
        if isinstance(node, ast.UnaryOp) and node.op in INCREMENTS and node is not item
    ]
    return found[::-1]


def _replaced(node: ast.Node, other: Callable[[ast.UnaryOp], ast.Node | None]) -> ast.Node | None:
    """Return a copy with other nodes for some; None where one is not evaluated in any case."""
    if isinstance(node, ast.UnaryOp) and (instead := other(node)) is not None:
        return instead
    inside = any(isinstance(part, ast.UnaryOp) and other(part) is not None for part in walked(node))
    if not inside:
        return node
    is_joint = isinstance(node, ast.BinaryOp) and node.op in ("&&", "||")
    if is_joint or not isinstance(
        node,
        ast.Assignment
        | ast.BinaryOp
        | ast.UnaryOp
        | ast.ArrayRef
        | ast.Cast
        | ast.FuncCall
        | ast.ExprList,
    ):
        return None
    made = copy(node)
    if isinstance(made, ast.ExprList):
        parts = [_replaced(part, other) for part in made.exprs]
        kept = [part for part in parts if part is not None]
        made.exprs = kept
        return made if len(kept) == len(parts) else None
    for field in _OPERANDS:
        part = getattr(made, field, None)
        if isinstance(part, ast.Node):
            changed = _replaced(part, other)
            if changed is None:
                return None
            setattr(made, field, changed)
    return made
