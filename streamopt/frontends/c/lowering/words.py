"""Whole numbers of more than 64 bits as arrays of words, of which the first has the lowest bits.

Before::

    ap_uint<512> a, b; b = a ^ 3; x = a.range(32 * k + 31, 32 * k);

After::

    ap_uint<64> a__v[8], b__v[8]; ...; x = ap_uint<32>(a__v[32 * k / 64] >> 32 * k % 64);

So they are moved, compared, taken apart and joined by bits; sums of them are refused.
"""

from __future__ import annotations

from functools import reduce
from math import gcd

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import bits, places, values
from streamopt.frontends.c.lowering.state import Lowering
from streamopt.frontends.c.lowering.types import ELEMENTS, number, word_of
from streamopt.frontends.c.syntax.rendering import shown

LONGEST = 64
_BITWISE = ("&", "|", "^")


def is_long(node: ast.Node, state: Lowering) -> bool:
    """Return whether an expression is a number of several words."""
    if not state.types.has_words:
        return False
    kind = places.typed(node, state)
    return kind is not None and not kind.levels and word_of(kind.tag) is not None


def _sizes(node: ast.Node, state: Lowering) -> tuple[int, int]:
    """Return the bits of a word of a number, and how many words it has."""
    kind = places.typed(node, state)
    found = None if kind is None else word_of(kind.tag)
    assert found is not None
    return found


def word(whole: ast.Node, at: ast.Node) -> ast.ArrayRef:
    """Return one word of a number."""
    words = ast.StructRef(whole, ".", ast.ID(ELEMENTS, whole.coord))
    words.coord = whole.coord
    return ast.ArrayRef(words, at, whole.coord)


def part(
    whole: ast.Node, low: ast.Node, width_bits: int, state: Lowering
) -> tuple[ast.Node, ast.Node]:
    """Return the word that has some bits of a number, and where they begin in it.

    Bits that may lie in two words are reported (E135).
    """
    size, _ = _sizes(whole, state)
    terms = bits.terms(values.value(low, state), state) or {"": 1, "?": 1}
    step = gcd(size, *(factor for name, factor in terms.items() if name))
    if terms.get("", 0) % step + width_bits > step:
        message = f"{shown(whole)} is taken apart in pieces that may lie in two words"
        hint = f"take pieces that divide {size} bits: x.range(8 * i + 7, 8 * i)"
        state.report(message, whole, hint)
    by = number(size, low.coord)
    return word(whole, ast.BinaryOp("/", low, by)), ast.BinaryOp("%", low, by)


def lowest(whole: ast.Node, state: Lowering) -> ast.Node:
    """Return the lowest 64 bits of a number."""
    size, count = _sizes(whole, state)
    found: list[ast.Node] = []
    for at in range(min(count, LONGEST // size)):
        one = values.value(word(whole, number(at, whole.coord)), state)
        one = bits.converted("ap_uint_64_", one)
        found.append(ast.BinaryOp("<<", one, number(at * size, whole.coord)) if at else one)
    return bits.converted(
        "ap_uint_64_", reduce(lambda one, other: ast.BinaryOp("|", one, other), found)
    )


def extended(target: ast.Node, value: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return the statements that assign a shorter number."""
    size, count = _sizes(target, state)
    given, at = values.value(value, state), value.coord
    wide = bits.converted("ap_int_64_", given)
    zero = number(0, at)
    above = ast.TernaryOp(ast.BinaryOp("<", given, zero), number(-1, at), zero)
    is_known = isinstance(given, ast.Constant)
    made: list[ast.Node] = []
    for place in range(count):
        into = values.value(word(target, number(place, at)), state)
        moved = ast.BinaryOp(">>", wide, number(place * size, at)) if place else given
        filled = moved if place * size < LONGEST else above
        filled = zero if is_known and place else filled
        made.append(ast.Assignment("=", into, bits.converted(f"ap_uint_{size}_", filled), at))
    return made


def compared(node: ast.BinaryOp, state: Lowering) -> ast.Node:
    """Return whether two numbers are equal, word by word; other operations are reported (E135)."""
    sides = [node.left, node.right]
    if node.op not in ("==", "!=") or not all(is_long(side, state) for side in sides):
        message = f"{shown(node)} computes with a number of more than {LONGEST} bits"
        state.report(message, node, "take parts of it: x.range(63, 0)")
        return number(0, node.coord)
    joint = "&&" if node.op == "==" else "||"
    _, count = _sizes(node.left, state)
    pairs: list[ast.Node] = []
    for at in range(count):
        place = number(at, node.coord)
        left, right = (values.value(word(side, place), state) for side in sides)
        pairs.append(ast.BinaryOp(node.op, left, right, node.coord))
    return reduce(lambda one, other: ast.BinaryOp(joint, one, other, node.coord), pairs)


def is_bitwise(node: ast.Node) -> bool:
    """Return whether an operation computes each bit from bits at the same place."""
    match node:
        case ast.BinaryOp(op=op, left=left, right=right):
            return op in _BITWISE and is_bitwise(left) and is_bitwise(right)
        case ast.UnaryOp(op="~", expr=operand):
            return is_bitwise(operand)
        case _:
            return True
