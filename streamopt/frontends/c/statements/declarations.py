"""Declarations: constants, variables and arrays with their initial values."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from streamopt.frontends.c.statements import initialisers, statements
from streamopt.frontends.c.statements.assignments import known_value
from streamopt.frontends.c.statements.lasting import initialise, lasting_variable
from streamopt.frontends.c.symbols import Broken, Counter, Known
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.tree import Call, Conversion
from streamopt.frontends.c.syntax.usage import moved_names
from streamopt.frontends.c.values import accesses, expressions
from streamopt.frontends.c.values.value import Value, ValueProblem, converted_value, integer, real
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access

if TYPE_CHECKING:
    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.symbols import Symbol
    from streamopt.frontends.c.syntax.tree import Declaration

__all__ = ["declare", "shape_of"]

MAX_ELEMENTS = 2**31 - 1
MAX_DIMENSIONS = 32


def declare(item: Declaration, state: State) -> None:
    """Declare a local variable and emit its initialisation."""
    if item.type.element is None:
        message = f"{item.name} has type {item.type.text}, which is not supported"
        hint = "use float, double or an integer type"
        state.report("E135", message, item.loc, hint)
        state.scope.declare(item.name, Broken())
    elif item.type.extents:
        _declare_array(item, state)
    else:
        state.scope.declare(item.name, _scalar(item, item.type.element, state))


def _scalar(item: Declaration, element: ElementType, state: State) -> Symbol:
    changes = state.usage.assigned[item.name]
    is_integer = not element.is_float
    if is_integer and item.name in state.usage.counters and item.name not in state.usage.passed:
        return Counter(element)
    if item.is_static and (changes or item.name in state.usage.passed):
        return lasting_variable(item, state)
    if item.value is None and item.is_static:
        return Known(integer(0, element) if is_integer else real(0.0, element))
    if item.value is None:
        stored = state.add_variable(item.name, (), element, item.loc)
        return replace(stored, is_bool=item.type.is_bool)
    value = expressions.value_of(item.value, state)
    if value is None:
        return Broken()
    if changes == 0:
        known = _known(item, value, element)
        if known is not None:
            return known
    if not expressions.observed(value, item.value, state):
        return Broken()
    stored = state.add_variable(item.name, (), element, item.loc)
    stored = replace(stored, is_bool=item.type.is_bool)
    statements.assign_value(Access(stored.variable, ()), stored, value, state, item.loc)
    return replace(stored, is_const=item.type.is_const)


def _known(item: Declaration, value: Value, element: ElementType) -> Known | None:
    """Return a name for a value that never changes: a constant, or affine in iterators."""
    if value.constant is not None:
        try:
            fixed = expressions.as_truth(value) if item.type.is_bool else value
            return Known(_kept(fixed, element))
        except ValueProblem:
            return None
    known = known_value(value, element, is_bool=item.type.is_bool)
    return None if known is None else Known(known)


def _kept(value: Value, element: ElementType) -> Value:
    """Return a constant of a type; a literal keeps the digits that the user wrote."""
    if element == ElementType.FLOAT and value.element == ElementType.DOUBLE:
        converted_value(value, element)
        return replace(value, element=element)
    return converted_value(value, element)


def shape_of(item: Declaration, state: State, first: int | None = None) -> tuple[int, ...] | None:
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


def _declare_array(item: Declaration, state: State) -> None:
    state.scope.declare(item.name, Broken())
    element = item.type.element
    assert element is not None
    if item.type.is_pointer:
        _declare_pointer(item, state)
        return
    is_written = state.usage.assigned[item.name] > 0 or item.name in state.usage.passed
    if item.is_static and (is_written or item.value is None):
        state.scope.declare(item.name, lasting_variable(item, state))
        return
    shape = initialisers.shape_with_values(item, state)
    if shape is None:
        return
    stored = state.add_variable(item.name, shape, element, item.loc)
    declared = replace(stored, is_bool=item.type.is_bool, is_const=item.type.is_const)
    state.scope.declare(item.name, declared)
    if item.value is None:
        return
    nodes = initialisers.initial_values(item.value, shape, state)
    if nodes is None:
        return
    numbers = [initialisers.constant_of(node, element, state) for node in nodes]
    if not is_written and None not in numbers:
        known = [number for number in numbers if number is not None]
        state.values[stored.variable] = tuple(known)
        return
    initialise(item, stored, nodes, state)


def _declare_pointer(item: Declaration, state: State) -> None:
    """Declare another name for a part of a variable, unless it points elsewhere later."""
    function = state.unit.functions.get(state.calls[-1]) if state.calls else None
    is_moved = function is not None and item.name in moved_names(function)
    is_moved = is_moved and not item.type.is_reference
    if item.value is None or isinstance(item.value, Call | Conversion) or is_moved:
        what = "points elsewhere later" if is_moved else "is a pointer"
        hint = f"declare an array: {item.type.text} {item.name}[N]"
        state.report("E135", f"{item.name} {what}", item.loc, hint)
        return
    rank = 0 if item.type.is_reference else len(item.type.extents)
    part = accesses.pointed_part(item.value, state, rank)
    if part is None:
        return
    if part.element != item.type.element or len(part.shape) > max(rank, 1):
        message = f"{shown(item.value)} is no {item.type.text} for {item.name} to point at"
        state.report("E138", message, item.loc, "use the array itself")
        return
    is_const = part.is_const or item.type.is_const
    state.scope.declare(item.name, replace(part, is_const=is_const, is_parameter=True))
