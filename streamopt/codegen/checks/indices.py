"""Indices of emitted statements: by how much loops move them, and where lanes find elements."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from streamopt.codegen.tree import CppStatement, For, If, Item, Pragma

Banks = tuple[int, ...]
"""Of an array, along each dimension."""

_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: int.__add__,
    ast.Sub: int.__sub__,
    ast.Mult: int.__mul__,
    ast.Div: int.__floordiv__,
    ast.Mod: int.__mod__,
    ast.RShift: int.__rshift__,
    ast.BitAnd: int.__and__,
    ast.BitOr: int.__or__,
    ast.BitXor: int.__xor__,
}
"""Of indices that are followed; others are not static."""
_INDEX = re.compile(r"const int (\w+) = (.*);")
_SUBSCRIPTED = re.compile(r"\b([A-Za-z_]\w*)\[")


@dataclass(frozen=True, slots=True)
class IndexScope:
    """The names that are known where a statement stands."""

    # moving, lanes: iterators of loops that are not unrolled, and of those that are, with their
    # trip counts
    moving: Mapping[str, int]
    lanes: Mapping[str, int]
    values: Mapping[str, ast.expr]
    """Expressions of constants, in iterators."""

    def inside(self, loop: For) -> IndexScope:
        """Return the scope of a loop's body."""
        of_loop = {loop.iterator: loop.trip_count}
        if Pragma("unroll") in loop.body:
            return IndexScope(self.moving, {**self.lanes, **of_loop}, self.values)
        return IndexScope({**self.moving, **of_loop}, self.lanes, self.values)

    def after(self, text: str) -> IndexScope:
        """Return the scope after a statement, which may define an index."""
        index = _INDEX.fullmatch(text)
        value = None if index is None else self.tree(index[2])
        if index is None or value is None:
            return self
        return IndexScope(self.moving, self.lanes, {**self.values, index[1]: value})

    def tree(self, text: str) -> ast.expr | None:
        """Return an expression in iterators; None for one that has no tree."""
        found = parsed(text)
        return None if found is None else _Substituted(self.values).visit(found)

    def names(self, tree: ast.expr) -> set[str]:
        """Return the lane iterators that a value depends on."""
        return self.lanes.keys() & {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}

    def moves(self, tree: ast.expr, banks: int) -> Mapping[str, int] | None:
        """Return by how much each moving iterator moves a value modulo the banks; None for more."""
        match tree:
            case ast.Constant():
                return {}
            case ast.Name(name):
                return {name: 1} if self.moving.get(name, 1 + (name not in self.lanes)) > 1 else {}
            case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
                first, second = self.moves(left, banks), self.moves(right, banks)
                if first is None or second is None:
                    return None
                if not first and not second:
                    return {}
                return _combined(op, (first, left), (second, right), banks)
            case _:
                return None

    def value(self, tree: ast.expr, lanes: Mapping[str, int]) -> int:
        """Return a value in the first iteration of all that moves."""
        match tree:
            case ast.Constant(int(number)):
                return number
            case ast.Name(name):
                return lanes.get(name, 0)
            case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
                operands = self.value(left, lanes), self.value(right, lanes)
                try:
                    return _OPERATORS[type(op)](*operands)
                except (ArithmeticError, ValueError):  # by 0, or by less than no bits
                    return 0
            case _:
                return 0


class _Substituted(ast.NodeTransformer):
    """Puts the expressions of constants in the place of their names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the expression of a name."""
        return self._values.get(node.id, node)


