"""What the calls of a function in its file tell: integers that are constant, shapes of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.c.problems import Problems
from streamopt.frontends.c.state import State
from streamopt.frontends.c.statements.declarations import shape_of
from streamopt.frontends.c.symbols import Known, Symbol
from streamopt.frontends.c.syntax.tree import Call, Declaration, Name, Unary
from streamopt.frontends.c.syntax.usage import calls_in, usage_of
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.value import ValueProblem, converted_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.frontends.c.syntax.tree import Function, Node, Unit

__all__ = ["integers_from_calls", "shapes_from_calls"]


def integers_from_calls(
    top: Function, unit: Unit, shared: Mapping[str, Symbol]
) -> dict[str, frozenset[int]]:
    """Return, by parameter, the different constants that calls hand over."""
    found: dict[str, set[int]] = {}
    for caller, call in _calls(top, unit):
        state = _constants_of(caller, unit, shared)
        for parameter, argument in zip(top.parameters, call.arguments, strict=False):
            if not parameter.type.is_integer:
                continue
            value = expressions.value_of(argument, state)
            number = value.constant if value is not None else None
            if isinstance(number, int):
                found.setdefault(parameter.name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


def shapes_from_calls(
    top: Function, unit: Unit, shared: Mapping[str, Symbol]
) -> dict[str, tuple[int, ...]]:
    """Return, by parameter, the shape of the array that is handed over, where all calls agree."""
    found: dict[str, set[tuple[int, ...]]] = {}
    for caller, call in _calls(top, unit):
        state = _constants_of(caller, unit, shared)
        declared = {d.name: d for d in (*unit.variables, *_declarations(caller))}
        for parameter, argument in zip(top.parameters, call.arguments, strict=False):
            shape = _shape(argument, declared, state) if parameter.type.extents else None
            if shape is not None:
                found.setdefault(parameter.name, set()).add(shape)
    return {name: next(iter(shapes)) for name, shapes in found.items() if len(shapes) == 1}


def _calls(top: Function, unit: Unit) -> list[tuple[Function, Call]]:
    return [
        (caller, call)
        for caller in unit.functions.values()
        if caller.name != top.name
        for call in calls_in(caller)
        if call.function == top.name and len(call.arguments) == len(top.parameters)
    ]


def _declarations(caller: Function) -> list[Declaration]:
    return [item for item in caller.body.items if isinstance(item, Declaration)]


def _constants_of(caller: Function, unit: Unit, shared: Mapping[str, Symbol]) -> State:
    """Return a state that knows a caller's integers that never change; its problems don't count."""
    state = State(unit, Problems())
    for name, symbol in shared.items():
        state.scope.declare(name, symbol)
    state.scope.enter()
    usage = usage_of(caller)
    for item in _declarations(caller):
        is_fixed = usage.assigned[item.name] == 0 and item.name not in usage.counters
        if item.value is None or not is_fixed or not item.type.is_integer:
            continue
        value = expressions.value_of(item.value, state)
        if value is not None and value.constant is not None and item.type.element is not None:
            try:
                state.scope.declare(item.name, Known(converted_value(value, item.type.element)))
            except ValueProblem:
                continue
    return state


def _shape(
    argument: Node, declared: Mapping[str, Declaration], state: State
) -> tuple[int, ...] | None:
    """Return the shape of ``A``, or of ``*A`` for a pointer to an array."""
    levels = 0
    while isinstance(argument, Unary) and argument.op in ("*", "&"):
        levels += 1 if argument.op == "*" else -1
        argument = argument.operand
    if not isinstance(argument, Name) or argument.name not in declared or levels < 0:
        return None
    item = declared[argument.name]
    if len(item.type.extents) <= levels or None in item.type.extents[levels:]:
        return None
    shape = shape_of(item, state, first=1)
    return None if shape is None else shape[levels:]
