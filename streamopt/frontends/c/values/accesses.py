"""Array elements: which part of which variable an expression names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.formats.names import did_you_mean
from streamopt.frontends.c.extents import OPEN
from streamopt.frontends.c.symbols import Broken, Counter, Known, Stored
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.tree import (
    Increment,
    Name,
    Number,
    Operation,
    Subscript,
    Unary,
    Unsupported,
)
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.cases import cases_of, read_at
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Read, reads

if TYPE_CHECKING:
    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.syntax.tree import Node
    from streamopt.frontends.c.values.cases import Cases
    from streamopt.frontends.c.values.value import Value
    from streamopt.ir.expression import Expression

__all__ = ["element_of", "part_of", "pointed_part", "value_at"]

_DATA_HINT = (
    "its value depends on data; compare it with every position instead: "
    "for (int p = 0; p < {extent}; p++) if ({index} == p) ... {array}[p] ... "
    "(docs/guides/data-dependent.md)"
)
_STEPPED_HINT = (
    "{name} is changed step by step or under conditions; "
    "write the subscript with the iterators of the loops, as in i * 8 + j"
)
_AFFINE_HINT = "a subscript is a sum of iterators times constants, or such a sum / or % a constant"


def element_of(node: Node, state: State) -> tuple[Access, Stored] | None:
    """Return the element that an expression names; None where a problem was reported."""
    part = part_of(node, state)
    if part is None or not _is_element(part, node, state):
        return None
    return Access(part.variable, part.prefix), part


def value_at(node: Node, state: State) -> tuple[Expression, Stored] | None:
    """Return the value of an element, whose subscripts may be one of several affine values."""
    parts = _parts(node, state)
    if parts is None:
        return None
    whole, indices = parts
    found = [_cases(index, node, state) for index in indices]
    subscripts = [subscript for subscript in found if subscript is not None]
    if len(subscripts) < len(found):
        return None
    known = [subscript for subscript in subscripts if isinstance(subscript, Affine)]
    if len(known) == len(subscripts):
        part = _part(whole, known, node, state)
        if part is None or not _is_element(part, node, state):
            return None
        return Read(Access(part.variable, part.prefix)), part
    end = _part(whole, [Affine() for _ in subscripts], node, state)
    if end is None or not _is_element(end, node, state):
        return None
    if whole.offset is not None:
        hint = "keep the sum of the subscripts in a variable"
        state.report("E135", f"{shown(node)} needs a choice behind a pointer", node, hint)
        return None
    value = read_at(whole.variable, (*whole.prefix, *subscripts))
    if value is None:
        message = f"the subscripts of {shown(node)} have too many cases"
        state.report("E136", message, node, "use fewer minima, maxima and ?:")
        return None
    return value, end


def part_of(node: Node, state: State) -> Stored | None:
    """Return the variable, or the part of one, that an expression names."""
    parts = _parts(node, state)
    if parts is None:
        return None
    whole, indices = parts
    subscripts = [_subscript(index, node, state) for index in indices]
    known = [subscript for subscript in subscripts if subscript is not None]
    return _part(whole, known, node, state) if len(known) == len(subscripts) else None


def _is_element(part: Stored, node: Node, state: State) -> bool:
    if part.shape:
        wanted, found = len(part.prefix) + len(part.shape), len(part.prefix)
        message = f"{part.variable} has {_counted(wanted, 'dimension')}, but "
        message += f"{shown(node)} has {_counted(found, 'subscript')}"
        state.report("E138", message, node, "subscript every dimension")
    return not part.shape


def _parts(node: Node, state: State) -> tuple[Stored, list[Node]] | None:
    """Return the variable that an expression subscripts, and its subscripts."""
    indices: list[Node] = []
    base = node
    while isinstance(base, Subscript | Unary):
        if isinstance(base, Subscript):
            indices.append(base.index)
            base = base.base
            continue
        if base.op != "*":
            break
        moved = _pointer_sum(base.operand, state)
        base, index = moved or (base.operand, Number(0, ElementType.INT32, base.loc))
        indices.append(index)
    whole = _variable(base, node, state)
    if whole is None:
        for index in indices:
            expressions.value_of(index, state)
        return None
    return whole, indices[::-1]


def _pointer_sum(node: Node, state: State) -> tuple[Node, Node] | None:
    """Return pointer and index of ``pointer + index``; None where it is something else."""
    if not isinstance(node, Operation) or node.op != "+":
        return None
    for pointer, index in ((node.left, node.right), (node.right, node.left)):
        base = pointer
        while isinstance(base, Subscript):
            base = base.base
        if isinstance(base, Name):
            symbol = state.scope.find(base.name)
            if isinstance(symbol, Stored) and symbol.shape:
                return pointer, index
    return None


def _part(whole: Stored, known: list[Affine], node: Node, state: State) -> Stored | None:
    shape, offset = whole.shape, whole.offset
    if not shape and isinstance(node, Unary | Subscript) and known == [Affine()]:
        return whole
    if len(known) > len(shape):
        dimensions = len(whole.prefix) + len(shape)
        message = f"{whole.variable} has {_counted(dimensions, 'dimension')}, but "
        message += f"{shown(node)} has {_counted(len(whole.prefix) + len(known), 'subscript')}"
        state.report("E138", message, node)
        return None
    if offset is not None and known:
        known = [state.in_loop_order(offset + known[0]), *known[1:]]
        offset = None
    if not _is_inside(known, whole, node, state):
        return None
    prefix = (*whole.prefix, *known)
    return replace(whole, prefix=prefix, shape=shape[len(known) :], offset=offset)


def _is_inside(known: list[Affine], whole: Stored, node: Node, state: State) -> bool:
    for subscript, extent in zip(known, whole.shape, strict=False):
        if not subscript.terms and not 0 <= subscript.constant < extent:
            message = f"{shown(node)} reaches {subscript.constant}, but the extent is {extent}"
            state.report("E138", message, node, "change the subscript or the shape")
            return False
    return True


def _variable(base: Node, node: Node, state: State) -> Stored | None:
    if isinstance(base, Unsupported):
        state.report("E135", f"{base.what} is not supported", node, base.hint)
        return None
    if not isinstance(base, Name):
        hint = "subscript an array by its name: A[i][j]"
        if isinstance(base, Increment):
            hint = "let the pointer stay, and subscript it"
        state.report("E135", f"{shown(node)} is not an array element", node, hint)
        return None
    symbol = state.scope.find(base.name)
    match symbol:
        case Stored():
            return symbol
        case None:
            hint = did_you_mean(base.name, state.scope.names())
            state.report("E137", f"'{base.name}' is not declared", base, hint)
        case Known() | Counter():
            state.report("E138", f"{shown(node)}: {base.name} is not an array", node)
        case Broken():
            pass
    return None


def _subscript(index: Node, node: Node, state: State) -> Affine | None:
    value = expressions.value_of(index, state)
    if value is None:
        return None
    if value.affine is not None:
        return state.in_loop_order(value.affine)
    return _report_subscript(index, node, value, state)


def _cases(index: Node, node: Node, state: State) -> Cases | None:
    value = expressions.value_of(index, state)
    if value is None:
        return None
    if value.affine is not None:
        return state.in_loop_order(value.affine)
    cases = cases_of(value.tree) if value.is_integer else None
    return cases or _report_subscript(index, node, value, state)


def _report_subscript(index: Node, node: Node, value: Value, state: State) -> None:
    if not value.is_integer:
        message = f"subscript {shown(index)} of {shown(node)} is not an integer"
        state.report("E138", message, index)
        return
    message = f"subscript {shown(index)} of {shown(node)} is not affine"
    hint = expressions.open_hint(index, state)
    other = hint or _other_hint(index, node, value, state)
    state.report("E134" if hint else "E136", message, index, other)


def _other_hint(index: Node, node: Node, value: Value, state: State) -> str:
    """Return what to do about a subscript, by what its value is made of."""
    names = [access.array for access in reads(value.tree)]
    if not names:
        return _AFFINE_HINT
    if all(name in state.followed for name in names):
        return _STEPPED_HINT.format(name=names[0])
    indices: list[Node] = []
    base = node
    while isinstance(base, Subscript):
        indices.append(base.index)
        base = base.base
    symbol = state.scope.find(base.name) if isinstance(base, Name) else None
    shape = symbol.shape if isinstance(symbol, Stored) else ()
    at = indices[::-1].index(index) if index in indices else len(shape)
    extent = str(shape[at]) if at < len(shape) and shape[at] != OPEN else "the extent"
    array = base.name if isinstance(base, Name) else "array"
    return _DATA_HINT.format(extent=extent, index=shown(index), array=array)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def pointed_part(node: Node, state: State, rank: int) -> Stored | None:
    """Return the part of a variable that a pointer points at: ``a``, ``a[i]``, ``&x``, ``a + i``.

    A pointer to an element is a part of the given rank that begins there.
    """
    moved = _pointer_sum(node, state)
    if moved is not None:
        part, offset = part_of(moved[0], state), _subscript(moved[1], node, state)
        if part is None or offset is None:
            return None
        return replace(part, offset=offset if part.offset is None else part.offset + offset)
    if not isinstance(node, Unary) or node.op != "&":
        return part_of(node, state)
    part = part_of(node.operand, state)
    if part is None or len(part.shape) != rank - 1 or not part.prefix:
        return part
    extent = state.variables[part.variable].shape[len(part.prefix) - 1]
    *prefix, offset = part.prefix
    return replace(part, prefix=tuple(prefix), shape=(extent, *part.shape), offset=offset)
