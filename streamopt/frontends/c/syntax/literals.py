"""Expressions: from pycparser's tree to typed nodes; what has no meaning here says so."""

# pycparser has no types
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUnknownParameterType=false

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pycparser import c_ast as ast

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
    Unary,
    Unsupported,
)
from streamopt.ir.element import ElementType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.errors import SourceLoc
    from streamopt.frontends.c.syntax.tree import Node
    from streamopt.frontends.c.syntax.types import Converter

__all__ = ["converted"]

_LARGEST_EXACT = 2**53
_LARGEST_CHARACTER, _LARGEST_BYTE = 127, 255
_ESCAPES: Mapping[str, int] = {
    **dict(zip("abtnvfr", range(7, 14), strict=True)),
    **{character: ord(character) for character in "\\'\"?"},
}


def converted(node: Any, to: Converter) -> Node:
    """Return an expression as a typed node."""
    match node:
        case ast.ID():
            return Name(str(node.name), to.loc(node))
        case ast.Constant():
            return _number(node, to.loc(node))
        case ast.BinaryOp():
            left, right = converted(node.left, to), converted(node.right, to)
            return Operation(str(node.op), left, right, to.loc(node))
        case ast.ArrayRef():
            base = converted(node.name, to)
            return Subscript(base, converted(node.subscript, to), base.loc)
        case ast.UnaryOp():
            return _unary(node, to)
        case ast.Assignment():
            target, value = converted(node.lvalue, to), converted(node.rvalue, to)
            return Assignment(str(node.op).removesuffix("="), target, value, to.loc(node))
        case ast.FuncCall():
            return _call(node, to)
        case _:
            return _composed(node, to)


def _composed(node: Any, to: Converter) -> Node:
    loc = to.loc(node)
    match node:
        case ast.Cast():
            return Conversion(to.type_use(node.to_type), converted(node.expr, to), loc)
        case ast.TernaryOp():
            then, otherwise = converted(node.iftrue, to), converted(node.iffalse, to)
            return Ternary(converted(node.cond, to), then, otherwise, loc)
        case ast.ExprList():
            return Comma(tuple(converted(part, to) for part in node.exprs), loc)
        case ast.InitList():
            return Initializers(tuple(converted(part, to) for part in node.exprs), loc)
        case ast.StructRef():
            hint = "pass the members as arrays and scalars of their own"
            return Unsupported("a member of a structure", hint, loc)
        case ast.NamedInitializer():
            path = tuple(converted(getattr(part, "expr", part), to) for part in node.name)
            value = converted(node.expr, to)
            return Designated(path, value, value.loc)
        case _:
            hint = "use arithmetic, array elements, calls and ?:"
            return Unsupported(f"an expression of kind {type(node).__name__}", hint, loc)


def _unary(node: Any, to: Converter) -> Node:
    loc, op = to.loc(node), str(node.op)
    if op == "_Alignof":
        return Unsupported(f"{op} in computing code", "write the number itself", loc)
    if op == "sizeof":
        is_type = isinstance(node.expr, ast.Typename)
        return SizeOf(to.type_use(node.expr) if is_type else converted(node.expr, to), loc)
    operand = converted(node.expr, to)
    if op.strip("p") in ("++", "--"):
        return Increment(operand, 1 if "+" in op else -1, operand.loc)
    return Unary(op, operand, loc)


def _call(node: Any, to: Converter) -> Node:
    loc = to.loc(node)
    if not isinstance(node.name, ast.ID):
        return Unsupported("a call through a pointer", "call the function by its name", loc)
    arguments = node.args.exprs if node.args is not None else []
    return Call(str(node.name.name), tuple(converted(a, to) for a in arguments), loc)


def _number(node: Any, loc: SourceLoc) -> Node:
    text = str(node.value)
    kind = str(node.type)
    if kind == "string":
        return Unsupported("a string", "take it out of the computing code", loc)
    try:
        if kind == "char":
            return _character(text, loc)
        if "float" in kind or "double" in kind:
            return _real(text, loc)
        return _integer(text, loc)
    except (ValueError, OverflowError):
        return Unsupported(f"the number {text[:40]}", "write it in decimal", loc)


def _character(text: str, loc: SourceLoc) -> Node:
    inner = text[1:-1]
    if inner.startswith("\\"):
        return Number(_escaped(inner[1:]), ElementType.INT32, loc)
    if len(inner) != 1 or ord(inner) > _LARGEST_CHARACTER:
        raise ValueError(text)
    return Number(ord(inner), ElementType.INT32, loc)


def _escaped(text: str) -> int:
    """Return the character that stands behind a backslash; raises ValueError for none."""
    if text in _ESCAPES:
        return _ESCAPES[text]
    value = int(text[1:], 16) if text[0] == "x" else int(text, 8)
    if not 0 <= value <= _LARGEST_BYTE:
        raise ValueError(text)
    return value - 256 if value > _LARGEST_CHARACTER else value


def _real(text: str, loc: SourceLoc) -> Node:
    is_hexadecimal = text[:2] in ("0x", "0X")
    digits = text.rstrip("fFlL" if not is_hexadecimal else "lL")
    element = ElementType.FLOAT if text[-1] in "fF" and not is_hexadecimal else ElementType.DOUBLE
    value = float.fromhex(digits) if is_hexadecimal else float(digits)
    if not math.isfinite(value):
        return Unsupported(f"the number {text[:40]}, which is too large", "make it smaller", loc)
    return Number(value, element, loc)


def _integer(text: str, loc: SourceLoc) -> Node:
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    if len(digits) > 70:
        return _too_large(text, loc)
    is_octal = digits.startswith("0") and digits[1:].isdigit()
    value = int(digits, 8) if is_octal else int(digits, 0)
    if value > _LARGEST_EXACT and not (is_octal or digits.startswith("0x")):
        return _too_large(text, loc)
    is_decimal = digits[0] != "0" or digits == "0"
    bits = 32
    if "l" in suffix or value >= 2**32 or (is_decimal and "u" not in suffix and value >= 2**31):
        bits = 64
    is_unsigned = "u" in suffix or (not is_decimal and value >= 2 ** (bits - 1))
    if value > _LARGEST_EXACT:
        return _too_large(text, loc)
    return Number(value, ElementType(f"{'u' if is_unsigned else ''}int{bits}_t"), loc)


def _too_large(text: str, loc: SourceLoc) -> Node:
    shown = text if len(text) <= 40 else f"{text[:37]}..."
    hint = f"whole numbers go up to 2**53 = {_LARGEST_EXACT}"
    return Unsupported(f"the number {shown}, which is too large", hint, loc)
