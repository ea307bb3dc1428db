"""Bits of ``ap_int`` and ``ap_uint``: ``x[i]``, ``x.range(7, 0)`` and ``x(7, 0)`` as shifts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import places, values
from streamopt.frontends.c.lowering.types import NodeType, number
from streamopt.frontends.c.syntax.rendering import shown

if TYPE_CHECKING:
    from streamopt.frontends.c.lowering.state import Lowering

_MAX_TERMS = 20


def bit(node: ast.ArrayRef, index: ast.Node, state: Lowering) -> ast.Node:
    """Return one bit of a number."""
    found = _shifted(node.name, index, node, state)
    return ast.BinaryOp("&", found, number(1, node.coord), node.coord)


def slice_of(
    whole: ast.Node, ends: Sequence[ast.Node], node: ast.Node, state: Lowering
) -> ast.Node:
    """Return the bits of a number between two ends, as a number without a sign."""
    width = _width(ends, node, state)
    if width is None:
        return number(0, node.coord)
    named = NodeType(ast.Struct(f"ap_uint_{width}_", None)).typename(node.coord)
    return ast.Cast(named, _shifted(whole, ends[1], node, state), node.coord)


def _shifted(whole: ast.Node, by: ast.Node, node: ast.Node, state: Lowering) -> ast.Node:
    found = values.value(whole, state)
    return ast.BinaryOp(">>", found, values.value(by, state), node.coord)


def assigned(target: ast.Node, value: ast.Node, state: Lowering) -> list[ast.Node] | None:
    """Return the statements that assign bits of a number; None where they are no such target."""
    match target:
        case ast.FuncCall(name=ast.StructRef(name=whole, field=ast.ID(name="range"))):
            pass
        case ast.ArrayRef(name=whole) | ast.FuncCall(name=ast.ID() as whole):
            pass
        case _:
            return None
    if not places.is_bits(whole, state):
        return None
    found = (target.subscript, 1) if isinstance(target, ast.ArrayRef) else _ends(target, state)
    if found is None:
        return []
    low, width = found
    at = target.coord
    mask = number((1 << width) - 1, at)
    plain = NodeType(ast.IdentifierType(["long", "long"]))
    long_mask = ast.Cast(plain.typename(at), mask, at)
    place, shift = values.value(whole, state), values.value(low, state)
    hole = ast.UnaryOp("~", ast.BinaryOp("<<", long_mask, shift, at), at)
    kept = ast.BinaryOp("&", place, hole, at)
    given = ast.Cast(plain.typename(at), values.value(value, state), at)
    inside = ast.BinaryOp("&", given, long_mask, at)
    filled = ast.BinaryOp("<<", inside, shift, at)
    return [ast.Assignment("=", place, ast.BinaryOp("|", kept, filled, at), at)]


def _ends(node: ast.FuncCall, state: Lowering) -> tuple[ast.Node, int] | None:
    ends = [] if node.args is None else node.args.exprs
    if len(ends) != 2:
        state.report(f"{shown(node)} is not supported", node, "write x.range(high, low)")
        return None
    width = _width(ends, node, state)
    return None if width is None else (ends[1], width)


def _width(ends: Sequence[ast.Node], node: ast.Node, state: Lowering) -> int | None:
    """Return how many bits are between two ends, which may both depend on iterators."""
    terms = [_terms(values.value(end, state)) for end in ends]
    high, low = terms if len(terms) == 2 else (None, None)
    if high is not None and low is not None:
        names = {*high, *low} - {""}
        width = high.get("", 0) - low.get("", 0) + 1
        if all(high.get(n, 0) == low.get(n, 0) for n in names) and 1 <= width <= 53:
            return width
    message = f"{shown(node)} has a number of bits that is not known, or is more than 53"
    state.report(message, node, "write x.range(8 * i + 7, 8 * i)")
    return None


def _terms(node: ast.Node, depth: int = 0) -> dict[str, int] | None:
    """Return the factors of the names in a sum; those of numbers alone have the empty name."""
    if depth > _MAX_TERMS:
        return None
    match node:
        case ast.Constant(value=text):
            digits = text.rstrip("uUlL")
            return {"": int(digits, 0)} if digits.isalnum() and digits[0].isdigit() else None
        case ast.ID(name=name):
            return {name: 1}
        case ast.BinaryOp(op="+" | "-" as op, left=left, right=right):
            one, other = _terms(left, depth + 1), _terms(right, depth + 1)
            if one is None or other is None:
                return None
            sign = 1 if op == "+" else -1
            return {n: one.get(n, 0) + sign * other.get(n, 0) for n in {*one, *other}}
        case ast.BinaryOp(op="*", left=left, right=right):
            one, other = _terms(left, depth + 1), _terms(right, depth + 1)
            if one is None or other is None:
                return None
            if set(other) != {""}:
                one, other = other, one
            return {n: f * other[""] for n, f in one.items()} if set(other) == {""} else None
        case _:
            return None
