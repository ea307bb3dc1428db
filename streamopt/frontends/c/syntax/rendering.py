"""Expressions as C text, for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.c.syntax.tree import (
    Assignment,
    Call,
    Comma,
    Conversion,
    Designated,
    Increment,
    Initializers,
    Name,
    Number,
    Operation,
    SizeOf,
    Subscript,
    Ternary,
    TypeUse,
    Unary,
    Unsupported,
)

if TYPE_CHECKING:
    from streamopt.frontends.c.syntax.tree import Node

__all__ = ["shown"]

_LONGEST = 60
_DEEPEST = 30


def shown(node: Node) -> str:
    """Return an expression as C text, cut where it is long."""
    text = _text(node, 0)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _text(node: Node, depth: int) -> str:
    if depth > _DEEPEST:
        return "..."
    match node:
        case Name(name):
            return name
        case Number(value):
            return str(value)
        case Subscript(base, index):
            return f"{_tight(base, depth)}[{_text(index, depth + 1)}]"
        case Unary(op, operand):
            return f"{op}{_tight(operand, depth)}"
        case Increment(operand, by):
            return f"{_tight(operand, depth)}{'++' if by > 0 else '--'}"
        case Operation(op, left, right):
            return f"{_tight(left, depth, op)} {op} {_tight(right, depth)}"
        case Assignment(op, target, value):
            return f"{_text(target, depth + 1)} {op}= {_text(value, depth + 1)}"
        case Conversion(type, operand):
            return f"({type.text}){_tight(operand, depth)}"
        case _:
            return _composed(node, depth)


def _composed(node: Node, depth: int) -> str:
    match node:
        case Call(function, arguments):
            return f"{function}({_joined(arguments, depth)})"
        case Ternary(condition, then, otherwise):
            parts = (_tight(part, depth) for part in (condition, then, otherwise))
            return "{} ? {} : {}".format(*parts)
        case Comma(parts):
            return _joined(parts, depth)
        case Initializers(parts):
            return f"{{{_joined(parts, depth)}}}"
        case Designated(path, value):
            indices = "".join(f"[{_text(index, depth + 1)}]" for index in path)
            return f"{indices} = {_text(value, depth + 1)}"
        case SizeOf(operand):
            inside = operand.text if isinstance(operand, TypeUse) else _text(operand, depth + 1)
            return f"sizeof({inside})"
        case Unsupported(what):
            return what
        case _:
            return _text(node, depth)


def _joined(parts: tuple[Node, ...], depth: int) -> str:
    return ", ".join(_text(part, depth + 1) for part in parts[:20])


def _tight(node: Node, depth: int, op: str = "") -> str:
    """Return an operand, in parentheses where it may need them."""
    text = _text(node, depth + 1)
    match node:
        case Operation(inner) if not _binds(inner, op):
            return f"({text})"
        case Ternary() | Assignment() | Comma():
            return f"({text})"
        case _:
            return text


def _binds(inner: str, outer: str) -> bool:
    products, sums = ("*", "/", "%"), ("+", "-")
    if outer in sums:
        return inner in products + sums
    if outer in products:
        return inner in products
    return outer in ("<", "<=", ">", ">=", "==", "!=") and inner in products + sums
