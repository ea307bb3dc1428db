"""Streams as arrays: what is written stands behind what was written, and is read in that order.

Before::

    s.write(a);   b = s.read();

After::

    s[s__w] = a; s__w++;   b = s[s__r]; s__r++;

Both counters belong to the stream: a function that gets it gets them too. An array of streams
becomes so many streams, ``s__0`` and on; loops that choose among them are written out.
"""

from __future__ import annotations

from pycparser import c_ast as ast

from streamopt.frontends.c.lowering import aggregates, places, values
from streamopt.frontends.c.lowering.state import Lowering
from streamopt.frontends.c.lowering.types import DeclaredLevel, LevelKind, NodeType, number
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import arguments_of

_ASKED = (
    "let a loop read as much as is written: when data arrive is not known before the design runs"
)
_ASKING = ("empty", "full", "read_nb", "write_nb", "size")
COUNTERS = ("__w", "__r")
"""Ends of the names of the integers that count what is written, and what is read."""
_MOST = 256
"""Streams of an array."""
LENGTH = "stream"
"""The word that declarations of streams have among their storage classes."""


def each(name: str, kind: NodeType, node: ast.Node, state: Lowering) -> list[str]:
    """Return the names of the streams that an array of streams has; a stream's own if it is one."""
    names = [name]
    for level in kind.levels:
        if level.kind is LevelKind.ARRAY:
            extent = None if level.extent is None else state.constant(level.extent)
            if extent is None or not 0 < extent * len(names) <= _MOST:
                message = f"how many streams {name} has is not known, or is more than {_MOST}"
                state.report(message, node, "give the array a constant extent")
                return []
            names = [f"{one}__{at}" for one in names for at in range(extent)]
    return names


def declared(name: str, kind: NodeType, node: ast.Node, state: Lowering) -> list[ast.Node]:
    """Return the arrays and counters of streams."""
    found: list[ast.Node] = []
    for one in each(name, kind, node, state):
        for leaf in state.types.leaves(state.types.stream_element(kind)):
            inside = leaf.type.within([DeclaredLevel(LevelKind.ARRAY)])
            found.append(inside.declaration(f"{one}{leaf.suffix}", node.coord, None, [LENGTH]))
        found += started(one, node)
    return found


def started(name: str, node: ast.Node) -> list[ast.Node]:
    """Return the counters of a stream that has no data yet."""
    integer, zero = NodeType(ast.IdentifierType(["int"])), number(0, node.coord)
    return [integer.declaration(f"{name}{end}", node.coord, zero) for end in COUNTERS]


def handed(one: ast.Node, kind: NodeType, state: Lowering) -> list[ast.Node]:
    """Return the streams that an argument hands over to a parameter of a type."""
    given, found = places.leaf(one, "", state), each("", kind, one, state)
    if not isinstance(given, ast.ID) or found == [""]:
        return [one]
    return [ast.ID(f"{given.name}{name}", one.coord) for name in found]


def chosen(node: ast.ArrayRef, state: Lowering) -> ast.ID:
    """Return the name of a stream of an array, or of what a part of such an array begins with."""
    array = chosen(node.name, state) if isinstance(node.name, ast.ArrayRef) else node.name
    at = state.constant(values.value(node.subscript, state))
    if at is None or not isinstance(array, ast.ID):
        hint = "subscript it by the variable of a loop of at most 64 iterations, or by a number"
        state.report(f"which stream {shown(node)} is depends on more than a loop", node, hint)
        return ast.ID("unknown", node.coord)
    return ast.ID(f"{array.name}__{at}", node.coord)


def read(node: ast.FuncCall, whole: ast.Node, method: str, state: Lowering) -> ast.Node:
    """Return the value that a stream gives; it must be a number."""
    if method != "read" or arguments_of(node):
        hint = _ASKED if method in _ASKING else "use read, write, << and >>"
        state.report(f"{shown(node)} is not supported", node, hint)
        return number(0, node.coord)
    if state.around.is_conditional:
        hint = "read in a statement of its own, under an if"
        state.report(f"{shown(node)} stands under a condition of an expression", node, hint)
        return number(0, node.coord)
    kind = places.typed(node, state)
    if places.is_whole(kind, state):
        return places.leaf(aggregates.kept(node, state), "", state)
    at = counter(whole, 1, state)
    if state.around.is_delicate and kind is not None:
        kept = state.temporary(kind, node)
        element = ast.ArrayRef(places.leaf(whole, "", state), at, node.coord)
        state.around.before += [kind.declaration(kept.name, node.coord, element), stepped(at, 1)]
        return kept
    key = shown(at)
    count = state.around.reads[key]
    state.around.reads[key] += 1
    state.around.places[key] = at
    if count:
        at = ast.BinaryOp("+", at, number(count, node.coord), node.coord)
    return ast.ArrayRef(places.leaf(whole, "", state), at, node.coord)


def stepped(at: ast.Node, by: int) -> ast.Node:
    """Return the statement that moves a counter on."""
    return ast.Assignment("+=", at, number(by, at.coord), at.coord)


def counter(whole: ast.Node, place: int, state: Lowering) -> ast.Node:
    """Return the counter of a stream: of what is written (0), or of what is read (1)."""
    if isinstance(whole, ast.UnaryOp) and whole.op == "*":
        return ast.UnaryOp("*", counter(whole.expr, place, state), whole.coord)
    found = places.leaf(whole, "", state)
    name = found.name if isinstance(found, ast.ID) else "unknown"
    return ast.ID(f"{name}{COUNTERS[place]}", whole.coord)


def moved(
    whole: ast.Node, other: ast.Node, node: ast.Node, state: Lowering, *, end: int
) -> list[ast.Node]:
    """Return the statements that move an element into a stream (0), or out of it (1)."""
    if end == 0 and places.is_whole(places.typed(other, state), state):
        other = aggregates.kept(other, state)
    stream = places.typed(whole, state)
    assert stream is not None
    at = counter(whole, end, state)
    found: list[ast.Node] = []
    for leaf in state.types.leaves(state.types.stream_element(stream)):
        inside = ast.ArrayRef(places.leaf(whole, leaf.suffix, state), at, node.coord)
        is_part = bool(leaf.path)
        outside = places.leaf(other, leaf.suffix, state) if is_part else values.value(other, state)
        sides = (outside, inside) if end else (inside, outside)
        found.append(aggregates.copied(*sides, leaf.type.levels, node, state))
    return [*found, stepped(at, 1)]


def statement(node: ast.Node, state: Lowering) -> list[ast.Node] | None:
    """Return all that a statement does that reads or writes a stream; None for other statements."""
    match node:
        case ast.BinaryOp(op="<<" | ">>" as op, left=left, right=right):
            first = _first(left)
            if not places.is_stream(first, state):
                return None
            before = [] if first is left else statement(left, state) or []
            return [*before, *moved(first, right, node, state, end=int(op == ">>"))]
        case ast.FuncCall(
            name=ast.StructRef(name=whole, field=ast.ID(name="read" | "write" as name)), args=given
        ) if places.is_stream(whole, state):
            values_of = [] if given is None else given.exprs
            if name == "read" and not values_of:
                return [stepped(counter(whole, 1, state), 1)]
            if len(values_of) != 1:
                return None
            return moved(whole, values_of[0], node, state, end=int(name == "read"))
        case _:
            return None


def _first(node: ast.Node) -> ast.Node:
    while isinstance(node, ast.BinaryOp) and node.op in ("<<", ">>"):
        node = node.left
    return node
