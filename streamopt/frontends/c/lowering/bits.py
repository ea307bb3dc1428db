"""Bits of ``ap_int``, ``ap_fixed`` and their kin: ``x[i]``, ``x.range(7, 0)``, ``x(7, 0)``.

They are read by a shift; where they are written, those that differ are turned over. The bits of a
fixed-point number are those of an integer, by whose point it is moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import places, values, words
from streamopt.frontends.c.lowering.state import Lowering
from streamopt.frontends.c.lowering.types import NodeType, number, word_of
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import arguments_of
from streamopt.frontends.c.syntax.types import element_named
from streamopt.ir.element import ElementType

_MAX_TERMS = 20


def bit(whole: ast.Node, index: ast.Node, node: ast.Node, state: Lowering) -> ast.Node:
    """Return one bit of a number."""
    found = _from(whole, index, 1, node, state)
    return ast.BinaryOp("&", found, number(1, node.coord), node.coord)


def slice_of(
    whole: ast.Node, ends: Sequence[ast.Node], node: ast.Node, state: Lowering
) -> ast.Node:
    """Return the bits of a number between two ends, or all, as a number without a sign."""
    ends = ends or _all(whole, state)
    width = _width(ends, node, state)
    if width is None:
        return number(0, node.coord)
    return converted(f"ap_uint_{width}_", _from(whole, ends[1], width, node, state))


def widened(part: ast.Node, state: Lowering) -> ast.Node | None:
    """Return the bits between two ends in as many bits as their number has; None for others.

    So the vendor's headers shift them (``ap_range_ref``).
    """
    whole = whole_of(part) if isinstance(part, ast.FuncCall) else None
    if whole is None or not places.is_bits(whole, state):
        return None
    width = words.LONGEST if words.is_long(whole, state) else _element(whole, state).bits
    return converted(f"ap_uint_{width}_", values.value(part, state))


def _from(whole: ast.Node, low: ast.Node, width: int, node: ast.Node, state: Lowering) -> ast.Node:
    """Return a number shifted such that some bits of it are the lowest."""
    if words.is_long(whole, state):
        whole, low = words.part(whole, low, width, state)
    return _shifted(whole, low, node, state)


def _shifted(whole: ast.Node, by: ast.Node, node: ast.Node, state: Lowering) -> ast.Node:
    found, element = values.value(whole, state), _element(whole, state)
    if element.is_fixed:
        by_point = number(element.fixed_point.fraction_bits, node.coord)
        moved = ast.BinaryOp("<<", converted(_wide(element), found), by_point)
        found = converted(f"ap_uint_{element.bits}_", converted(f"ap_int_{element.bits}_", moved))
    return ast.BinaryOp(">>", found, values.value(by, state), node.coord)


def converted(tag: str, value: ast.Node) -> ast.Cast:
    """Return a number converted to a type of the library."""
    named = NodeType(ast.Struct(tag, None)).typename(value.coord)
    return ast.Cast(named, value, value.coord)


def joined(parts: Sequence[ast.Node], node: ast.Node, state: Lowering) -> ast.Node:
    """Return the bits of numbers side by side, ``(high, low)``, as a number without a sign."""
    found: ast.Node = number(0, node.coord)
    width, at = 0, node.coord
    for part in parts:
        bits = _element(part, state).bits
        width += bits
        moved = ast.BinaryOp("<<", converted(f"ap_uint_{width}_", found), number(bits, at), at)
        low = converted(f"ap_uint_{bits}_", _shifted(part, number(0, at), node, state))
        found = ast.BinaryOp("|", moved, low, at)
    if width > 64:
        state.report(f"{shown(node)} has more than 64 bits", node, "join fewer numbers")
    return converted(f"ap_uint_{min(width, 64)}_", found)


def _element(whole: ast.Node, state: Lowering) -> ElementType:
    """Return the type of a number; one that is none is refused where it is declared."""
    kind = places.typed(whole, state)
    assert kind is not None
    return element_named([kind.tag]) or ElementType.INT32


def _wide(element: ElementType) -> str:
    """Return a format that has a fixed-point number, and the integer of its bits."""
    form = element.fixed_point
    return f"ap_fixed_{form.width_bits + form.fraction_bits}_{form.width_bits}_"


def assigned(target: ast.Node, value: ast.Node, state: Lowering) -> list[ast.Node] | None:
    """Return the statements that assign bits of a number; None where they are no such target."""
    whole = whole_of(target)
    if whole is None or not places.is_bits(whole, state):
        return None
    if isinstance(target, ast.FuncCall):
        found = _ends(target, whole, state)
    else:
        found = (target.subscript, 1) if isinstance(target, ast.ArrayRef) else None
    if found is None:
        return []
    low, width = found
    if words.is_long(whole, state):
        whole, low = words.part(whole, low, width, state)
    at, element, place = target.coord, _element(whole, state), values.value(whole, state)
    given = converted(f"ap_uint_{width}_", values.value(value, state))
    if width < element.bits - places.is_bits(whole, state, "ap_ufixed"):
        old = converted(f"ap_uint_{width}_", _shifted(whole, low, target, state))
        turned = converted(f"ap_uint_{element.bits}_", ast.BinaryOp("^", old, given, at))
        moved = ast.BinaryOp("<<", turned, values.value(low, state), at)
        given = ast.BinaryOp("^", _shifted(whole, number(0, at), target, state), moved, at)
    if element.is_fixed:
        wide = converted(_wide(element), converted(f"ap_int_{element.bits}_", given))
        given = ast.BinaryOp(">>", wide, number(element.fixed_point.fraction_bits, at), at)
    return [ast.Assignment("=", place, given, at)]


def whole_of(target: ast.Node) -> ast.Node | None:
    """Return the number of which a target may be bits."""
    match target:
        case ast.FuncCall(name=ast.StructRef(name=whole, field=ast.ID(name="range"))):
            return whole
        case ast.ArrayRef(name=whole) | ast.FuncCall(name=whole):
            return whole
        case _:
            return None


def _length(whole: ast.Node, state: Lowering) -> int:
    """Return how many bits a number has."""
    word = word_of(places.tag_of(whole, state))
    bits = _element(whole, state).bits if word is None else word[0] * word[1]
    return bits - places.is_bits(whole, state, "ap_ufixed")


def _all(whole: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return the ends between which all bits of a number are."""
    return [number(end, whole.coord) for end in (_length(whole, state) - 1, 0)]


