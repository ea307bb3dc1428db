"""Calls: the members of a structure are handed over one by one, and a stream with its counters.

Of functions of one name, that is called whose parameters have the types of the arguments.
A function whose types its calls decide is rewritten once for each way in which it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import aggregates, functions, places, streams, values
from streamopt.frontends.c.lowering.state import Lowering
from streamopt.frontends.c.lowering.types import DeclaredLevel, LevelKind, NodeType, is_open
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import arguments_of
from streamopt.frontends.c.syntax.types import element_named
from streamopt.frontends.c.text.classes import operator_name

RESULT = "result"
"""The parameter by which a function hands a structure over that it returns."""


def arguments(node: ast.FuncCall, state: Lowering) -> list[ast.Node]:
    """Return the arguments of a call; of a method, the structure first."""
    found = arguments_of(node)
    if isinstance(node.name, ast.StructRef):
        return [node.name.name, *found]
    return [node.name, *found] if places.is_whole(places.typed(node.name, state), state) else found


def call(
    node: ast.FuncCall, name: str, state: Lowering, *, result: ast.Node | None = None
) -> ast.FuncCall:
    """Return a call in which all arguments are numbers and arrays of numbers.

    Parameters
    ----------
    result
        The structure that gets the value.
    """
    function = state.functions.known[name]
    given = arguments(node, state)
    parameters = functions.parameters_of(function)
    if result is not None and constructed(name, state):
        given, result = [result, *given], None
    given += [one.align[0].alignment for one in parameters[len(given) :] if one.align]
    types = [state.types.resolved(item.type) for item in parameters]
    bound: dict[str, NodeType] = {}
    numbers: dict[str, ast.Node] = {}
    if name in state.functions.generics:
        for kind, one in zip(types, given, strict=False):
            _bind(kind, one, name, bound, numbers, state)
        types = [_closed(kind, bound, state) for kind in types]
    made = functions.rewritten(name, state, bound, numbers)
    found: list[ast.Node] = []
    if result is not None:
        kind = places.typed(result, state)
        assert kind is not None
        found += places.leaves(result, kind, state)
    for kind, one in zip(types, given, strict=False):
        found += _handed(kind, one, state)
    found += [values.value(one, state) for one in given[len(types) :]]
    return ast.FuncCall(ast.ID(made, node.coord), ast.ExprList(found, node.coord), node.coord)


def constructed(name: str, state: Lowering) -> str:
    """Return the structure that a function is a constructor of; empty if it is none."""
    first = functions.parameters_of(state.functions.known[name])[:1]
    tag = state.types.resolved(first[0].type).tag if first else ""
    return tag if tag and name in state.functions.forms.get(f"{tag}__{tag}", ()) else ""


def chosen(
    names: Sequence[str],
    given: Callable[[], list[NodeType | None]],
    node: ast.Node,
    state: Lowering,
) -> str:
    """Return the function of some names that takes arguments of some types; empty if none does."""
    forms = [form for name in names for form in state.functions.forms.get(name, ())]
    if len(forms) < 2:
        return "".join(forms)
    types = given()
    costs: dict[str, int] = {}
    for form in forms:
        parameters = functions.parameters_of(state.functions.known[form])
        listed = parameters[bool(constructed(form, state)) :]
        least = sum(not item.align for item in listed)
        wanted = [state.types.resolved(item.type).value for item in listed]
        pairs = [*zip(wanted, types, strict=False)]
        fits = [_fits(one, other, state) for one, other in pairs]
        if least <= len(types) <= len(listed) and all(fits):
            costs[form] = sum(_distance(one, other) for one, other in pairs)
    best = [form for form, cost in costs.items() if cost == min(costs.values())]
    listed = [functions.parameters_of(state.functions.known[form]) for form in best]
    if len({tuple(map(shown, one)) for one in listed}) == 1:
        return best[0]
    message = f"{names[-1]} has {len(forms)} forms, and which is meant here is not known"
    state.report(message, node, "name them differently, and call the one that is meant")
    return ""


def _fits(wanted: NodeType, given: NodeType | None, state: Lowering) -> bool:
    """Return whether an argument may be of a parameter's type; an unknown one may be a number."""
    kinds = [wanted] if given is None else [wanted, given]
    is_structure = any(places.has_members(kind, state) for kind in kinds)
    same = given is not None and wanted.tag == given.tag
    return (same or not is_structure) and len({len(kind.levels) for kind in kinds}) == 1