@dataclass(frozen=True, slots=True)
class CppAccess:
    """An access of a statement."""

    array: str
    texts: tuple[str, ...]
    is_write: bool
    scope: IndexScope

    @property
    def place(self) -> str:
        """Return its text."""
        return self.array + "".join(f"[{index}]" for index in self.texts)

    def moving_dimension(self, banks: Banks) -> int | None:
        """Return the first dimension of several banks whose index is not static."""
        for at, (text, count) in enumerate(zip(self.texts, banks, strict=False)):
            tree = self.scope.tree(text)
            moves = None if tree is None else self.scope.moves(tree, count)
            if count > 1 and (moves is None or any(by % count for by in moves.values())):
                return at
        return None

    def elements(self) -> Iterator[tuple[int, ...]]:
        """Yield where each lane finds its element, by how far it is from where tiles begin."""
        trees = [tree for text in self.texts if (tree := self.scope.tree(text)) is not None]
        names = sorted(set[str]().union(*map(self.scope.names, trees)))
        for point in product(*(range(self.scope.lanes[name]) for name in names)):
            lanes = dict(zip(names, point, strict=True))
            yield tuple(self.scope.value(tree, lanes) for tree in trees)

    def moved_by(self, banks: Banks) -> frozenset[tuple[int, str, int]]:
        """Return by how much tiles move it along each dimension: others are other elements."""
        trees = map(self.scope.tree, self.texts)
        moves = [tree and self.scope.moves(tree, n) for tree, n in zip(trees, banks, strict=False)]
        return frozenset(
            (at, *move) for at, found in enumerate(moves) if found for move in found.items()
        )


def _combined(
    op: ast.operator,
    first: tuple[Mapping[str, int], ast.expr],
    second: tuple[Mapping[str, int], ast.expr],
    banks: int,
) -> Mapping[str, int] | None:
    (left, factor), (right, number) = first, second
    constant = number.value if isinstance(number, ast.Constant) else None
    if constant == 0 and not isinstance(op, ast.Add | ast.Sub):
        return None
    match op:
        case ast.Add() | ast.Sub():
            sign = 1 if isinstance(op, ast.Add) else -1
            names = left.keys() | right.keys()
            return {name: left.get(name, 0) + sign * right.get(name, 0) for name in names}
        case ast.Mult() if isinstance(constant, int):
            return {name: by * constant for name, by in left.items()}
        case ast.Mult() if isinstance(factor, ast.Constant) and isinstance(factor.value, int):
            return {name: by * factor.value for name, by in right.items()}
        case ast.Mod() if isinstance(constant, int):
            whole = not any(by % constant for by in left.values())
            return {} if whole else left if constant % banks == 0 else None
        case ast.BitAnd() if isinstance(constant, int) and constant & constant + 1 == 0:
            return _combined(ast.Mod(), first, (right, ast.Constant(constant + 1)), banks)
        case ast.RShift() if isinstance(constant, int):
            return _combined(ast.Div(), first, (right, ast.Constant(1 << constant)), banks)
        case ast.Div() if isinstance(constant, int):
            whole = not any(by % constant for by in left.values())
            return {name: by // constant for name, by in left.items()} if whole else None
        case _:
            return None


def parsed(text: str) -> ast.expr | None:
    """Return the tree of an index: the operators that it has are Python's too."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def statements(items: Sequence[Item], scope: IndexScope) -> Iterator[tuple[str, IndexScope]]:
    """Yield the texts of statements and conditions, each with its scope."""
    for item in items:
        match item:
            case CppStatement(text):
                yield text, scope
                scope = scope.after(text)
            case If(condition, body):
                yield condition, scope
                yield from statements(body, scope)
            case For(_, _, body):
                yield from statements(body, scope.inside(item))
            case _:
                pass


def accesses(items: Sequence[Item], scope: IndexScope) -> Iterator[CppAccess]:
    """Yield the subscripted names of statements and conditions."""
    for text, own in statements(items, scope):
        for name, subscripts, is_write in _subscripted(text):
            yield CppAccess(name, subscripts, is_write, own)


def _subscripted(text: str) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Yield names with their subscripts, and whether they are assigned."""
    for found in _SUBSCRIPTED.finditer(text):
        at, subscripts = found.end() - 1, list[str]()
        while at < len(text) and text[at] == "[":
            end = _closing(text, at)
            subscripts.append(text[at + 1 : end])
            at = end + 1
        yield found[1], tuple(subscripts), found.start() == 0 and text[at:].startswith(" = ")


def _closing(text: str, at: int) -> int:
    """Return where the bracket that opens there closes."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"[": 1, "]": -1}.get(text[end], 0)
        if depth == 0:
            return end
    return len(text)
