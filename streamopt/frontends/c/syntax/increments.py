"""Increments inside of expressions, as statements of their own.

Before::

    c[k++] = *p++;

After::

    c[k] = *p;
    k++;
    p++;
"""

from collections.abc import Sequence

from pycparser import c_ast as ast

from streamopt.frontends.c.syntax.trees import INCREMENTS, mapped, walked

_EVALUATED = (
    *(ast.Assignment, ast.BinaryOp, ast.UnaryOp, ast.ArrayRef, ast.Cast, ast.FuncCall),
    ast.ExprList,
)


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
    rest = _replaced(item, found)
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


def _replaced(node: ast.Node, found: Sequence[ast.UnaryOp]) -> ast.Node | None:
    """Return a copy without increments; None where one is not evaluated in any case."""
    if isinstance(node, ast.UnaryOp) and node in found:
        return node.expr
    if not any(part in found for part in walked(node)):
        return node
    is_joint = isinstance(node, ast.BinaryOp) and node.op in ("&&", "||")
    if is_joint or not isinstance(node, _EVALUATED):
        return None
    parts = {id(part): _replaced(part, found) for _, part in node.children()}
    known = {key: part for key, part in parts.items() if part is not None}
    return mapped(node, known) if len(known) == len(parts) else None
