"""How a function uses its names: which count loops, which are assigned, and how often."""

from __future__ import annotations

from collections import Counter as Tally
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from streamopt.frontends.c.syntax.tree import (
    Assignment,
    Block,
    Call,
    Declaration,
    ForLoop,
    Increment,
    Name,
    Subscript,
    TypeUse,
    Unary,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.frontends.c.syntax.tree import Function, Node, Statement

__all__ = ["Usage", "base_name", "calls_in", "moved_names", "usage_of", "walked"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Names of a function.

    Attributes
    ----------
    assigned
        How often each name is assigned, loop headers and initialisers aside; a name whose
        address is taken counts as assigned.
    counters
        Names that the headers of loops assign and don't declare.
    passed
        Names that are handed to functions, which may write them.
    """

    assigned: Tally[str] = field(default_factory=Tally[str])
    counters: frozenset[str] = frozenset()
    passed: frozenset[str] = frozenset()


_NODES: dict[type[Any], tuple[str, ...]] = {}
"""What may hold other nodes, by type of node; filled when a type is first met."""

_LEAVES = {"loc", "name", "op", "by", "element", "text", "function", "hint", "what"}


def walked(*roots: object) -> Iterator[Any]:
    """Yield all nodes of trees, in no particular order."""
    waiting: list[Any] = list(roots)
    while waiting:
        node = waiting.pop()
        kind = node.__class__
        if kind is tuple:
            waiting.extend(node)
            continue
        parts = _NODES.get(kind)
        if parts is None:
            is_node = kind.__module__ == Block.__module__
            slots: tuple[str, ...] = kind.__slots__ if is_node else ()
            parts = tuple(part for part in slots if part not in _LEAVES)
            parts = _NODES.setdefault(kind, (*parts, "") if is_node else ())
        if parts:
            yield node
            for part in parts[:-1]:
                waiting.append(getattr(node, part))


def calls_in(function: Function) -> list[Call]:
    """Return the calls in a function's body."""
    return [node for node in walked(function.body) if isinstance(node, Call)]


@lru_cache(maxsize=256)
def usage_of(function: Function) -> Usage:
    """Return how a function uses its names."""
    assigned: Tally[str] = Tally()
    counters: set[str] = set()
    passed: set[str] = set()
    headers: list[Assignment | Increment] = []
    for node in walked(function.body):
        match node:
            case ForLoop(first, _, step):
                own = _declared(first)
                for part in walked(first, step):
                    if isinstance(part, Assignment | Increment):
                        headers.append(part)
                        counters.update(name for name in _target_name(part) if name not in own)
            case Assignment() | Increment():
                assigned.update(_target_name(node))
            case Unary("&", operand):
                assigned.update(base_name(operand))
            case Call(_, arguments):
                passed.update(name for argument in arguments for name in base_name(argument))
            case _:
                pass
    for part in headers:
        assigned.subtract(_target_name(part))
    return Usage(assigned, frozenset(counters), frozenset(passed))


def moved_names(function: Function) -> set[str]:
    """Return the names that are assigned as a whole, not by elements, after their declaration."""
    targets = (
        node.target if isinstance(node, Assignment) else node.operand
        for node in walked(function.body)
        if isinstance(node, Assignment | Increment)
    )
    return {target.name for target in targets if isinstance(target, Name)}


def _declared(first: Statement | None) -> list[str]:
    if isinstance(first, Block):
        return [item.name for item in first.items if isinstance(item, Declaration)]
    return []


def _target_name(node: Assignment | Increment) -> list[str]:
    return base_name(node.target if isinstance(node, Assignment) else node.operand)


def base_name(node: Node | TypeUse) -> list[str]:
    """Return the name whose element an expression is, if it is one."""
    while isinstance(node, Subscript | Unary):
        node = node.base if isinstance(node, Subscript) else node.operand
    return [node.name] if isinstance(node, Name) else []
