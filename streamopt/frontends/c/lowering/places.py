"""Types of expressions, and members as variables of their own: ``a__x[i]`` for ``a[i].x``."""

from __future__ import annotations

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import aggregates, calls, functions, streams, values
from streamopt.frontends.c.lowering.state import Lowering
from streamopt.frontends.c.lowering.types import (
    ELEMENTS,
    DeclaredLevel,
    LevelKind,
    NodeType,
    word_of,
)
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import arguments_of, with_nodes
from streamopt.frontends.c.text.classes import CALLED, SUBSCRIPTED, THIS

_LITERALS = {"int": "int", "char": "char", "double": "double", "float": "float"}


def typed(node: ast.Node, state: Lowering) -> NodeType | None:
    """Return the type of an expression, a reference's value; None where it is not known."""
    found = _typed(node, state)
    return None if found is None else found.value


def _typed(node: ast.Node, state: Lowering) -> NodeType | None:
    match node:
        case ast.ID(name=name):
            return state.inside.scope.find(name) or _own_member(name, state)
        case ast.ArrayRef(name=array):
            place = given_place(node, state)
            if place is not node:
                return typed(place, state)
            whole = typed(array, state)
            return None if whole is None else _element(whole, state)
        case ast.UnaryOp(op="*", expr=pointer):
            whole = typed(pointer, state)
            return whole.element if whole is not None and whole.levels else None
        case ast.UnaryOp(op="&", expr=operand):
            whole = typed(operand, state)
            return None if whole is None else whole.within([DeclaredLevel(LevelKind.POINTER)])
        case ast.StructRef():
            return _member(node, state)
        case ast.FuncCall():
            return _returned(node, state)
        case _:
            return _computed(node, state)


def _computed(node: ast.Node, state: Lowering) -> NodeType | None:
    match calls.operation(node, state) or node:
        case ast.FuncCall() as call:
            return _returned(call, state)
        case ast.Assignment(lvalue=target):
            return typed(target, state)
        case ast.TernaryOp(iftrue=then, iffalse=otherwise):
            return typed(then, state) or typed(otherwise, state)
        case ast.Cast(to_type=to) | ast.CompoundLiteral(type=to):
            return state.types.resolved(to.type)
        case ast.BinaryOp(op="==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||"):
            return NodeType(ast.IdentifierType(["int"]))
        case ast.BinaryOp(left=left, right=right):
            return _combined(typed(left, state), typed(right, state), state)
        case ast.UnaryOp(op="-" | "+" | "~", expr=operand):
            return typed(operand, state)
        case ast.Constant(type=kind) if kind in _LITERALS:
            return NodeType(ast.IdentifierType([_LITERALS[kind]]))
        case _:
            return None


def _element(whole: NodeType, state: Lowering) -> NodeType | None:
    if whole.levels:
        return whole.element
    if word_of(whole.tag) is not None:
        return NodeType(ast.Struct("ap_uint_1_", None))
    if whole.is_vector:
        members = state.types.members(whole) or []
        return members[0][1].element
    return None


def _own_member(name: str, state: Lowering) -> NodeType | None:
    this = state.inside.scope.find(THIS)
    return None if this is None else dict(state.types.members(this.value) or []).get(name)


def _member(node: ast.StructRef, state: Lowering) -> NodeType | None:
    whole = typed(node.name, state)
    if whole is None:
        return None
    base = whole.element if node.type == "->" and whole.levels else whole
    found = dict(state.types.members(base) or []) if not base.levels else {}
    return found.get(node.field.name) if isinstance(node.field, ast.ID) else None


def called(node: ast.Node, state: Lowering) -> str:
    """Return the function of the file that a call calls, of a structure or not; empty if none."""
    match node:
        case ast.FuncCall(name=ast.ID(name=name)) if name in state.functions.known:
            return name
        case ast.FuncCall(name=ast.ID(name=method)) if method in state.functions.forms:
            whole = None
        case ast.FuncCall(name=ast.StructRef(name=whole, field=ast.ID(name=method))):
            pass
        case ast.FuncCall(name=whole):
            method = CALLED
        case _:
            return ""
    kind = None if whole is None else typed(whole, state)
    name = method if kind is None else f"{kind.tag}__{method}"
    return calls.chosen(
        [name], lambda: [typed(one, state) for one in calls.arguments(node, state)], node, state
    )


