"""Loops whose variable takes a few known values, each with a body of its own.

Before::

    for (h = 1; h < 8; h *= 2) for (i = 0; i < h; i++) a[i] += a[i + h];

After::

    for (i = 0; i < 1; i++) a[i] += a[i + 1];
    for (i = 0; i < 2; i++) a[i] += a[i + 2];
    for (i = 0; i < 4; i++) a[i] += a[i + 4];

That is for variables that are multiplied, divided or shifted, and for those by which something is
shifted: what is computed from them is affine for each value alone.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import ge, gt, le, lt, ne

from pycparser import c_ast as ast

from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.statements.headers import constant_header
from streamopt.frontends.c.symbols import Stored
from streamopt.frontends.c.syntax.trees import base_name, walked
from streamopt.frontends.c.syntax.usage import names_in
from streamopt.frontends.c.values import expressions

MOST_VALUES = 32
_STEPS: dict[str, Callable[[int, int], int]] = {
    "*": lambda value, amount: value * amount,
    "/": lambda value, amount: value // amount,
    "<<": lambda value, amount: value << amount,
    ">>": lambda value, amount: value >> amount,
}
_TESTS = {"<": lt, "<=": le, ">": gt, ">=": ge, "!=": ne}


def values_of(item: ast.For, name: str, state: ReadingState) -> tuple[int, ...] | None:
    """Return the values of a loop's variable if it is to be written out, else None."""
    factor = _factor(item.next, name)
    if factor is not None:
        return _geometric(item, name, factor, state)
    if not any(_shifts_by(node, name) for node in walked(item.stmt)) and not _is_placed_by_table(
        item, name, state
    ):
        return None
    header = constant_header(item, state)
    if header is None:
        return None
    values = range(*header)
    return tuple(values) if len(values) <= MOST_VALUES else None


def _is_placed_by_table(item: ast.For, name: str, state: ReadingState) -> bool:
    """Return whether numbers of a constant table, by a loop's variable, are in subscripts.

    ::

        for (n = 0; n < 8; n++) { y = row + offset[n]; sum += image[y][col]; }
    """
    placed: set[str] = set()
    nodes = [*walked(item.stmt)]
    for node in nodes:
        match node:
            case ast.Assignment(lvalue=ast.ID(name=target), rvalue=value):
                pass
            case ast.Decl(name=str(target), init=ast.Node() as value):
                pass
            case _:
                continue
        if any(_is_entry(part, name, state) for part in walked(value)):
            placed.add(target)
    return any(
        _is_entry(part, name, state) or (isinstance(part, ast.ID) and part.name in placed)
        for node in nodes
        if isinstance(node, ast.ArrayRef)
        for part in walked(node.subscript)
    )


def _is_entry(node: ast.Node, name: str, state: ReadingState) -> bool:
    """Return whether a node is a whole number of a constant table, by a loop's variable."""
    if not isinstance(node, ast.ArrayRef) or name not in names_in(node):
        return False
    symbol = state.scope.find(next(iter(base_name(node)), ""))
    if not isinstance(symbol, Stored) or symbol.variable not in state.source.values:
        return False
    return symbol.element.is_integer


def _shifts_by(node: ast.Node, name: str) -> bool:
    return (
        isinstance(node, ast.BinaryOp) and node.op in ("<<", ">>") and name in names_in(node.right)
    )


def _factor(step: ast.Node | None, name: str) -> tuple[str, ast.Node] | None:
    """Return the operator and the operand by which a step multiplies, divides or shifts."""
    match step:
        case ast.Assignment(op="*=" | "/=" | "<<=" | ">>=" as op, lvalue=ast.ID(name=target)):
            return (op[:-1], step.rvalue) if target == name else None
        case ast.Assignment(
            op="=",
            lvalue=ast.ID(name=target),
            rvalue=ast.BinaryOp(op=op, left=ast.ID(name=base), right=amount),
        ) if op in _STEPS and target == base == name:
            return op, amount
        case _:
            return None


def _geometric(
    item: ast.For, name: str, factor: tuple[str, ast.Node], state: ReadingState
) -> tuple[int, ...] | None:
    asked = item.cond
    if isinstance(asked, ast.ID):
        asked = ast.BinaryOp("!=", asked, ast.Constant("int", "0"))
    match item.init, asked:
        case (
            ast.DeclList(decls=[ast.Decl(init=ast.Node() as first)]) | ast.Assignment(rvalue=first),
            ast.BinaryOp(op=op, left=ast.ID(name=compared), right=bound),
        ) if op in _TESTS and compared == name:
            pass
        case _:
            return None
    value, amount, end = (
        expressions.known_integer(node, state) for node in (first, factor[1], bound)
    )
    if value is None or amount is None or end is None or value < 0 or amount < 1:
        return None
    found: list[int] = []
    while _TESTS[op](value, end) and len(found) <= MOST_VALUES:
        found.append(value)
        value = _STEPS[factor[0]](value, amount)
    return tuple(found) if len(found) <= MOST_VALUES else None
