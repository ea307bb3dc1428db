"""How a function uses its names: which count loops, which are assigned, and how often."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from pycparser import c_ast as ast

from streamopt.frontends.c.syntax.files import CFunction
from streamopt.frontends.c.syntax.trees import (
    INCREMENTS,
    arguments_of,
    base_name,
    coordinate,
    jumps_in,
    walked,
)


@dataclass(frozen=True, slots=True)
class NameUsage:
    """Names of a function."""

    assigned: Tally[str] = field(default_factory=Tally[str])
    """How often each name is assigned, loop headers and initialisers aside; a name whose address is
    taken counts as assigned."""
    counters: frozenset[str] = frozenset()
    """Names that the headers of loops assign and don't declare."""
    passed: frozenset[str] = frozenset()
    """Names that are handed to functions, which may write them."""
    named: frozenset[str] = frozenset()
    """All names of variables in it."""
    left: frozenset[str] = frozenset()
    """Names that count loops with a ``break``, and are read outside of loops that they count."""


def names_in(*roots: ast.Node) -> set[str]:
    """Return the names of variables in trees."""
    return {node.name for node in walked(*roots) if isinstance(node, ast.ID)}


def referenced_in(node: ast.FuncCall, functions: Mapping[str, CFunction]) -> set[str]:
    """Return the variables that a call hands over by reference."""
    known = functions.get(node.name.name) if isinstance(node.name, ast.ID) else None
    pairs = zip(known.parameters if known else (), arguments_of(node), strict=False)
    return {one.name for item, one in pairs if item.type.is_reference and isinstance(one, ast.ID)}


def calls_in(function: CFunction) -> list[tuple[str, list[ast.Node]]]:
    """Return the functions that a function calls, with the arguments."""
    return [
        (node.name.name, arguments_of(node))
        for node in walked(function.body)
        if isinstance(node, ast.FuncCall) and isinstance(node.name, ast.ID)
    ]


@lru_cache(maxsize=256)
def usage_of(function: CFunction) -> NameUsage:
    """Return how a function uses its names."""
    assigned: Tally[str] = Tally()
    counters: set[str] = set()
    passed: set[str] = set()
    in_headers: Tally[str] = Tally()
    for node in walked(function.body):
        match node:
            case ast.For(init=first, next=step) if counted := counted_name(node):
                targets = [name for part in walked(first, step) for name in _target_name(part)]
                in_headers[counted] += targets.count(counted)
                if not isinstance(first, ast.DeclList):
                    counters.add(counted)
            case ast.UnaryOp(op="&", expr=operand):
                assigned.update(base_name(operand))
            case ast.FuncCall(name=ast.ID()):
                passed.update(name for one in arguments_of(node) for name in base_name(one))
            case _:
                assigned.update(_target_name(node))
    assigned.subtract(in_headers)
    left = _left(function)
    assigned.update(left)
    named = frozenset(names_in(function.body))
    return NameUsage(assigned, frozenset(counters), frozenset(passed), named, left)


def _left(function: CFunction) -> frozenset[str]:
    broken, inside = set[str](), Tally[str]()
    for loop in walked(function.body):
        if isinstance(loop, ast.For) and isinstance(loop.init, ast.Assignment):
            for name in (name for name in [counted_name(loop)] if name):
                inside[name] += _times(name, loop)
                broken |= {name} if jumps_in(loop.stmt, ast.Break) else set()
    return frozenset(name for name in broken if _times(name, function.body) > inside[name])


def _times(name: str, node: ast.Node) -> int:
    return sum(isinstance(part, ast.ID) and part.name == name for part in walked(node))


@lru_cache(maxsize=256)
def moved_names(function: CFunction) -> frozenset[str]:
    """Return the names that are assigned as a whole, not by elements, after their declaration.

    A name that stands for several variables is none of them.
    """
    targets = map(assigned_target, walked(function.body))
    found = {target.name for target in targets if isinstance(target, ast.ID)}
    declared = Tally(node.name for node in walked(function.body) if isinstance(node, ast.Decl))
    declared.update(parameter.name for parameter in function.parameters)
    return frozenset(name for name in found if declared[name] < 2)


def counted_name(item: ast.For) -> str | None:
    """Return the one variable that a loop's header sets; None where there is none or several."""
    match item.init:
        case ast.DeclList(decls=[ast.Decl(name=str(name))]):
            return name
        case ast.Assignment(op="=", lvalue=ast.ID(name=name)):
            return name
        case _:
            return None


def as_assignment(node: ast.Node) -> ast.Assignment | None:
    """Return an assignment, of an increment ``x += 1``; None for other nodes."""
    match node:
        case ast.Assignment():
            return node
        case ast.UnaryOp(op=op, expr=target) if op in INCREMENTS:
            at = coordinate(node)
            return ast.Assignment(f"{op[-1]}=", target, ast.Constant("int", "1", at), at)
        case _:
            return None


def assigned_value(node: ast.Assignment) -> ast.Node:
    """Return the value that an assignment assigns: of ``x += y``, ``x + y``."""
    if node.op == "=":
        return node.rvalue
    return ast.BinaryOp(node.op.removesuffix("="), node.lvalue, node.rvalue, node.coord)


def assigned_target(node: ast.Node) -> ast.Node | None:
    """Return the expression that a node assigns, if it does."""
    found = as_assignment(node)
    return None if found is None else found.lvalue


def assigned_name(node: ast.Node) -> list[str]:
    """Return the variable that a node assigns as a whole, if it does."""
    target = assigned_target(node)
    return [target.name] if isinstance(target, ast.ID) else []


def _target_name(node: ast.Node) -> list[str]:
    target = assigned_target(node)
    return [] if target is None else base_name(target)


def change_of(step: ast.Node, name: str) -> tuple[int, ast.Node] | None:
    """Return the sign and the amount by which an expression changes a variable."""
    match as_assignment(step):
        case ast.Assignment(op="+=" | "-=" as op, lvalue=ast.ID(name=target), rvalue=value):
            return (1 if op == "+=" else -1, value) if target == name else None
        case ast.Assignment(op="=", lvalue=ast.ID(name=target), rvalue=ast.BinaryOp() as total):
            return _added(total, name) if target == name else None
        case _:
            return None


def _added(total: ast.BinaryOp, name: str) -> tuple[int, ast.Node] | None:
    """Return the sign and the value that a sum or difference adds to a variable."""
    match total:
        case ast.BinaryOp(op="+" | "-" as op, left=ast.ID(name=base), right=value) if base == name:
            return 1 if op == "+" else -1, value
        case ast.BinaryOp(op="+", left=value, right=ast.ID(name=base)) if base == name:
            return 1, value
        case _:
            return None
