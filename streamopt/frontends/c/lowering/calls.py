"""Calls: the members of a structure are handed over one by one, and a stream with its counters.

A function whose types its calls decide is rewritten once for each way in which it is called.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import aggregates, functions, places, streams, values
from streamopt.frontends.c.lowering.types import DeclaredLevel, LevelKind, NodeType, is_open
from streamopt.frontends.c.syntax.trees import arguments_of

if TYPE_CHECKING:
    from streamopt.frontends.c.lowering.state import Lowering

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
    function = state.functions[name]
    given = arguments(node, state)
    parameters = functions.parameters_of(function)
    types = [state.types.resolved(item.type) for item in parameters]
    bound: dict[str, NodeType] = {}
    numbers: dict[str, ast.Node] = {}
    if name in state.generics:
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


def _handed(kind: NodeType, one: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return all that is handed over in place of one argument."""
    if kind.is_stream:
        found: list[ast.Node] = []
        for stream in streams.handed(one, kind, state):
            found += places.leaves(stream, state.types.stream_element(kind), state)
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
        match level.extent:
            case ast.ID(name=extent) if extent in state.generics[name] and other.extent:
                numbers.setdefault(extent, values.value(other.extent, state))
            case _:
                pass
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
    if not state.types.has_members(kind):
        return [kind.declaration(name, node.coord)]
    return [
        leaf.type.declaration(f"{name}{leaf.suffix}", node.coord)
        for leaf in state.types.leaves(kind)
    ]
