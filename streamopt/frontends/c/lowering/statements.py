"""Statements, rewritten one by one; one may become several."""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import aggregates, bits, calls, places, streams, values
from streamopt.frontends.c.lowering.state import Around, Lowering
from streamopt.frontends.c.lowering.types import AUTO, LevelKind, NodeType, number
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import every, mapped, with_nodes
from streamopt.frontends.c.syntax.usage import change_of, counted_name, names_in

_MOST_TURNS = 64
"""Of a loop that is written out."""
_BEYOND = {"<": 0, "<=": 1, ">": 0, ">=": -1}
"""By comparison: the distance from a bound to the value that isn't reached."""


def block(node: ast.Node | None, state: Lowering) -> ast.Node | None:
    """Return a block, or a statement that may become one."""
    if node is None:
        return None
    items = node.block_items or [] if isinstance(node, ast.Compound) else [node]
    with state.inside.scope.block():
        found = [made for item in items for made in statement(item, state)]
    if len(found) == 1 and not isinstance(node, ast.Compound):
        return found[0]
    return ast.Compound(found, node.coord)


def statement(node: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return a statement without structures and streams."""
    state.spend(node)
    match node:
        case ast.Compound():
            found = block(node, state)
            return [found] if found is not None else []
        case ast.If():
            return _branch(node, state)
        case ast.For() if (turns := _turns(node, state)) is not None:
            return [part for turn in turns if (part := block(turn, state)) is not None]
        case ast.For() | ast.While() | ast.DoWhile():
            return [_loop(node, state)]
        case ast.Label(stmt=body):
            inside = block(body, state) or ast.EmptyStatement(node.coord)
            if isinstance(body, ast.Compound) or not isinstance(inside, ast.Compound):
                return [mapped(node, {id(body): inside})]
            items = inside.block_items or []
            loops = [at for at, one in enumerate(items) if isinstance(one, ast.For | ast.While)]
            at = loops[0] if loops else len(items) - 1
            return [*items[:at], ast.Label(node.name, items[at], node.coord), *items[at + 1 :]]
        case ast.Switch() | ast.Case() | ast.Default() | ast.Goto() | ast.Pragma() | ast.Typedef():
            if isinstance(node, ast.Typedef):
                state.types.note(node)
            return [node]
        case _:
            return _simple(node, state)


def _branch(node: ast.If, state: Lowering) -> list[ast.Node]:
    with state.statement(is_delicate=True) as around:
        asked = values.value(node.cond, state)
    sides = [block(side, state) for side in (node.iftrue, node.iffalse)]
    return [*around.before, ast.If(asked, sides[0], sides[1], node.coord)]


def _loop(node: ast.For | ast.While | ast.DoWhile, state: Lowering) -> ast.Node:
    with state.inside.scope.block(), state.statement(is_delicate=True) as around:
        parts: dict[int, ast.Node] = {}
        for name, part in node.children():
            if isinstance(part, ast.DeclList):
                parts[id(part)] = ast.DeclList(_rewritten(part, state), part.coord)
            elif name != "stmt":
                parts[id(part)] = values.value(part, state)
        body = block(node.stmt, state)
    if around.before:
        hint = "do it in the body of the loop"
        kind = {"For": "for", "While": "while"}.get(type(node).__name__, "do-while")
        state.report(f"the header of {kind} reads a stream or a structure", node, hint)
    if node.stmt is not None and body is not None:
        parts[id(node.stmt)] = body
    return mapped(node, parts)


def _turns(node: ast.For, state: Lowering) -> list[ast.Node] | None:
    """Return the bodies of a loop that chooses among streams by its variable, one a value of it."""
    name = counted_name(node)
    chosen = {
        one
        for part in every(node.stmt)
        if isinstance(part, ast.ArrayRef) and places.is_stream(part.name, state)
        for one in names_in(part.subscript)
    }
    if name is None or name not in chosen or node.stmt is None:
        return None
    match node.init, node.cond, change_of(node.next or node.stmt, name):
        case (
            ast.DeclList(decls=[ast.Decl(init=ast.Node() as first)]) | ast.Assignment(rvalue=first),
            ast.BinaryOp(op=op, left=ast.ID(name=asked), right=last),
            (sign, by),
        ) if asked == name and op in _BEYOND:
            pass
        case _:
            return None
    start, end, step = state.constant(first), state.constant(last), state.constant(by)
    if start is None or end is None or not step:
        return None
    values_of = range(start, end + _BEYOND[op], sign * step)
    if values_of[_MOST_TURNS:]:  # a huge range has no length
        return None
    return [with_nodes(node.stmt, {name: number(value, node.coord)}) for value in values_of]


def _simple(node: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return a statement that is an expression, a declaration or a return."""
    is_delicate = isinstance(node, ast.Return) or any(
        places.called(part, state) for part in every(node)
    )
    with state.statement(is_delicate=is_delicate) as around:
        found = _rewritten(node, state)
    return _with_all_around(found, around)


def _rewritten(node: ast.Node, state: Lowering) -> list[ast.Node]:
    found = streams.statement(node, state)
    if found is not None:
        return found
    change = calls.operation(node, state) or bits.changed(node, state)
    if change is not None:
        return _rewritten(change, state)
    match node:
        case ast.Decl():
            return _declared(node, state)
        case ast.DeclList(decls=items):
            return [one for item in items for one in _rewritten(item, state)]
        case ast.Assignment(op="=", lvalue=target, rvalue=value):
            return _assigned(node, target, value, state)
        case ast.Assignment(lvalue=ast.FuncCall() as call) if (
            place := places.given_place(call, state)
        ) is not call:
            return _rewritten(mapped(node, {id(call): place}), state)
        case ast.Assignment(op=op, lvalue=target, rvalue=value) if places.is_whole(
            places.typed(target, state), state
        ):
            whole = ast.BinaryOp(op.removesuffix("="), target, value, node.coord)
            return aggregates.assigned(target, whole, node, state)
        case ast.Return(expr=value) if value is not None and state.inside.returned is not None:
            target = ast.ID(calls.RESULT, node.coord)
            made = aggregates.assigned(target, value, node, state)
            return [*made, ast.Return(None, node.coord)]
        case ast.FuncCall() if places.called(node, state) and places.is_whole(
            places.typed(node, state), state
        ):
            aggregates.kept(node, state)
            return []
        case _:
            return [values.value(node, state)]


def _assigned(
    node: ast.Assignment, target: ast.Node, value: ast.Node, state: Lowering
) -> list[ast.Node]:
    target = places.given_place(target, state)
    kind = places.typed(target, state)
    if isinstance(value, ast.Assignment) and places.is_whole(kind, state):
        return [
            *_assigned(value, value.lvalue, value.rvalue, state),
            *aggregates.assigned(target, value.lvalue, node, state),
        ]
    if places.is_whole(kind, state):
        return aggregates.assigned(target, value, node, state)
    if places.has_members(kind, state) and kind is not None and kind.levels:
        sides = zip(*(places.leaves(one, kind, state) for one in (target, value)), strict=True)
        return [ast.Assignment("=", into, given, node.coord) for into, given in sides]
    found = bits.assigned(target, value, state)
    if found is not None:
        return found
    return _chosen(target, value, node, state)


def _chosen(target: ast.Node, value: ast.Node, node: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return an assignment; one that reads a stream under a condition becomes a branch."""
    if not isinstance(value, ast.TernaryOp) or not _reads_stream(value, state):
        given = values.value(value, state)
        return [ast.Assignment("=", values.value(target, state), given, node.coord)]
    asked = values.value(value.cond, state)
    sides: list[ast.Node] = []
    for side in (value.iftrue, value.iffalse):
        with state.statement() as around:
            inner = _chosen(target, side, node, state)
        sides.append(ast.Compound(_with_all_around(inner, around), node.coord))
    return [ast.If(asked, sides[0], sides[1], node.coord)]


def _with_all_around(found: list[ast.Node], around: Around) -> list[ast.Node]:
    """Return statements between those that come before them, and the steps of what they read."""
    reads = around.reads.items()
    after = [streams.stepped(around.places[key], count) for key, count in reads if count]
    return [*around.before, *found, *after]


def _reads_stream(node: ast.Node, state: Lowering) -> bool:
    names = [part.name for part in every(node) if isinstance(part, ast.FuncCall)]
    return any(isinstance(n, ast.StructRef) and places.is_stream(n.name, state) for n in names)


def _declared(node: ast.Decl, state: Lowering) -> list[ast.Node]:
    if isinstance(node.type, ast.FuncDecl):
        return [node]
    state.types.note(node)
    if node.name is None:
        return []
    kind = values.sized(state.types.resolved(node.type), state)
    if kind.tag == AUTO and node.init is not None:
        kind = _inferred(kind, node.init, state)
    if kind.is_stream:
        return _declared_stream(node, node.name, kind, state)
    if state.types.has_members(kind):
        made = node.init if isinstance(node.init, ast.FuncCall) and not kind.levels else None
        kind = kind if made is None else replace(kind, qualifiers=())
        found = aggregates.declared(node.name, kind, node, None if made else node.init, state)
        found += _constructed(node, node.name, kind, state)
        if made is not None:
            found += aggregates.assigned(ast.ID(node.name, node.coord), made, node, state)
        return found
    init, storage = node.init, node.storage or []
    is_fixed = init is not None and "const" in kind.qualifiers and not kind.levels
    known = state.constant(init) if is_fixed and init is not None else None
    if state.inside.constants.setdefault(node.name, known) != known:
        state.inside.constants[node.name] = None
    state.inside.scope.declare(node.name, kind)
    if init is None and node.name in state.inside.pieced and kind.tag.startswith("ap_"):
        init = None if kind.levels else number(0, node.coord)
    if isinstance(init, ast.TernaryOp) and _reads_stream(init, state):
        declaration = kind.declaration(node.name, node.coord, None, storage)
        return [declaration, *_chosen(ast.ID(node.name, node.coord), init, node, state)]
    value = None if init is None else values.value(init, state)
    return [kind.declaration(node.name, node.coord, value, storage)]


def _constructed(node: ast.Decl, name: str, kind: NodeType, state: Lowering) -> list[ast.Node]:
    """Return the calls of the constructors of a variable and its members, if it has some."""
    if kind.value is not kind or not isinstance(node.init, ast.FuncCall | None):
        return []
    made = _started(ast.ID(name, node.coord), kind, node, state, has_own=node.init is None)
    if made and "static" in (node.storage or []) and not state.inside.runs_once:
        hint = "declare it without static, or set it by a function"
        state.report(f"the constructor of {shown(node)} is not supported", node, hint)
        return []
    return made


def _started(
    place: ast.Node, kind: NodeType, node: ast.Node, state: Lowering, *, has_own: bool
) -> list[ast.Node]:
    """Return the calls of constructors for a place, of its members first."""
    if kind.levels:
        index = state.unique("k")
        element = ast.ArrayRef(place, ast.ID(index, node.coord), node.coord)
        inside = _started(element, kind.element, node, state, has_own=has_own)
        body = ast.Compound(inside, node.coord)
        return [aggregates.loop(index, kind.levels[0], body, node)] if inside else []
    found: list[ast.Node] = []
    for name, member in state.types.members(kind) or []:
        inner = ast.StructRef(place, ".", ast.ID(name, node.coord), node.coord)
        found += _started(inner, member, node, state, has_own=True)
    constructor = f"{kind.tag}__{kind.tag}"
    if has_own and constructor in state.functions.forms:
        made = ast.FuncCall(ast.ID(constructor, node.coord), None, node.coord)
        found += aggregates.assigned(place, made, node, state)
    return found


def _declared_stream(node: ast.Decl, name: str, kind: NodeType, state: Lowering) -> list[ast.Node]:
    state.inside.scope.declare(name, kind)
    if kind.levels and kind.levels[0].kind is LevelKind.REFERENCE:
        state.report(f"{shown(node)} is another name of a stream", node, "use the stream itself")
        return []
    if "static" in (node.storage or []) and not state.inside.runs_once:
        hint = "declare it without static: it is empty when the function starts"
        state.report(f"the stream {name} is static", node, hint)
    return streams.declared(name, kind, node, state)


def _inferred(kind: NodeType, init: ast.Node, state: Lowering) -> NodeType:
    """Return the type of ``auto x = init``, where it can be told without computing."""
    found = places.typed(init, state)
    if found is None:
        return kind
    is_array = bool(found.levels) and found.levels[0].kind is LevelKind.ARRAY and not kind.levels
    return found.element if is_array else NodeType(found.base, (*kind.levels, *found.levels))
