"""Shapes of arrays and their initialisers: the element of each value of ``{1, [4] = 2, 3}``."""

from __future__ import annotations

from math import prod

from pycparser import c_ast as ast

from streamopt.frontends.c.problems import LimitError
from streamopt.frontends.c.state import ReadingState
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import designators
from streamopt.frontends.c.syntax.types import Declaration
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.value import converted_value
from streamopt.ir.arithmetic import ConstantError
from streamopt.ir.element import ElementType

MAX_ELEMENTS = 2**31 - 1
MAX_DIMENSIONS = 32
MAX_INITIAL_VALUES = 1_000_000

Shape = tuple[int, ...]


def shape_of(
    item: Declaration, state: ReadingState, first: int | None = None
) -> tuple[int, ...] | None:
    """Return a declared shape; first stands for an extent that is left out."""
    shape: list[int] = []
    for position, extent in enumerate(item.type.extents):
        if extent is None and position == 0 and first is not None:
            shape.append(first)
            continue
        if extent is None:
            message = f"{item.name} has an extent that is not known"
            state.report("E134", message, item.loc, f"declare its shape: {item.name}[N][M]")
            return None
        number = expressions.integer_of(extent, state, f"an extent of {item.name},")
        if number is None:
            return None
        if number < 1:
            message = f"an extent of {item.name} is {number}"
            state.report("E138", message, extent, "extents are positive")
            return None
        shape.append(number)
    if prod(shape) > MAX_ELEMENTS or len(shape) > MAX_DIMENSIONS:
        state.report("E139", f"{item.name} is too large", item.loc, "make it smaller")
        return None
    return tuple(shape)


def shape_with_values(item: Declaration, state: ReadingState) -> Shape | None:
    """Return a declared shape, whose first extent the initialiser may give."""
    is_open = bool(item.type.extents) and item.type.extents[0] is None
    if item.is_stream:
        return shape_of(item, state, first=1)
    if not is_open or not isinstance(item.value, ast.InitList):
        return shape_of(item, state)
    shape = shape_of(item, state, first=1)
    if shape is None:
        return None
    whole = (MAX_INITIAL_VALUES, *shape[1:])
    places = _places(item.value, whole, state)
    if places is None:
        return None
    last = max((at for at, _ in places), default=0)
    return (last // prod(shape[1:]) + 1, *shape[1:])


def initial_values(
    value: ast.Node, shape: Shape, state: ReadingState
) -> list[ast.Node | None] | None:
    """Return the initialiser of each element in row-major order; None for a zero."""
    size = prod(shape)
    if size > MAX_INITIAL_VALUES:
        message = f"an initialiser for more than {MAX_INITIAL_VALUES} elements"
        raise LimitError(message, state.file.loc(value), "initialise it with a loop")
    if not isinstance(value, ast.InitList):
        state.report("E138", f"{shown(value)} can't initialise an array", value, "use {...}")
        return None
    places = _places(value, shape, state)
    if places is None:
        return None
    found: list[ast.Node | None] = [None] * size
    for at, node in places:
        found[at] = node
    return found


def _places(
    value: ast.InitList, shape: Shape, state: ReadingState
) -> list[tuple[int, ast.Node]] | None:
    """Return the values with their offsets, in the order of the text."""
    size = prod(shape)
    found: list[tuple[int, ast.Node]] = []
    position = 0
    for part in value.exprs:
        node, inner = part, shape[1:]
        if isinstance(part, ast.NamedInitializer):
            place = _designated(part, shape, state)
            if place is None:
                return None
            node, (position, inner) = part.expr, place
        elif isinstance(part, ast.InitList):
            position += -position % prod(inner)
        if position >= size:
            message = f"{shown(value)} has too many values for {size} elements"
            state.report("E138", message, part)
            return None
        if not isinstance(node, ast.InitList):
            found.append((position, node))
            position += 1
            continue
        within = _places(node, inner, state) if inner else None
        if within is None:
            if not inner:
                state.report("E138", f"{shown(node)} is nested too deeply", node)
            return None
        found += [(position + at, one) for at, one in within]
        position += prod(inner)
    return found


def _designated(
    part: ast.NamedInitializer, shape: Shape, state: ReadingState
) -> tuple[int, Shape] | None:
    """Return the offset that a designator names, and the shape of what is there."""
    position = 0
    for index in designators(part):
        number = expressions.integer_of(index, state, "the designator")
        if number is None:
            return None
        if not shape or not 0 <= number < shape[0]:
            state.report("E138", f"there is no element [{number}] to initialise", part)
            return None
        shape = shape[1:]
        position += number * prod(shape)
    return position, shape


def constant_of(node: ast.Node | None, element: ElementType, state: ReadingState) -> float | None:
    """Return an initialiser in the type of the element, if it is constant."""
    if node is None:
        return 0.0
    value = expressions.value_of(node, state)
    if value is None or value.constant is None:
        return None
    try:
        return converted_value(value, element).constant
    except ConstantError as problem:
        state.report("E134", f"{shown(node)} has no value: {problem}", node)
        return None