def told(node: ast.FuncCall, whole: ast.Node, method: str, state: Lowering) -> ast.Node | None:
    """Return the value of a method that tells something of a number's bits; None of others."""
    given = arguments_of(node)
    match method, len(given):
        case "range", 0 | 2:
            return slice_of(whole, given, node, state)
        case "concat", 1:
            return joined([whole, *given], node, state)
        case "bit" | "get_bit" | "test", 1:
            return bit(whole, given[0], node, state)
        case "length", 0:
            return number(_length(whole, state), node.coord)
        case _, 0 if method.endswith("_reduce") and not words.is_long(whole, state):
            return _reduced(whole, method, node, state)
        case _:
            return None


def _reduced(whole: ast.Node, method: str, node: ast.Node, state: Lowering) -> ast.Node:
    """Return the truth value that ``and_reduce`` and its kin make of all bits of a number."""
    ends, kind = _all(whole, state), method.removeprefix("n").removesuffix("_reduce")
    count = _length(whole, state)
    if kind == "xor" or method == "xnor_reduce":
        found = reduce(
            lambda one, other: ast.BinaryOp("^", one, other, node.coord),
            [bit(whole, number(at, node.coord), node, state) for at in range(count)],
        )
    else:
        limit = (1 << count) - 1 if kind == "and" else 0
        op = "==" if kind == "and" else "!="
        limits = ast.Constant("unsigned long long int", f"{limit}ULL", node.coord)
        found = ast.BinaryOp(op, slice_of(whole, ends, node, state), limits, node.coord)
    is_not = method in ("nand_reduce", "nor_reduce", "xnor_reduce")
    return ast.UnaryOp("!", found, node.coord) if is_not else found