def _returned(node: ast.FuncCall, state: Lowering) -> NodeType | None:
    name = called(node, state)
    if name and (tag := calls.constructed(name, state)):
        return NodeType(ast.Struct(tag, None))
    if name:
        return state.types.resolved(functions.declarator_of(state.functions.known[name]).type)
    match node.name:
        case ast.StructRef(name=whole, field=ast.ID(name="read")):
            stream = typed(whole, state)
            return state.types.stream_element(stream) if stream and stream.is_stream else None
        case _:
            return None


def _combined(left: NodeType | None, right: NodeType | None, state: Lowering) -> NodeType | None:
    """Return the type of an operation's result, where one side alone decides it."""
    for side in (left, right):
        if side is not None and (side.levels or state.types.has_members(side)):
            return side
    if left is None or right is None:
        return None
    names = [side.base.names for side in (left, right) if isinstance(side.base, ast.IdentifierType)]
    if len(names) < 2:
        return None
    return left if names[0] == names[1] or names[0] in (["double"], ["float"]) else right


def is_place(node: ast.Node) -> bool:
    """Return whether an expression names a variable or a part of one."""
    named = isinstance(node, ast.ID | ast.ArrayRef | ast.StructRef)
    return named or (isinstance(node, ast.UnaryOp) and node.op == "*")


def is_stream(node: ast.Node, state: Lowering) -> bool:
    """Return whether an expression is a stream."""
    kind = typed(node, state)
    return kind is not None and kind.is_stream


def tag_of(node: ast.Node, state: Lowering) -> str:
    """Return the name of the structure that an expression's type is; empty for others."""
    kind = typed(node, state)
    return "" if kind is None or kind.levels else kind.tag


def is_bits(node: ast.Node, state: Lowering, family: str = "ap_") -> bool:
    """Return whether an expression is one number of ``ap_int`` or its kin."""
    return tag_of(node, state).startswith(family)


def is_whole(kind: NodeType | None, state: Lowering) -> bool:
    """Return whether a type is a structure itself, not an array or a pointer."""
    return kind is not None and not kind.value.levels and state.types.has_members(kind)


def has_members(kind: NodeType | None, state: Lowering) -> bool:
    """Return whether a type is a structure, or an array of or a pointer to structures."""
    return kind is not None and (state.types.has_members(kind) or kind.is_stream)


def leaf(node: ast.Node, suffix: str, state: Lowering) -> ast.Node:
    """Return the member with a suffix of the structure that an expression names."""
    match node:
        case ast.ID(name=name):
            if state.inside.scope.find(name) is None and _own_member(name, state) is not None:
                return ast.ID(f"this__{name}{suffix}", node.coord)
            return ast.ID(f"{name}{suffix}", node.coord)
        case ast.ArrayRef() if (place := given_place(node, state)) is not node:
            return leaf(place, suffix, state)
        case ast.ArrayRef(name=array) if is_stream(array, state):
            return leaf(streams.chosen(node, state), suffix, state)
        case ast.ArrayRef(name=array, subscript=index):
            whole = typed(array, state)
            if whole is not None and whole.is_vector:
                suffix = f"__{ELEMENTS}{suffix}"
            inside = values.value(index, state)
            return ast.ArrayRef(leaf(array, suffix, state), inside, node.coord)
        case ast.UnaryOp(op="*" | "&" as op, expr=operand):
            return ast.UnaryOp(op, leaf(operand, suffix, state), node.coord)
        case ast.StructRef(name=whole, type=kind, field=ast.ID(name=name)):
            _refuse_pointer(node, suffix, state)
            inside = pointed(whole, node) if kind == "->" else whole
            return leaf(inside, f"__{name}{suffix}", state)
        case ast.Cast(expr=operand):
            return leaf(operand, suffix, state)
        case _:
            return _leaf_of_value(node, suffix, state)


