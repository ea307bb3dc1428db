"""Expressions that are numbers, with members, streams and bits put as arrays and shifts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import aggregates, bits, calls, places, sizes, streams, words
from streamopt.frontends.c.lowering.state import Lowering
from streamopt.frontends.c.lowering.types import NodeType, number
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import INCREMENTS, arguments_of, mapped

_CONVERSIONS: Mapping[str, Sequence[str]] = {
    "to_int": ["int"],
    "to_uint": ["unsigned", "int"],
    "to_long": ["long"],
    "to_ulong": ["unsigned", "long"],
    "to_int64": ["long"],
    "to_uint64": ["unsigned", "long"],
    "to_half": ["short", "float"],
    "to_float": ["float"],
    "to_double": ["double"],
}
"""Types that methods of ``ap_int`` and its kin convert to."""


def value(node: ast.Node, state: Lowering) -> ast.Node:
    """Return an expression of numbers in place of another."""
    if places.is_place(node) and words.is_long(node, state):
        return words.lowest(node, state)
    node = calls.operation(node, state) or node
    match node:
        case ast.ID(name=name):
            return _name(node, name, state)
        case ast.StructRef():
            return places.leaf(node, "", state)
        case ast.ArrayRef():
            return _element(node, state)
        case ast.FuncCall():
            return _call(node, state)
        case ast.Cast(to_type=to, expr=operand):
            kind = state.types.resolved(to.type)
            named = to if kind.levels else kind.typename(to.coord)
            return ast.Cast(named, value(operand, state), node.coord)
        case ast.CompoundLiteral(type=to, init=ast.InitList(exprs=[operand])):
            return value(ast.Cast(to, operand, node.coord), state)
        case ast.UnaryOp(op="sizeof", expr=operand):
            return _size(node, operand, state)
        case ast.TernaryOp() | ast.BinaryOp() | ast.ExprList():
            return _choice(node, state)
        case _:
            return _of_parts(node, state)


def sized(kind: NodeType, state: Lowering) -> NodeType:
    """Return a type whose extents are numbers where its function's calls decide them."""
    levels = (replace(one, extent=one.extent and value(one.extent, state)) for one in kind.levels)
    return replace(kind, levels=tuple(levels))


def _size(node: ast.UnaryOp, operand: ast.Node, state: Lowering) -> ast.Node:
    if not isinstance(operand, ast.Typename):
        kind = places.typed(operand, state)
        is_whole = kind is not None and not kind.levels
    else:
        kind, is_whole = state.types.resolved(operand.type), True
    if kind is not None and is_whole and state.types.has_members(kind):
        laid = sizes.layout(kind, state)
        bare = ast.Constant("unsigned long int", f"{laid and laid[0]}ul", node.coord)
        return node if laid is None else bare
    if kind is None or not isinstance(operand, ast.Typename):
        return _of_parts(node, state)
    return ast.UnaryOp("sizeof", operand if kind.levels else kind.typename(operand.coord))


def _element(node: ast.ArrayRef, state: Lowering) -> ast.Node:
    place = places.given_place(node, state)
    if place is not node:
        return value(place, state)
    array, index = node.name, node.subscript
    if places.is_bits(array, state):
        return bits.bit(array, index, node, state)
    whole = places.typed(array, state)
    if whole is not None and whole.is_vector:
        return places.leaf(node, "", state)
    return ast.ArrayRef(value(array, state), value(index, state), node.coord)


def _choice(node: ast.Node, state: Lowering) -> ast.Node:
    """Return an operation, a part of which may not be evaluated."""
    match node:
        case ast.TernaryOp(cond=condition, iftrue=then, iffalse=otherwise):
            asked = value(condition, state)
            with state.conditional():
                first, second = value(then, state), value(otherwise, state)
            return ast.TernaryOp(asked, first, second, node.coord)
        case ast.BinaryOp(op="&&" | "||" as op, left=left, right=right):
            first = value(left, state)
            with state.conditional():
                return ast.BinaryOp(op, first, value(right, state), node.coord)
        case ast.BinaryOp() if any(words.is_long(n, state) for n in (node.left, node.right)):
            return words.compared(node, state)
        case ast.BinaryOp(op="<<", left=left, right=by) if wide := bits.widened(left, state):
            return ast.BinaryOp("<<", wide, value(by, state), node.coord)
        case ast.BinaryOp(op="<<", left=left) if places.is_bits(left, state, "ap_ufixed"):
            return bits.converted(places.tag_of(left, state), _of_parts(node, state))
        case ast.ExprList(exprs=parts) if all(places.is_bits(one, state) for one in parts):
            return bits.joined(parts, node, state)
        case _:
            return _of_parts(node, state)


def _name(node: ast.ID, name: str, state: Lowering) -> ast.Node:
    if name in state.inside.numbers and state.inside.scope.find(name) is None:
        return state.inside.numbers[name]
    if state.inside.scope.find(name) is None and places.typed(node, state) is not None:
        return places.leaf(node, "", state)
    return node


def _of_parts(node: ast.Node, state: Lowering) -> ast.Node:
    kind = places.typed(node.expr, state) if isinstance(node, ast.UnaryOp) else None
    kind = kind if kind is not None and state.types.has_members(kind) else None
    if isinstance(node, ast.UnaryOp) and node.op in INCREMENTS and kind and kind.levels:
        moved = places.leaves(node.expr, kind, state)
        return ast.ExprList([mapped(node, {id(node.expr): one}) for one in moved], node.coord)
    return mapped(node, {id(part): value(part, state) for part in node})


def _call(node: ast.FuncCall, state: Lowering) -> ast.Node:
    name = places.called(node, state)
    if name and places.is_whole(places.typed(node, state), state):
        return places.leaf(aggregates.kept(node, state), "", state)
    if name:
        return calls.call(node, name, state)
    match node.name:
        case ast.ID() | ast.ArrayRef() | ast.StructRef() if places.is_bits(node.name, state):
            return bits.slice_of(node.name, arguments_of(node), node, state)
        case ast.StructRef(name=whole, field=ast.ID(name=method)):
            return _method(node, whole, method, state)
        case _:
            arguments = [value(one, state) for one in arguments_of(node)]
            listed = None if node.args is None else ast.ExprList(arguments, node.coord)
            return ast.FuncCall(node.name, listed, node.coord)


def _method(node: ast.FuncCall, whole: ast.Node, method: str, state: Lowering) -> ast.Node:
    kind = places.typed(whole, state)
    if kind is not None and kind.is_stream:
        return streams.read(node, whole, method, state)
    arguments = arguments_of(node)
    if method == "size" and kind is not None and not arguments:
        inside = kind if kind.levels else dict(state.types.members(kind) or []).get(places.ELEMENTS)
        if inside is not None and inside.levels:
            extent, first = inside.levels[0].extent, ast.ArrayRef(whole, number(0, node.coord))
            size, part = (ast.UnaryOp("sizeof", one, node.coord) for one in (whole, first))
            return value(extent, state) if extent else ast.BinaryOp("/", size, part, node.coord)
    if (
        method in _CONVERSIONS
        and not arguments
        and (words.is_long(whole, state) or not places.is_whole(kind, state))
    ):
        to = NodeType(ast.IdentifierType([*_CONVERSIONS[method]])).typename(node.coord)
        return ast.Cast(to, value(whole, state), node.coord)
    found = bits.told(node, whole, method, state) if places.is_bits(whole, state) else None
    place = places.given_place(node, state)
    if found is not None or place is not node:
        return found or value(place, state)
    state.report(f"{shown(node)} is not supported", node, "use functions, arrays and hls::stream")
    return number(0, node.coord)
