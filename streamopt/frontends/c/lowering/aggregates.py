"""Structures that are declared, initialised, copied and computed with as a whole.

Before::

    struct pair { float x, y[2]; } a = {1, {2, 3}}, b;
    b = a;

After::

    float a__x = 1; float a__y[2] = {2, 3};
    b__x = a__x; for (int k = 0; k < 2; k++) b__y[k] = a__y[k];
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import (
    calls,
    functions,
    places,
    statements,
    streams,
    values,
    words,
)
from streamopt.frontends.c.lowering.state import Lowering
from streamopt.frontends.c.lowering.types import DeclaredLevel, LevelKind, Member, NodeType, number
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import base_name, every, mapped


def declared(
    name: str, kind: NodeType, node: ast.Decl, init: ast.Node | None, state: Lowering
) -> list[ast.Node]:
    """Return the declarations of the members of a variable, with their initial values."""
    state.inside.scope.declare(name, kind)
    storage = node.storage or []
    is_listed = isinstance(init, ast.InitList)
    is_alias = bool(kind.levels) and kind.levels[0].kind is not LevelKind.ARRAY
    found: list[ast.Node] = []
    if init is not None and not is_listed and not is_alias:
        kind = replace(kind, qualifiers=())
    for leaf in state.types.leaves(kind):
        if leaf.type.is_stream and not is_alias:
            found += streams.declared(f"{name}{leaf.suffix}", leaf.type, node, state)
            continue
        value = None
        if is_listed:
            value = _picked(init, len(kind.levels), leaf.path, kind, state)
        elif is_alias and init is not None:
            value = places.leaf(init, leaf.suffix, state)
        one = leaf.type
        if is_alias and init is not None and one.levels and one.levels[0].kind is LevelKind.ARRAY:
            one = one.element.within([DeclaredLevel(LevelKind.POINTER)])
        found.append(one.declaration(f"{name}{leaf.suffix}", node.coord, value, storage))
    if init is not None and not is_listed and not is_alias:
        found += assigned(ast.ID(name, node.coord), init, node, state)
    return found


def _picked(
    value: ast.Node | None, levels: int, path: Sequence[str], kind: NodeType, state: Lowering
) -> ast.Node | None:
    """Return the initial value of one member, of all elements where there are levels of arrays."""
    if levels and isinstance(value, ast.InitList):
        inside = [_picked(one, levels - 1, path, kind, state) for one in value.exprs]
        zero = number(0, value.coord)
        return ast.InitList([one or zero for one in inside] or [zero], value.coord)
    if levels or value is None:
        return value
    if not path:
        return values.value(value, state)
    zero = number(0, value.coord)
    if isinstance(value, ast.InitList):
        return _member(value, path, kind, zero, state)
    if isinstance(value, ast.Constant) and value.value == "0":
        return zero
    if places.is_whole(places.typed(value, state), state):
        return places.leaf(value, "".join(f"__{name}" for name in path), state)
    state.report(f"{shown(value)} can't initialise a structure", value, "write all braces")
    return zero


def _member(
    value: ast.InitList, path: Sequence[str], kind: NodeType, zero: ast.Node, state: Lowering
) -> ast.Node | None:
    """Return the value of one member of a structure that is initialised by a list."""
    members = state.types.members(NodeType(kind.base)) or []
    if NodeType(kind.base).is_vector and not any(
        isinstance(one, ast.InitList) for one in value.exprs
    ):
        value = ast.InitList([value], value.coord)
    at = [name for name, _ in members].index(path[0])
    inside = members[at][1]
    named = [one for one in value.exprs if isinstance(one, ast.NamedInitializer)]
    own = [one.expr for one in named if [*map(base_name, one.name)] == [[path[0]]]]
    found = next(iter(own[-1:] if named else value.exprs[at:]), None)
    if found is None:
        return _zeros(inside, path[1:], zero, state)
    if len(path) == 1 and not state.types.has_members(inside):
        return values.value(found, state)
    return _picked(found, len(inside.levels), path[1:], inside, state)


def _zeros(inside: NodeType, path: Sequence[str], zero: ast.Node, state: Lowering) -> ast.Node:
    levels = len(inside.levels)
    for name in path:
        inside = dict(state.types.members(NodeType(inside.base)) or [])[name]
        levels += len(inside.levels)
    return ast.InitList([zero], zero.coord) if levels else zero


def kept(node: ast.Node, state: Lowering, like: NodeType | None = None) -> ast.Node:
    """Return a structure that has a name; other values get a variable before the statement.

    Parameters
    ----------
    like
        The type of a value that doesn't tell it.
    """
    if places.is_place(node):
        return node
    if isinstance(node, ast.Cast) and places.is_whole(places.typed(node.expr, state), state):
        return kept(node.expr, state)
    kind = like or places.typed(node, state)
    if kind is None or not state.types.has_members(kind):
        state.report(f"{shown(node)} is no structure", node, "keep it in a variable")
        return node
    if state.around.is_conditional:
        hint = "keep it in a variable before, under an if"
        state.report(f"{shown(node)} stands under a condition of an expression", node, hint)
    name = state.temporary(kind, node)
    declaration = NodeType(kind.base).declaration(name.name, node.coord)
    found = declared(name.name, NodeType(kind.base), declaration, None, state)
    state.around.before += [*found, *assigned(name, node, node, state)]
    return name


def assigned(target: ast.Node, value: ast.Node, node: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return the statements that assign a structure."""
    kind = places.typed(target, state)
    assert kind is not None
    if words.is_long(target, state):
        while isinstance(value, ast.Cast) and words.is_long(value, state):
            value = value.expr
        if not places.is_whole(places.typed(value, state), state):
            return words.extended(target, value, state)
    value = calls.operation(value, state) or value
    if _reads_target(value, functions.root_of(target), state):
        value = kept(value, state, kind)
    match value:
        case ast.TernaryOp(cond=condition, iftrue=then, iffalse=otherwise):
            asked = values.value(condition, state)
            first, second = (
                ast.Compound(assigned(target, side, node, state), node.coord)
                for side in (then, otherwise)
            )
            return [ast.If(asked, first, second, node.coord)]
        case ast.FuncCall(name=ast.StructRef(name=whole, field=ast.ID(name="read")), args=None) if (
            places.is_stream(whole, state)
        ):
            return streams.moved(whole, target, node, state, end=1)
        case ast.FuncCall() if name := places.called(value, state):
            return [calls.call(value, name, state, result=target)]
        case (ast.InitList() as listed) | ast.CompoundLiteral(init=listed):
            return [
                _filled(target, listed, leaf, kind, node, state)
                for leaf in state.types.leaves(kind)
            ]
        case _:
            pass
    if kind.is_vector and not _is_place(value, state):
        return _elementwise(target, value, kind, node, state)
    return [
        copied(
            places.leaf(target, leaf.suffix, state),
            places.leaf(value, leaf.suffix, state),
            leaf.type.levels,
            node,
            state,
        )
        for leaf in state.types.leaves(kind)
    ]