def given_place(node: ast.Node, state: Lowering) -> ast.Node:
    """Return the place that a function of a class returns, in place of its call or ``[]``.

    Before: ``w[3]``, where ``T &operator[](int k) { return cells[k]; }``
    After:  ``w.cells[3]``
    """
    match node:
        case ast.ArrayRef(name=whole, subscript=index):
            name, given = SUBSCRIPTED, [index]
        case ast.FuncCall(name=ast.StructRef(name=whole, field=ast.ID(name=name))):
            given = arguments_of(node)
            kind = typed(whole, state) if name == "at" and len(given) == 1 else None
            if kind is not None and kind.is_vector:
                return ast.ArrayRef(whole, given[0], node.coord)
        case ast.FuncCall(name=(ast.ID() | ast.ArrayRef()) as whole):
            name, given = CALLED, arguments_of(node)
        case _:
            return node
    kind = typed(whole, state)
    forms = state.functions.forms.get(f"{tag_of(whole, state)}__{name}", ())
    if kind is None or not forms:
        return node
    function = state.functions.known[forms[0]]
    names = [one.name or "" for one in functions.parameters_of(function)[1:]]
    match function.body.block_items:
        case [ast.Return(expr=ast.Node() as value)] if is_place(value):
            members = [member for member, _ in state.types.members(kind) or []]
            own = {one: ast.StructRef(whole, ".", ast.ID(one), node.coord) for one in members}
            return with_nodes(value, {**own, **dict(zip(names, given, strict=False))})
        case _:
            return node


def leaves(node: ast.Node, kind: NodeType, state: Lowering) -> list[ast.Node]:
    """Return all members of a structure of a type that an expression names."""
    found: list[ast.Node] = []
    for one in state.types.leaves(kind):
        place = leaf(node, one.suffix, state)
        if one.type.is_stream and isinstance(place, ast.ID):
            inside = state.types.leaves(state.types.stream_element(one.type))
            ends = (*(part.suffix for part in inside), *streams.COUNTERS)
            found += [ast.ID(f"{place.name}{end}", place.coord) for end in ends]
        else:
            found.append(place)
    return found


def _refuse_pointer(node: ast.StructRef, suffix: str, state: Lowering) -> None:
    """Report a member that points at a structure of which a member is wanted."""
    found = _member(node, state)
    levels = () if found is None or not suffix else found.levels
    if any(level.kind is LevelKind.POINTER for level in levels):
        message = f"{shown(node)} is a pointer, and a member of a structure"
        state.report(message, node, "use an array as a member")


def _leaf_of_value(node: ast.Node, suffix: str, state: Lowering) -> ast.Node:
    match node:
        case ast.BinaryOp(op="+" | "-" as op, left=pointer, right=by):
            moved = leaf(pointer, suffix, state)
            return ast.BinaryOp(op, moved, values.value(by, state), node.coord)
        case ast.TernaryOp(cond=condition, iftrue=then, iffalse=otherwise):
            first, second = (leaf(side, suffix, state) for side in (then, otherwise))
            return ast.TernaryOp(values.value(condition, state), first, second, node.coord)
        case ast.FuncCall() if is_whole(typed(node, state), state):
            return leaf(aggregates.kept(node, state), suffix, state)
        case _:
            message = f"{shown(node)} is not supported where a structure is needed"
            state.report(message, node, "keep the structure in a variable")
            return ast.ID("unknown", node.coord)


def pointed(pointer: ast.Node, node: ast.Node) -> ast.Node:
    """Return all that a pointer points at."""
    if isinstance(pointer, ast.UnaryOp) and pointer.op == "&":
        return pointer.expr
    return ast.UnaryOp("*", pointer, node.coord)
