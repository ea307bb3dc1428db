"""Array elements: the part of a variable that an expression names, and its size in bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from pycparser import c_ast as ast

from streamopt.formats.names import did_you_mean
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.symbols import Broken, Counter, Known, Moving, Stored
from streamopt.frontends.c.syntax.literals import unsupported
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import INCREMENTS, base_name, walked
from streamopt.frontends.c.syntax.types import CType
from streamopt.frontends.c.values import conditions, expressions
from streamopt.frontends.c.values.gathers import Place, gathered, is_searched
from streamopt.frontends.c.values.value import CValue, integer
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.cases import Cases, cases_of, read_at
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Expression, Read, reads
from streamopt.ir.source import Item

_DATA_HINT = (
    "its value depends on data, and {array} has no extent that is known, or more than 4096 "
    "positions to compare: declare {array}[N], or split it (docs/guides/data-dependent.md)"
)
_STEPPED_HINT = (
    "{name} is changed step by step or under conditions; "
    "write the subscript with the iterators of the loops, as in i * 8 + j"
)
_AFFINE_HINT = "a subscript is a sum of iterators times constants, or such a sum / or % a constant"


def element_of(node: ast.Node, state: ReadingState) -> tuple[Access, Stored] | None:
    """Return the element that an expression names; None where a problem was reported."""
    part = part_of(node, state)
    if part is None or not _is_element(part, node, state):
        return None
    return Access(part.variable, part.prefix), part


def value_at(node: ast.Node, state: ReadingState) -> tuple[Expression, Stored] | None:
    """Return the value of an element, whose subscripts may be one of several affine values."""
    parts = _parts(node, state)
    if parts is None:
        return None
    whole, indices = parts
    searched = searched_places(whole, indices, state)
    if searched is not None:
        return gathered(whole, searched, node, state), whole
    subscripts = [_subscript(index, node, state, may_choose=True) for index in indices]
    cases = [subscript for subscript in subscripts if subscript is not None]
    if len(cases) < len(subscripts):
        return None
    known = [subscript for subscript in cases if isinstance(subscript, Affine)]
    is_choice = len(known) < len(cases)
    part = _part(whole, [Affine() for _ in cases] if is_choice else known, node, state)
    if part is None or not _is_element(part, node, state):
        return None
    if not is_choice:
        return Read(Access(part.variable, part.prefix)), part
    if whole.offset is not None:
        hint = "keep the sum of the subscripts in a variable"
        state.report("E135", f"{shown(node)} needs a choice behind a pointer", node, hint)
        return None
    value = read_at(whole.variable, (*whole.prefix, *cases))
    if value is None:
        message = f"the subscripts of {shown(node)} have too many cases"
        state.report("E136", message, node, "use fewer minima, maxima and ?:")
        return None
    return value, part


def searched_places(
    whole: Stored, indices: Sequence[ast.Node], state: ReadingState
) -> list[Place] | None:
    """Return the subscripts of an element if some depend on data, so that it is searched for."""
    if any(isinstance(part, ast.FuncCall) for part in walked(*indices)):
        return None
    items: list[Item] = []
    with state.unreported(), state.source.collected(items):
        values = [expressions.value_of(index, state) for index in indices]
    known = [value for value in values if value is not None and value.is_integer]
    others = [value for value in known if value.affine is None]
    if len(known) < len(values) or not others:
        return None
    if any(expressions.open_hint(index, state) for index in indices):
        return None
    if any(cases_of(one.tree) is not None or not [*reads(one.tree)] for one in others):
        return None
    found: list[Place] = [
        value if value.affine is None else state.loops.ordered(value.affine) for value in known
    ]
    names = {access.array for one in others for access in reads(one.tree)}
    if not is_searched(whole, found) or (
        not state.loops.may_compare
        and names <= state.integers.followed | state.source.values.keys()
    ):
        return None
    for item in items:
        state.source.emit(item)
    return found


def assigned_place(node: ast.Node, state: ReadingState) -> tuple[Stored, list[Place]] | None:
    """Return the variable and the places of an element that an assignment searches for."""
    if not isinstance(node, ast.ArrayRef):
        return None
    with state.unreported():
        parts = _parts(node, state)
    if parts is None:
        return None
    searched = searched_places(*parts, state)
    return None if searched is None else (parts[0], searched)


def part_of(node: ast.Node, state: ReadingState) -> Stored | None:
    """Return the variable, or the part of one, that an expression names."""
    parts = _parts(node, state)
    if parts is None:
        return None
    whole, indices = parts
    subscripts = [_subscript(index, node, state) for index in indices]
    known = [subscript for subscript in subscripts if isinstance(subscript, Affine)]
    return _part(whole, known, node, state) if len(known) == len(subscripts) else None


def _is_element(part: Stored, node: ast.Node, state: ReadingState) -> bool:
    if part.shape:
        _report_rank(part, len(part.prefix), node, state, "subscript every dimension")
    return not part.shape


def _report_rank(
    part: Stored, subscripts: int, node: ast.Node, state: ReadingState, hint: str = ""
) -> None:
    dimensions = len(part.prefix) + len(part.shape)
    message = f"{part.variable} has {_counted(dimensions, 'dimension')}, but "
    message += f"{shown(node)} has {_counted(subscripts, 'subscript')}"
    state.report("E138", message, node, hint)


def _parts(node: ast.Node, state: ReadingState) -> tuple[Stored, list[ast.Node]] | None:
    """Return the variable that an expression subscripts, and its subscripts."""
    indices: list[ast.Node] = []
    base = node
    while True:
        match base:
            case ast.ArrayRef(name=array, subscript=index):
                base = array
            case ast.UnaryOp(op="*", expr=ast.UnaryOp(op="&", expr=operand)):
                base = operand
                continue
            case ast.UnaryOp(op="*", expr=pointer):
                zero = ast.Constant("int", "0", pointer.coord)
                base, index = _pointer_sum(pointer, state) or (pointer, zero)
            case _:
                break
        indices.append(index)
    whole = _variable(base, node, state)
    if whole is None:
        for index in indices:
            expressions.value_of(index, state)
        return None
    if whole.is_single and indices and expressions.known_integer(indices[-1], state) == 0:
        return replace(whole, is_single=False), indices[-2::-1] if len(indices) > 1 else []
    return whole, indices[::-1]


def _pointer_sum(node: ast.Node, state: ReadingState) -> tuple[ast.Node, ast.Node] | None:
    """Return pointer and index of ``pointer + index``; None where it is something else."""
    if not isinstance(node, ast.BinaryOp) or node.op not in ("+", "-"):
        return None
    ways = [(node.left, node.right), (node.right, node.left)]
    if node.op == "-":
        ways = [(node.left, ast.UnaryOp("-", node.right, node.coord))]
    for pointer, index in ways:
        inner = _pointer_sum(pointer, state)
        if inner is not None:
            return inner[0], ast.BinaryOp("+", inner[1], index, node.coord)
        base = pointer
        while isinstance(base, ast.ArrayRef):
            base = base.name
        symbol = state.scope.find(base.name) if isinstance(base, ast.ID) else None
        if isinstance(symbol, Moving) or (isinstance(symbol, Stored) and symbol.shape):
            return pointer, index
    return None


def _part(whole: Stored, known: list[Affine], node: ast.Node, state: ReadingState) -> Stored | None:
    shape, offset = whole.shape, whole.offset
    if not shape and isinstance(node, ast.UnaryOp | ast.ArrayRef) and known == [Affine()]:
        return whole
    if len(known) > len(shape):
        _report_rank(whole, len(whole.prefix) + len(known), node, state)
        return None
    if offset is not None and known:
        known = [state.loops.ordered(offset + known[0]), *known[1:]]
        offset = None
    if not _is_inside(known, whole, node, state):
        return None
    prefix = (*whole.prefix, *known)
    return replace(whole, prefix=prefix, shape=shape[len(known) :], offset=offset)


def _is_inside(known: list[Affine], whole: Stored, node: ast.Node, state: ReadingState) -> bool:
    for subscript, extent in zip(known, whole.shape, strict=False):
        if not subscript.terms and not 0 <= subscript.constant < extent:
            message = f"{shown(node)} reaches {subscript.constant}, but the extent is {extent}"
            state.report("E138", message, node, "change the subscript or the shape")
            return False
    return True


def _variable(base: ast.Node, node: ast.Node, state: ReadingState) -> Stored | None:
    refused = unsupported(base)
    if refused is not None:
        state.report("E135", f"{refused.what} is not supported", node, refused.hint)
        return None
    if not isinstance(base, ast.ID):
        is_moved = isinstance(base, ast.UnaryOp) and base.op in INCREMENTS
        hint = "subscript an array by its name: A[i][j]"
        hint = "let the pointer stay, and subscript it" if is_moved else hint
        state.report("E135", f"{shown(node)} is not an array element", node, hint)
        return None
    symbol = state.scope.find(base.name)
    match symbol:
        case Stored():
            return symbol
        case Moving(place=place):
            part, now = state.part_at(symbol), state.integers.now.get(place.variable)
            if part is not None and now is not None and now.affine is not None:
                return replace(part, offset=now.affine)
            message = f"{base.name} has moved by a number that is not affine"
            if part is None:
                message = f"{base.name} points at nothing yet, or at one of several arrays"
            state.report("E136", message, node, _STEPPED_HINT.format(name=base.name))
        case None:
            hint = did_you_mean(base.name, state.scope.names())
            state.report("E137", f"'{base.name}' is not declared", base, hint)
        case Known() | Counter():
            state.report("E138", f"{shown(node)}: {base.name} is not an array", node)
        case Broken():
            pass
    return None


def _subscript(
    index: ast.Node, node: ast.Node, state: ReadingState, *, may_choose: bool = False
) -> Cases | None:
    """Return a subscript, which may be a choice among affine values if that is asked for."""
    value = expressions.value_of(index, state)
    if value is None:
        return None
    if value.affine is not None:
        return state.loops.ordered(value.affine)
    cases = cases_of(value.tree) if may_choose and value.is_integer else None
    return cases or _report_subscript(index, node, value, state)


def _report_subscript(index: ast.Node, node: ast.Node, value: CValue, state: ReadingState) -> None:
    if not value.is_integer:
        message = f"subscript {shown(index)} of {shown(node)} is not an integer"
        state.report("E138", message, index)
        return
    message = f"subscript {shown(index)} of {shown(node)} is not affine"
    hint = expressions.open_hint(index, state)
    other = hint or _other_hint(node, value, state)
    state.report("E134" if hint else "E136", message, index, other)


def _other_hint(node: ast.Node, value: CValue, state: ReadingState) -> str:
    """Return advice for a subscript by what its value is made of."""
    names = [access.array for access in reads(value.tree)]
    if not names:
        return _AFFINE_HINT
    if all(name in state.integers.followed for name in names):
        return _STEPPED_HINT.format(name=names[0])
    base = node
    while isinstance(base, ast.ArrayRef):
        base = base.name
    return _DATA_HINT.format(array=base.name if isinstance(base, ast.ID) else "the array")


def pointed_part(node: ast.Node, state: ReadingState, rank: int) -> Stored | None:
    """Return the part of a variable that a pointer points at: ``a``, ``a[i]``, ``&x``, ``a + i``.

    A pointer to an element is a part of the given rank that begins there.
    """
    moved = _pointer_sum(node, state)
    if moved is not None:
        part, offset = part_of(moved[0], state), _subscript(moved[1], node, state)
        if part is None or not isinstance(offset, Affine):
            return None
        return replace(part, offset=offset if part.offset is None else part.offset + offset)
    if isinstance(node, ast.TernaryOp):
        holds = conditions.condition_of(node.cond, state)
        if isinstance(holds, bool):
            return pointed_part(node.iftrue if holds else node.iffalse, state, rank)
        if holds is not None:
            message = f"{shown(node)} is one array or another"
            state.report("E135", message, node, "write if and else, each with its array")
        return None
    if not isinstance(node, ast.UnaryOp) or node.op != "&":
        return part_of(node, state)
    part = part_of(node.expr, state)
    if part is None or len(part.shape) != rank - 1 or not part.prefix:
        return part
    extent = state.source.variables[part.variable].shape[len(part.prefix) - 1]
    *prefix, offset = part.prefix
    return replace(part, prefix=tuple(prefix), shape=(extent, *part.shape), offset=offset)


def size_of(node: ast.UnaryOp, state: ReadingState) -> CValue | None:
    """Return the bytes of ``sizeof``'s operand; None where a problem was reported."""
    if isinstance(node.expr, ast.Typename):
        return _size_of_type(state.file.types[node.expr], node, state)
    name = next(iter(base_name(node.expr)), "")
    symbol = state.scope.find(name)
    if not isinstance(symbol, Stored):
        value = expressions.value_of(node.expr, state)
        return None if value is None else _bytes(value.element, 1)
    part = part_of(node.expr, state)
    if part is None:
        return None
    if part.shape and symbol.is_parameter and isinstance(node.expr, ast.ID):
        hint = "write the number of bytes, or the extent times the size of an element"
        message = f"{shown(node)} is the size of a pointer, because {name} is a parameter"
        state.report("E135", message, node, hint)
        return None
    return _bytes(part.element, prod(part.shape))


def _size_of_type(use: CType, node: ast.Node, state: ReadingState) -> CValue | None:
    if use.element is None or use.is_pointer or None in use.extents:
        state.report("E135", f"{shown(node)} is not supported", node, "write the number itself")
        return None
    numbers = [expressions.integer_of(one, state, "the extent") for one in use.extents if one]
    known = [number for number in numbers if number is not None]
    return _bytes(use.element, prod(known)) if len(known) == len(numbers) else None


def _bytes(element: ElementType, count: int) -> CValue:
    return integer(element.bits // 8 * count, ElementType.UINT64)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
