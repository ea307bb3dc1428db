"""Expressions as C text, for messages."""

from collections.abc import Sequence

from pycparser import c_ast as ast

from streamopt.frontends.c.syntax.literals import TypedNumber, number_of, unsupported
from streamopt.frontends.c.syntax.trees import INCREMENTS, arguments_of, designators
from streamopt.frontends.c.syntax.types import type_text

_LONGEST = 60
_DEEPEST = 30
_PRODUCTS, _SUMS = ("*", "/", "%"), ("+", "-")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def shown(node: ast.Node) -> str:
    """Return an expression as C text, cut where it is long."""
    text = _text(node, 0)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _text(node: ast.Node, depth: int) -> str:
    if depth > _DEEPEST:
        return "..."
    refused = unsupported(node)
    if refused is not None:
        return refused.what
    match node:
        case ast.ID(name=name):
            return name
        case ast.Constant():
            number = number_of(node)
            return str(number.value) if isinstance(number, TypedNumber) else number.what
        case ast.ArrayRef(name=base, subscript=index):
            return f"{_tight(base, depth)}[{_text(index, depth + 1)}]"
        case ast.UnaryOp(op="sizeof", expr=operand):
            is_type = isinstance(operand, ast.Typename)
            return f"sizeof({type_text(operand) if is_type else _text(operand, depth + 1)})"
        case ast.UnaryOp(op=op, expr=operand):
            text = _tight(operand, depth)
            return f"{text}{op.removeprefix('p')}" if op in INCREMENTS else f"{op}{text}"
        case ast.BinaryOp(op=op, left=left, right=right):
            return f"{_tight(left, depth, op)} {op} {_tight(right, depth)}"
        case _:
            return _composed(node, depth)


def _composed(node: ast.Node, depth: int) -> str:
    match node:
        case ast.Assignment(op=op, lvalue=target, rvalue=value):
            return f"{_text(target, depth + 1)} {op} {_text(value, depth + 1)}"
        case ast.Cast(to_type=to, expr=operand):
            return f"({type_text(to)}){_tight(operand, depth)}"
        case ast.FuncCall(name=ast.ID(name=function)):
            return f"{function}({_joined(arguments_of(node), depth)})"
        case ast.TernaryOp(cond=condition, iftrue=then, iffalse=otherwise):
            parts = (_tight(part, depth) for part in (condition, then, otherwise))
            return "{} ? {} : {}".format(*parts)
        case ast.ExprList(exprs=parts):
            return _joined(parts, depth)
        case ast.InitList(exprs=parts):
            return f"{{{_joined(parts, depth)}}}"
        case ast.NamedInitializer(expr=value):
            indices = "".join(f"[{_text(index, depth + 1)}]" for index in designators(node))
            return f"{indices} = {_text(value, depth + 1)}"
        case _:
            return type(node).__name__


def _joined(parts: Sequence[ast.Node], depth: int) -> str:
    return ", ".join(_text(part, depth + 1) for part in parts[:20])


def _tight(node: ast.Node, depth: int, op: str = "") -> str:
    """Return an operand, in parentheses where it may need them."""
    text = _text(node, depth + 1)
    match node:
        case ast.BinaryOp(op=inner) if not _binds(inner, op):
            return f"({text})"
        case ast.TernaryOp() | ast.Assignment() | ast.ExprList():
            return f"({text})"
        case _:
            return text


def _binds(inner: str, outer: str) -> bool:
    if outer in _SUMS + _COMPARISONS:
        return inner in _PRODUCTS + _SUMS
    return outer in _PRODUCTS and inner in _PRODUCTS