def _reads_target(value: ast.Node, name: str, state: Lowering) -> bool:
    """Return whether members of a variable get values one by one that others of it decide."""
    is_made = isinstance(value, ast.InitList | ast.CompoundLiteral) or places.called(value, state)
    named = (part for part in every(value) if isinstance(part, ast.ID))
    return bool(is_made) and any(part.name == name for part in named)


def _filled(
    target: ast.Node, value: ast.Node, leaf: Member, kind: NodeType, node: ast.Node, state: Lowering
) -> ast.Node:
    found = _picked(value, 0, leaf.path, kind, state)
    place = places.leaf(target, leaf.suffix, state)
    if not isinstance(found, ast.InitList):
        return ast.Assignment("=", place, found or number(0, node.coord), node.coord)
    parts: list[ast.Node] = []
    for at, one in enumerate(found.exprs):
        element = ast.ArrayRef(place, number(at, node.coord), node.coord)
        parts.append(ast.Assignment("=", element, one, node.coord))
    return ast.Compound(parts, node.coord)


def _is_place(node: ast.Node, state: Lowering) -> bool:
    """Return whether a vector stands there, and not a number for all elements."""
    while isinstance(node, ast.Cast):
        node = node.expr
    return places.is_place(node) and places.is_whole(places.typed(node, state), state)


