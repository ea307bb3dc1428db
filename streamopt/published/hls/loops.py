"""Loops of HLS C++: their trip counts, their bodies, and what is assigned in them."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pycparser import c_ast as ast
from pycparser.c_parser import CParser

from streamopt.frontends.c.syntax.trees import base_name
from streamopt.frontends.c.syntax.usage import assigned_target, change_of
from streamopt.ir.affine import Affine
from streamopt.ir.operators import CompareOp


class Counted(NamedTuple):
    """A loop with constant bounds: ``iterator = first + step * n`` for ``n`` below ``trips``."""

    iterator: str
    first: int
    step: int
    trips: int


def counted(loop: ast.For, constant: Callable[[ast.Node], int | None]) -> Counted | None:
    """Return the iterations of a loop; None where its bounds are not constant.

    Parameters
    ----------
    constant
        Returns the value of an expression that doesn't depend on the loops around; None of others.
    """
    match loop.init:
        case ast.DeclList(decls=[ast.Decl(name=str(name), init=begin)]):
            pass
        case ast.Assignment(op="=", lvalue=ast.ID(name=name), rvalue=begin):
            pass
        case _:
            return None
    change = None if loop.next is None else change_of(loop.next, name)
    step = None if change is None else _amount(*change, constant)
    first = None if begin is None else constant(begin)
    match loop.cond:
        case ast.BinaryOp(op=sign, left=ast.ID(name=left), right=end) if left == name:
            pass
        case ast.BinaryOp(op=sign, left=end, right=ast.ID(name=right)) if (
            right == name and sign in {*CompareOp}
        ):
            sign = CompareOp(sign).mirrored
        case _:
            return None
    last = constant(end)
    if first is None or last is None or not step:
        return None
    last += {"<=": 1, ">=": -1}.get(sign, 0)
    if sign not in ("<", "<=", ">", ">=", "!=") or (sign in ("<", "<=")) != (step > 0):
        return None if sign != "!=" else _until(name, first, step, last)
    return Counted(name, first, step, max(0, -((first - last) // step)))


def _until(name: str, first: int, step: int, last: int) -> Counted | None:
    rest = (last - first) % step
    return None if rest else Counted(name, first, step, max(0, (last - first) // step))


def _amount(sign: int, value: ast.Node, constant: Callable[[ast.Node], int | None]) -> int | None:
    found = constant(value)
    return None if found is None else sign * found


def placed(loop: Counted, iteration: Affine) -> Affine:
    """Return the iterator's value at an iteration, counted from 0."""
    return iteration.scaled(loop.step) + type(iteration).of(loop.first)


def block(node: ast.Node | None) -> list[ast.Node]:
    """Return the items of a statement; labels are left out, pragmas are kept."""
    match node:
        case None | ast.EmptyStatement():
            return []
        case ast.Compound(block_items=items):
            return [each for item in items or () for each in _unlabelled(item)]
        case _:
            return _unlabelled(node)


def _unlabelled(item: ast.Node) -> list[ast.Node]:
    found: ast.Node | None = item
    while isinstance(found, ast.Label):
        found = found.stmt
    return [] if found is None or isinstance(found, ast.EmptyStatement) else [found]


def loops_under(items: Sequence[ast.Node]) -> list[ast.For]:
    """Return the outermost loops among items, those under conditions and in blocks too."""
    found: list[ast.For] = []
    for item in items:
        match item:
            case ast.For():
                found.append(item)
            case ast.If(iftrue=then, iffalse=other):
                found += loops_under([*block(then), *block(other)])
            case ast.Compound():
                found += loops_under(block(item))
            case _:
                pass
    return found


def beside_loops(items: Sequence[ast.Node]) -> Iterator[ast.Node]:
    """Yield the items that stand in no loop among them, those under conditions too."""
    for item in items:
        match item:
            case ast.For():
                pass
            case ast.If(iftrue=then, iffalse=other):
                yield from beside_loops([*block(then), *block(other)])
            case ast.Compound():
                yield from beside_loops(block(item))
            case _:
                yield item


def only_moves(loop: ast.For) -> bool:
    """Return whether a loop computes nothing of what it stores."""
    moved = ast.ID | ast.ArrayRef | ast.FuncCall
    stores = (n for n in walk(loop.stmt) if isinstance(assigned_target(n), ast.ArrayRef))
    return all(isinstance(n, ast.Assignment) and isinstance(n.rvalue, moved) for n in stores)


def nested(items: Sequence[ast.Node]) -> list[ast.For]:
    """Return all loops in items, at any depth."""
    return [node for item in items for node in walk(item) if isinstance(node, ast.For)]


_LANES = "void f() {{ for (int {lane} = 0; {lane} < {factor}; {lane}++) {{ {test} {{ }} }} }}"


def in_lanes(
    loop: ast.For, items: Sequence[ast.Node], factor: int, trips: Counted
) -> list[ast.Node]:
    """Return the body of a loop that is unrolled by a factor, in a loop over its lanes."""
    name, lane = trips.iterator, f"{trips.iterator}_lane"
    whole = f"int {name} = {name} + {lane} * ({trips.step});"
    end = trips.first + trips.step * trips.trips
    is_partial, sign = trips.trips % factor, "<" if trips.step > 0 else ">"
    test = f"if ({name} {sign} {end})" if is_partial else ""
    text = _LANES.format(lane=lane, factor=factor, test=f"{whole} {test}")
    (function,) = CParser().parse(text).ext
    (lanes,) = block(getattr(function, "body", None))
    assert isinstance(lanes, ast.For)
    for node in walk(lanes):
        node.coord = loop.coord
    inside = block(lanes.stmt)[-1]
    body = inside.iftrue if isinstance(inside, ast.If) else inside
    assert isinstance(body, ast.Compound)
    body.block_items = [item for item in items if not isinstance(item, ast.Pragma)]
    return [*(item for item in items if isinstance(item, ast.Pragma)), lanes]


def walk(root: ast.Node | None) -> Iterator[ast.Node]:
    """Yield a tree's nodes, each before those inside."""
    waiting = [] if root is None else [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [*node][::-1]


def assigned(items: Sequence[ast.Node]) -> tuple[set[str], set[str]]:
    """Return the names that items assign to, and those that they declare."""
    written: set[str] = set()
    declared: set[str] = set()
    for item in items:
        for node in walk(item):
            match node:
                case _ if (target := assigned_target(node)) is not None:
                    written.update(base_name(target))
                case ast.BinaryOp(op=">>", left=source, right=ast.ID(name=name)):
                    written.update([name] if base_name(source) else [])
                case ast.Decl(name=str(name)):
                    declared.add(name)
                case _:
                    pass
    return written, declared


def paired(loop: ast.For) -> list[str]:
    """Return the array whose places a loop combines by twos; nothing for another loop."""
    items = [item for item in block(loop.stmt) if not isinstance(item, ast.Pragma)]
    match items:
        case [ast.Assignment(op="=", lvalue=ast.ArrayRef(name=ast.ID(name=name)), rvalue=value)]:
            pass
        case _:
            return []
    places = [
        node.subscript
        for node in walk(value)
        if isinstance(node, ast.ArrayRef) and base_name(node) == [name]
    ]
    match places:
        case [ast.BinaryOp(op="*"), ast.BinaryOp(op="+", left=ast.BinaryOp(op="*"))]:
            return [name]
        case _:
            return []
