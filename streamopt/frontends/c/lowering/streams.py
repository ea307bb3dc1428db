"""Streams as arrays: what is written stands behind what was written, and is read in that order.

Before::

    s.write(a);   b = s.read();

After::

    s[s__w] = a; s__w++;   b = s[s__r]; s__r++;

Both counters belong to the stream: a function that gets it gets them too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import aggregates, places, values
from streamopt.frontends.c.lowering.types import (
    DeclaredLevel,
    LevelKind,
    NodeType,
    identifier,
    number,
)
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import arguments_of

if TYPE_CHECKING:
    from streamopt.frontends.c.lowering.state import Lowering

_ASKED = (
    "let a loop read as much as is written: when data arrive is not known before the design runs"
)
_HINTS = {
    "empty": _ASKED,
    "full": _ASKED,
    "read_nb": _ASKED,
    "write_nb": _ASKED,
    "size": _ASKED,
}
LENGTH = "stream"
"""The word that declarations of streams have among their storage classes."""


def counters(name: str) -> tuple[str, str]:
    """Return the names of the integers that count what is written and what is read."""
    return f"{name}__w", f"{name}__r"


def declared(name: str, kind: NodeType, node: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return the arrays and counters of a stream."""
    found: list[ast.Node] = []
    for leaf in state.types.leaves(state.types.stream_element(kind)):
        inside = leaf.type.within([*kind.levels, DeclaredLevel(LevelKind.ARRAY)])
        found.append(inside.declaration(f"{name}{leaf.suffix}", node.coord, None, [LENGTH]))
    return [*found, *started(name, kind, node)]


def started(name: str, kind: NodeType, node: ast.Node) -> list[ast.Node]:
    """Return the counters of a stream that has no data yet."""
    counter = NodeType(ast.IdentifierType(["int"]), kind.levels)
    zero = number(0, node.coord)
    start = ast.InitList([zero], node.coord) if kind.levels else zero
    return [counter.declaration(one, node.coord, start) for one in counters(name)]


def read(node: ast.FuncCall, whole: ast.Node, method: str, state: Lowering) -> ast.Node:
    """Return the value that a stream gives; it must be a number."""
    if method != "read" or arguments_of(node):
        hint = _HINTS.get(method, "use read, write, << and >>")
        state.report(f"{shown(node)} is not supported", node, hint)
        return number(0, node.coord)
    if state.around.is_conditional:
        hint = "read in a statement of its own, under an if"
        state.report(f"{shown(node)} stands under a condition of an expression", node, hint)
        return number(0, node.coord)
    kind = places.typed(node, state)
    if places.is_whole(kind, state):
        return places.leaf(aggregates.kept(node, state), "", state)
    counter = _counter(whole, 1, state)
    key = shown(counter)
    if state.around.is_delicate and kind is not None:
        kept = state.temporary(kind, node)
        element = ast.ArrayRef(places.leaf(whole, "", state), counter, node.coord)
        state.around.before += [
            kind.declaration(kept.name, node.coord, element),
            stepped(counter, 1),
        ]
        return kept
    count = state.around.reads[key]
    state.around.reads[key] += 1
    state.around.places[key] = counter
    at = counter
    if count:
        at = ast.BinaryOp("+", counter, number(count, node.coord), node.coord)
    return ast.ArrayRef(places.leaf(whole, "", state), at, node.coord)


def stepped(counter: ast.Node, by: int) -> ast.Node:
    """Return the statement that moves a counter on."""
    return ast.Assignment("+=", counter, number(by, counter.coord), counter.coord)


def _counter(whole: ast.Node, place: int, state: Lowering) -> ast.Node:
    """Return the counter of a stream: of what is written (0), or of what is read (1)."""
    match whole:
        case ast.ArrayRef(name=array, subscript=index):
            inside = values.value(index, state)
            return ast.ArrayRef(_counter(array, place, state), inside, whole.coord)
        case ast.UnaryOp(op="*", expr=pointer):
            return ast.UnaryOp("*", _counter(pointer, place, state), whole.coord)
        case _:
            found = places.leaf(whole, "", state)
            name = found.name if isinstance(found, ast.ID) else "unknown"
            return identifier(counters(name)[place], whole.coord)


def written(whole: ast.Node, value: ast.Node, node: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return the statements that write a value into a stream."""
    stream = places.typed(whole, state)
    assert stream is not None
    kind = state.types.stream_element(stream)
    counter = _counter(whole, 0, state)
    found: list[ast.Node] = []
    if state.types.has_members(kind):
        value = aggregates.kept(value, state)
        for leaf in state.types.leaves(kind):
            target = ast.ArrayRef(places.leaf(whole, leaf.suffix, state), counter, node.coord)
            source = places.leaf(value, leaf.suffix, state)
            found.append(aggregates.copied(target, source, leaf.type.levels, node, state))
    else:
        target = ast.ArrayRef(places.leaf(whole, "", state), counter, node.coord)
        found.append(ast.Assignment("=", target, values.value(value, state), node.coord))
    return [*found, stepped(counter, 1)]


def taken(whole: ast.Node, target: ast.Node, node: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return the statements that read a stream into a variable."""
    stream = places.typed(whole, state)
    assert stream is not None
    kind = state.types.stream_element(stream)
    counter = _counter(whole, 1, state)
    found: list[ast.Node] = []
    for leaf in state.types.leaves(kind):
        source = ast.ArrayRef(places.leaf(whole, leaf.suffix, state), counter, node.coord)
        place = places.leaf(target, leaf.suffix, state) if leaf.path else None
        place = values.value(target, state) if place is None else place
        found.append(aggregates.copied(place, source, leaf.type.levels, node, state))
    return [*found, stepped(counter, 1)]


def statement(node: ast.Node, state: Lowering) -> list[ast.Node] | None:
    """Return all that a statement does that reads or writes a stream; None for other statements."""
    match node:
        case ast.BinaryOp(op="<<" | ">>" as op, left=left, right=right):
            first = _first(left)
            kind = places.typed(first, state)
            if kind is None or not kind.is_stream:
                return None
            before = [] if first is left else statement(left, state) or []
            move = written if op == "<<" else taken
            return [*before, *move(first, right, node, state)]
        case ast.FuncCall(
            name=ast.StructRef(name=whole, field=ast.ID(name=name)),
            args=ast.ExprList(exprs=[value]),
        ):
            kind = places.typed(whole, state)
            if kind is None or not kind.is_stream or name not in ("read", "write"):
                return None
            return (written if name == "write" else taken)(whole, value, node, state)
        case ast.FuncCall(name=ast.StructRef(name=whole, field=ast.ID(name="read")), args=None):
            kind = places.typed(whole, state)
            is_stream = kind is not None and kind.is_stream
            return [stepped(_counter(whole, 1, state), 1)] if is_stream else None
        case _:
            return None


def _first(node: ast.Node) -> ast.Node:
    while isinstance(node, ast.BinaryOp) and node.op in ("<<", ">>"):
        node = node.left
    return node