def _distance(wanted: NodeType, given: NodeType | None) -> int:
    """Return 0 for one type, 1 for two of one kind, and 2 for a whole number and another."""
    sides = (wanted, given or wanted)
    names = [[kind.tag] if kind.tag else getattr(kind.base, "names", []) for kind in sides]
    kinds = {one is not None and one.is_integer for one in map(element_named, names)}
    return 0 if given is not None and names[0] == names[1] else len(kinds)


def operation(node: ast.Node, state: Lowering) -> ast.FuncCall | None:
    """Return the call that an operator of structures stands for; None of others."""
    match node:
        case ast.BinaryOp(op=op, left=left, right=right):
            operands = [left, right]
        case ast.Assignment(op=op, lvalue=left, rvalue=right) if op != "=":
            operands = [left, right]
        case ast.UnaryOp(op="-" | "+" | "~" | "!" as op, expr=operand):
            operands = [operand]
        case _:
            return None
    name = operator_name(op)
    if not any(one.endswith(name) for one in state.functions.forms):
        return None
    types = [places.typed(one, state) for one in operands]
    if types[0] is None or not any(places.is_whole(kind, state) for kind in types):
        return None
    found = chosen((f"{types[0].tag}__{name}", name), lambda: types, node, state)
    listed = ast.ExprList(operands, node.coord)
    return ast.FuncCall(ast.ID(found, node.coord), listed, node.coord) if found else None


def _handed(kind: NodeType, one: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return all that is handed over in place of one argument."""
    if kind.is_stream:
        found: list[ast.Node] = []
        own = places.typed(one, state) or kind
        for stream in streams.handed(one, kind, state):
            found += places.leaves(stream, state.types.stream_element(own), state)
            found += [streams.counter(stream, place, state) for place in (0, 1)]
        return found
    if not state.types.has_members(kind):
        return [values.value(one, state)]
    if not kind.value.levels:
        one = aggregates.kept(one, state)
    return places.leaves(one, kind, state)


def _bind(
    kind: NodeType,
    one: ast.Node,
    name: str,
    bound: dict[str, NodeType],
    numbers: dict[str, ast.Node],
    state: Lowering,
) -> None:
    """Note what an argument decides of a function's types and numbers."""
    found = places.typed(one, state)
    if found is None:
        return
    wanted, given = kind.value.levels, found.levels
    for level, other in zip(wanted, given, strict=False):
        extent = level.extent.name if isinstance(level.extent, ast.ID) else ""
        if extent in state.functions.generics[name] and other.extent:
            numbers.setdefault(extent, values.value(other.extent, state))
    given = given[len(wanted) :]
    if kind.is_stream and found.is_stream:
        kind, found = (state.types.stream_element(side) for side in (kind, found))
        given = found.levels
    if is_open(kind):
        bound.setdefault(kind.tag, replace(found, levels=given, qualifiers=()))


def _closed(kind: NodeType, bound: dict[str, NodeType], state: Lowering) -> NodeType:
    known = {**state.types.bound, **bound}
    if not is_open(kind) or kind.tag not in known:
        return kind
    return known[kind.tag].within(kind.levels, kind.qualifiers)


def expanded(name: str, kind: NodeType, node: ast.Decl, state: Lowering) -> list[ast.Decl]:
    """Return the parameters that stand for one."""
    if kind.is_stream:
        found: list[ast.Decl] = []
        counter = NodeType(ast.IdentifierType(["int"]), (DeclaredLevel(LevelKind.REFERENCE),))
        ends = () if state.inside.is_top else streams.COUNTERS
        for one in streams.each(name, kind, node, state):
            for leaf in state.types.leaves(state.types.stream_element(kind)):
                data = leaf.type.within([DeclaredLevel(LevelKind.POINTER)])
                found.append(data.declaration(f"{one}{leaf.suffix}", node.coord))
            found += [counter.declaration(f"{one}{end}", node.coord) for end in ends]
        return found
    found = list[ast.Decl]()
    for leaf in state.types.leaves(kind):
        part = f"{name}{leaf.suffix}"
        own = [leaf.type.declaration(part, node.coord)]
        found += expanded(part, leaf.type, node, state) if leaf.type.is_stream else own
    return found