def changed(node: ast.Node, state: Lowering) -> ast.Node | None:
    """Return the assignment that a method is which changes bits of a number; None of others."""
    match node:
        case ast.FuncCall(name=ast.StructRef(name=whole, field=ast.ID(name=method))) if (
            places.is_bits(whole, state) and not words.is_long(whole, state)
        ):
            given, at = arguments_of(node), node.coord
        case _:
            return None
    target = ast.ArrayRef(whole, given[0], at) if given else whole
    match method, len(given):
        case "set" | "set_bit" | "clear" | "clear_bit", 0 | 1:
            ones = 1 if given else -1
            return ast.Assignment("=", target, number(ones * method.startswith("set"), at), at)
        case "set" | "set_bit", 2:
            return ast.Assignment("=", target, given[1], at)
        case "b_not", 0:
            return ast.Assignment("=", whole, ast.UnaryOp("~", whole, at), at)
        case "invert", 1:
            return ast.Assignment("=", target, ast.UnaryOp("!", target, at), at)
        case "lrotate" | "rrotate", 1:
            high = _all(whole, state)[0]
            rest = ast.BinaryOp("-", ast.BinaryOp("+", high, number(1, at), at), given[0], at)
            back, forth = (rest, given[0]) if method == "rrotate" else (given[0], rest)
            sides = (ast.BinaryOp("<<", whole, back, at), ast.BinaryOp(">>", whole, forth, at))
            return ast.Assignment("=", whole, ast.BinaryOp("|", *sides, at), at)
        case _:
            return None


def _ends(node: ast.FuncCall, whole: ast.Node, state: Lowering) -> tuple[ast.Node, int] | None:
    ends = arguments_of(node) or _all(whole, state)
    if len(ends) != 2:
        state.report(f"{shown(node)} is not supported", node, "write x.range(high, low)")
        return None
    width = _width(ends, node, state)
    return None if width is None else (ends[1], width)


def _width(ends: Sequence[ast.Node], node: ast.Node, state: Lowering) -> int | None:
    """Return how many bits are between two ends, which may both depend on iterators."""
    found = [terms(values.value(end, state), state) for end in ends]
    high, low = found if len(found) == 2 else (None, None)
    if high is not None and low is not None:
        names = {*high, *low} - {""}
        width = high.get("", 0) - low.get("", 0) + 1
        if all(high.get(n, 0) == low.get(n, 0) for n in names) and 1 <= width <= 64:
            return width
    message = f"{shown(node)} has a number of bits that is not known, or is more than 64"
    state.report(message, node, "write x.range(8 * i + 7, 8 * i)")
    return None


def terms(node: ast.Node, state: Lowering, depth: int = 0) -> dict[str, int] | None:
    """Return the factors of the names in a sum; those of numbers alone have the empty name."""
    if depth > _MAX_TERMS:
        return None
    known = state.constant(node)
    if known is not None:
        return {"": known}
    match node:
        case ast.ID(name=name):
            return {name: 1}
        case ast.BinaryOp(op="+" | "-" | "*" as op, left=left, right=right):
            one, other = (terms(side, state, depth + 1) for side in (left, right))
            if one is None or other is None:
                return None
            if op != "*":
                sign = 1 if op == "+" else -1
                return {n: one.get(n, 0) + sign * other.get(n, 0) for n in {*one, *other}}
            if set(other) != {""}:
                one, other = other, one
            return {n: f * other[""] for n, f in one.items()} if set(other) == {""} else None
        case _:
            return None
