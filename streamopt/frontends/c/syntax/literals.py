"""Literals in C's types for them, and expressions that have no meaning here."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pycparser import c_ast as ast

from streamopt.ir.element import ElementType

_LARGEST = 2**64 - 1
_LARGEST_CHARACTER, _LARGEST_BYTE = 127, 255
_ESCAPES: Mapping[str, int] = {
    **dict(zip("abtnvfr", range(7, 14), strict=True)),
    **{character: ord(character) for character in "\\'\"?"},
}
_READ = (
    *(ast.ArrayRef, ast.Assignment, ast.BinaryOp, ast.Cast, ast.ExprList, ast.ID, ast.InitList),
    *(ast.NamedInitializer, ast.TernaryOp),
)


@dataclass(frozen=True, slots=True)
class TypedNumber:
    """A number in C's type for its literal."""

    value: int | float
    element: ElementType


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A phrase for an expression that has no meaning here, and a hint."""

    what: str
    hint: str


def unsupported(node: ast.Node) -> Unsupported | None:
    """Return why an expression has no meaning here; None if it has one."""
    match node:
        case _ if isinstance(node, _READ):
            return None
        case ast.Constant():
            number = number_of(node)
            return number if isinstance(number, Unsupported) else None
        case ast.UnaryOp(op="_Alignof"):
            return Unsupported("_Alignof in computing code", "write the number itself")
        case ast.FuncCall(name=name) if not isinstance(name, ast.ID):
            return Unsupported("a call through a pointer", "call the function by its name")
        case ast.UnaryOp() | ast.FuncCall():
            return None
        case ast.StructRef():
            hint = "pass the members as arrays and scalars of their own"
            return Unsupported("a member of a structure", hint)
        case _:
            hint = "use arithmetic, array elements, calls and ?:"
            return Unsupported(f"an expression of kind {type(node).__name__}", hint)


def number_of(node: ast.Constant) -> TypedNumber | Unsupported:
    """Return the number that a literal is, without the marks between digits of C++."""
    return _number(node.type, node.value if node.type == "char" else node.value.replace("'", ""))


@lru_cache(maxsize=4096)
def _number(kind: str, text: str) -> TypedNumber | Unsupported:
    if kind == "string":
        return Unsupported("a string", "take it out of the computing code")
    try:
        if kind == "char":
            return TypedNumber(_character(text), ElementType.INT32)
        if "float" in kind or "double" in kind:
            return _real(text)
        return _integer(text)
    except (ValueError, OverflowError):
        return Unsupported(f"the number {text[:40]}", "write it in decimal")


def _character(text: str) -> int:
    """Return the code of a character; raises ValueError if it is none."""
    inner = text[1:-1]
    if not inner.startswith("\\"):
        if len(inner) != 1 or ord(inner) > _LARGEST_CHARACTER:
            raise ValueError(text)
        return ord(inner)
    escaped = inner[1:]
    if escaped in _ESCAPES:
        return _ESCAPES[escaped]
    value = int(escaped[1:], 16) if escaped[0] == "x" else int(escaped, 8)
    if not 0 <= value <= _LARGEST_BYTE:
        raise ValueError(text)
    return value - 256 if value > _LARGEST_CHARACTER else value


def _real(text: str) -> TypedNumber | Unsupported:
    is_hexadecimal = text[:2] in ("0x", "0X")
    digits = text.rstrip("fFlL" if not is_hexadecimal else "lL")
    element = ElementType.FLOAT if text[-1] in "fF" and not is_hexadecimal else ElementType.DOUBLE
    value = float.fromhex(digits) if is_hexadecimal else float(digits)
    if not math.isfinite(value):
        return Unsupported(f"the number {text[:40]}, which is too large", "make it smaller")
    return TypedNumber(value, element)


def _integer(text: str) -> TypedNumber | Unsupported:
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    is_octal = digits.startswith("0") and digits[1:].isdigit()
    value = (int(digits, 8) if is_octal else int(digits, 0)) if len(digits) <= 70 else math.inf
    if value > _LARGEST:
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        hint = "whole numbers have up to 64 bits"
        return Unsupported(f"the number {shown}, which is too large", hint)
    is_decimal = digits[0] != "0" or digits == "0"
    bits = 32
    if "l" in suffix or value >= 2**32 or (is_decimal and "u" not in suffix and value >= 2**31):
        bits = 64
    is_unsigned = "u" in suffix or (not is_decimal and value >= 2 ** (bits - 1))
    return TypedNumber(value, ElementType(f"{'u' if is_unsigned else ''}int{bits}_t"))