def _elementwise(
    target: ast.Node, value: ast.Node, kind: NodeType, node: ast.Node, state: Lowering
) -> list[ast.Node]:
    """Return the loop that computes a vector from vectors and numbers."""
    (_, inside), *_ = state.types.members(kind) or []
    is_long = words.is_long(target, state)
    if is_long and not words.is_bitwise(value):
        hint = "take parts of it: x.range(63, 0)"
        state.report(f"{shown(value)} computes with a number of more than 64 bits", value, hint)
        return []

    def named(operand: ast.Node) -> ast.Node:
        is_whole = places.is_whole(places.typed(operand, state), state)
        if is_long and not is_whole:
            operand = ast.Cast(kind.typename(operand.coord), operand, operand.coord)
        elif isinstance(operand, ast.Cast) and not (
            is_long or places.is_whole(places.typed(operand.expr, state), state)
        ):
            return ast.Cast(inside.element.typename(operand.coord), operand.expr, operand.coord)
        is_kept = isinstance(operand, ast.FuncCall | ast.Cast) and (is_long or is_whole)
        return kept(operand, state) if is_kept else operand

    value = _of_operands(value, named)
    index = state.unique("k")
    state.inside.scope.declare(index, NodeType(ast.IdentifierType(["int"])))
    at = ast.ID(index, node.coord)

    def element(operand: ast.Node) -> ast.Node:
        if is_long:
            return words.word(operand, at)
        is_vector = places.is_whole(places.typed(operand, state), state)
        return ast.ArrayRef(operand, at, operand.coord) if is_vector else operand

    inner = ast.Assignment("=", element(target), _of_operands(value, element), node.coord)
    body = statements.statement(inner, state)
    return [loop(index, inside.levels[0], ast.Compound(body, node.coord), node)]


def _of_operands(value: ast.Node, change: Callable[[ast.Node], ast.Node]) -> ast.Node:
    """Return a value in which operands of operators are changed."""
    match value:
        case ast.BinaryOp() | ast.UnaryOp(op="-" | "+" | "~"):
            parts = {id(part): _of_operands(part, change) for _, part in value.children()}
            return mapped(value, parts)
        case _:
            return change(value)


def copied(
    target: ast.Node,
    source: ast.Node,
    levels: Sequence[DeclaredLevel],
    node: ast.Node,
    state: Lowering,
) -> ast.Node:
    """Return the loops that copy an array, or the assignment of a number."""
    state.spend(node)
    names = [state.unique("k") for _ in levels]
    for name in names:
        at = ast.ID(name, node.coord)
        target = ast.ArrayRef(target, at, node.coord)
        source = ast.ArrayRef(source, at, node.coord)
    made: ast.Node = ast.Assignment("=", target, source, node.coord)
    for name, level in reversed([*zip(names, levels, strict=True)]):
        made = loop(name, level, made, node)
    return made


def loop(name: str, level: DeclaredLevel, body: ast.Node, node: ast.Node) -> ast.For:
    """Return a loop over all elements of a level."""
    at = ast.ID(name, node.coord)
    counter = NodeType(ast.IdentifierType(["int"]))
    first = ast.DeclList([counter.declaration(name, node.coord, number(0, node.coord))], node.coord)
    end = level.extent or number(0, node.coord)
    condition = ast.BinaryOp("<", at, end, node.coord)
    return ast.For(first, condition, ast.UnaryOp("p++", at, node.coord), body, node.coord)
