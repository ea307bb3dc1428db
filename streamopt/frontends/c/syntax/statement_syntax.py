"""Statements: from pycparser's tree to typed nodes; what has no meaning here says so."""

# pycparser has no types
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUnknownParameterType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_ast as ast

from streamopt.frontends.c.syntax.jumps import jumps_in
from streamopt.frontends.c.syntax.literals import converted
from streamopt.frontends.c.syntax.tree import (
    Block,
    Continue,
    Evaluate,
    ForLoop,
    IfElse,
    Labelled,
    Return,
    Unsupported,
)
from streamopt.frontends.c.syntax.types import converted_declaration

if TYPE_CHECKING:
    from streamopt.frontends.c.syntax.tree import Statement
    from streamopt.frontends.c.syntax.types import Converter

__all__ = ["converted_statement"]

_WHILE_HINT = (
    "write a for loop to a constant that is never passed, with a condition inside "
    "(docs/guides/data-dependent.md)"
)
_REFUSED: dict[type[Any], tuple[str, str]] = {
    ast.While: ("while", _WHILE_HINT),
    ast.DoWhile: ("do-while", _WHILE_HINT),
    ast.Goto: ("goto", "use loops and if"),
    ast.Switch: ("switch", "write if and else if"),
    ast.Break: ("break", "give the loop an affine bound, or put the rest under an if"),
}


def converted_statement(node: Any, to: Converter) -> Statement:
    """Return a statement as a typed node."""
    loc = to.loc(node)
    match node:
        case ast.Compound():
            items = node.block_items or []
            return Block(tuple(_items(items, to)), loc)
        case ast.DeclList():
            return Block(tuple(_items(node.decls, to)), loc)
        case ast.For():
            return _for(node, to)
        case ast.If():
            then = _or_empty(node.iftrue, to)
            otherwise = None if node.iffalse is None else converted_statement(node.iffalse, to)
            return IfElse(converted(node.cond, to), then, otherwise, loc)
        case ast.Return():
            return Return(None if node.expr is None else converted(node.expr, to), loc)
        case ast.Label():
            return Labelled(str(node.name), _or_empty(node.stmt, to), loc)
        case _:
            return _simple(node, to)


def _simple(node: Any, to: Converter) -> Statement:
    match node:
        case ast.EmptyStatement() | ast.Pragma():
            return Block((), to.loc(node))
        case ast.Continue():
            return Continue(to.loc(node))
        case ast.DoWhile() if _is_zero(node.cond):
            body = Block((_or_empty(node.stmt, to),), to.loc(node))
            return _refused(node, to) if jumps_in(body, Continue) else body
        case _ if type(node) in _REFUSED:
            return _refused(node, to)
        case _:
            value = converted(node, to)
            return Evaluate(value, value.loc)


def _refused(node: Any, to: Converter) -> Unsupported:
    what, hint = _REFUSED[type(node)]
    return Unsupported(what, hint, to.loc(node))


def _is_zero(condition: Any) -> bool:
    return isinstance(condition, ast.Constant) and condition.value == "0"


def _or_empty(node: Any, to: Converter) -> Statement:
    return Block((), to.loc(node)) if node is None else converted_statement(node, to)


def _items(nodes: list[Any], to: Converter) -> list[Statement]:
    items: list[Statement] = []
    for node in nodes:
        match node:
            case ast.Typedef():
                to.add_typedef(node)
            case ast.Decl():
                to.add_enumerators(node.type)
                if node.name is not None and not isinstance(node.type, ast.FuncDecl):
                    items.append(converted_declaration(node, to))
            case ast.Pragma() | ast.EmptyStatement() | ast.StaticAssert():
                pass
            case _:
                items.append(converted_statement(node, to))
    return items


def _for(node: Any, to: Converter) -> ForLoop:
    first = None if node.init is None else converted_statement(node.init, to)
    return ForLoop(
        first,
        None if node.cond is None else converted(node.cond, to),
        None if node.next is None else converted(node.next, to),
        _or_empty(node.stmt, to),
        to.loc(node),
    )
