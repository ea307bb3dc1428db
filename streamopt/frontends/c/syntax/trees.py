"""Ways through pycparser's tree: places, the statements of a body, all nodes, names.

Statements and expressions that are never read, such as a ``goto``, have no parts here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import cast

from pycparser import c_ast as ast
from pycparser.c_parser import Coord

INCREMENTS: Mapping[str, int] = {"++": 1, "p++": 1, "--": -1, "p--": -1}
"""Operators that change their operand, and by how much."""

_PLAIN = frozenset("+-!~&*")
Jump = type[ast.Break] | type[ast.Continue] | type[ast.Return]


def coordinate(node: ast.Node) -> Coord | None:
    """Return where a node stands in the preprocessed text."""
    while True:
        match node:
            case ast.ArrayRef(name=first) | ast.NamedInitializer(expr=first):
                node = first
            case ast.UnaryOp(op=op, expr=first) if op in INCREMENTS:
                node = first
            case _:
                return node.coord


def is_plain(node: ast.Node) -> bool:
    """Return whether a node is one of ``+ - ! ~ & *`` before an operand."""
    return isinstance(node, ast.UnaryOp) and node.op in _PLAIN


def inner(node: ast.Node) -> ast.Node | None:
    """Return the array that a node subscripts or the operand of a plain operator."""
    if isinstance(node, ast.ArrayRef):
        return node.name
    return node.expr if isinstance(node, ast.UnaryOp) and node.op in _PLAIN else None


def base_name(node: ast.Node) -> list[str]:
    """Return the name whose element an expression is, if it is one."""
    below = inner(node)
    while below is not None:
        node, below = below, inner(below)
    return [node.name] if isinstance(node, ast.ID) else []


def arguments_of(node: ast.FuncCall) -> list[ast.Node]:
    """Return the arguments of a call."""
    return [] if node.args is None else node.args.exprs


def designators(node: ast.NamedInitializer) -> list[ast.Node]:
    """Return the indices of ``[i][j] = value``."""
    return [getattr(part, "expr", part) for part in node.name]


def items_of(node: ast.Node | None) -> list[ast.Node]:
    """Return the statements of a block, or a single statement, without those that do nothing."""
    match node:
        case None | ast.EmptyStatement() | ast.Pragma():
            return []
        case ast.Compound(block_items=items):
            return [item for item in items or () if not _is_silent(item)]
        case ast.DoWhile() if runs_once(node):
            return items_of(node.stmt)
        case _:
            return [node]


def _is_silent(item: ast.Node) -> bool:
    """Return whether an item of a block does nothing when it is reached."""
    if isinstance(item, ast.Decl):
        return item.name is None or isinstance(item.type, ast.FuncDecl)
    return isinstance(item, ast.Typedef | ast.Pragma | ast.EmptyStatement | ast.StaticAssert)


def jumps_in(item: ast.Node | None, kind: Jump) -> bool:
    """Return whether a statement has such a jump; a loop's own ``continue`` does not count."""
    waiting: list[ast.Node | None] = [item]
    while waiting:
        match waiting.pop():
            case ast.Compound(block_items=items):
                waiting.extend(items or ())
            case ast.If(iftrue=then, iffalse=otherwise):
                waiting += [then, otherwise]
            case ast.Label(stmt=body):
                waiting.append(body)
            case (ast.For() | ast.While() | ast.DoWhile()) as loop if kind is ast.Return:
                waiting.append(loop.stmt)
            case found if isinstance(found, kind):
                return True
            case _:
                pass
    return False


def runs_once(node: ast.DoWhile) -> bool:
    """Return whether a loop is ``do { ... } while (0)`` without ``continue``: a block."""
    is_zero = isinstance(node.cond, ast.Constant) and node.cond.value == "0"
    return is_zero and not jumps_in(node.stmt, ast.Continue)


def is_block(node: ast.Node | None) -> bool:
    """Return whether a node is statements in braces, or a loop around them that runs once."""
    return isinstance(node, ast.Compound) or (isinstance(node, ast.DoWhile) and runs_once(node))


_WITH_PARTS = frozenset(
    [
        *(ast.ArrayDecl, ast.ArrayRef, ast.Assignment, ast.BinaryOp, ast.Cast, ast.Compound),
        *(ast.Decl, ast.DeclList, ast.DoWhile, ast.Enum, ast.Enumerator, ast.EnumeratorList),
        *(ast.ExprList, ast.For, ast.If, ast.InitList, ast.Label, ast.PtrDecl, ast.Return),
        *(ast.TernaryOp, ast.TypeDecl, ast.Typedef, ast.Typename, ast.UnaryOp, ast.While),
    ]
)


def parts_of(node: ast.Node) -> list[ast.Node]:
    """Return the nodes that a node holds, in the order of the text."""
    if node.__class__ in _WITH_PARTS:
        return [] if isinstance(node, ast.UnaryOp) and node.op == "_Alignof" else [*node]
    match node:
        case ast.FuncCall(name=ast.ID()):
            return arguments_of(node)
        case ast.NamedInitializer(expr=value):
            return [*designators(node), value]
        case _:
            return []


def conjuncts(condition: ast.Node) -> Iterator[ast.Node]:
    """Yield the conditions that ``&&`` joins, in the order of the text."""
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.BinaryOp) and node.op == "&&":
            waiting += [node.right, node.left]
        else:
            yield node


def every(*roots: ast.Node | None) -> Iterator[ast.Node]:
    """Yield all nodes of trees, those without meaning here too."""
    return walked(*roots, parts=list)


def walked(
    *roots: ast.Node | None, parts: Callable[[ast.Node], list[ast.Node]] = parts_of
) -> Iterator[ast.Node]:
    """Yield all nodes of trees, of a node the parts that a function gives, in no special order."""
    waiting = [root for root in roots if root is not None]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += parts(node)


def mapped(node: ast.Node, change: Mapping[int, ast.Node]) -> ast.Node:
    """Return a shallow copy with other nodes for some of its parts, by their ids."""
    made = copy(node)
    for name in node.__slots__:
        part = getattr(node, name, None)
        if isinstance(part, ast.Node):
            setattr(made, name, change.get(id(part), part))
        elif isinstance(part, list):
            listed = cast("list[object]", part)
            setattr(made, name, [change.get(id(one), one) for one in listed])
    return made


def with_nodes(node: ast.Node, nodes: Mapping[str, ast.Node]) -> ast.Node:
    """Return a tree with other nodes in place of variables."""
    if isinstance(node, ast.ID):
        return nodes.get(node.name, node)
    parts = {id(part): with_nodes(part, nodes) for _, part in node.children()}
    changed = {key: part for key, part in parts.items() if id(part) != key}
    return mapped(node, changed) if changed else node
