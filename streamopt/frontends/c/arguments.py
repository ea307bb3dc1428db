"""The parameters of the function that is read, and the variables outside of functions it uses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.frontends.c.callers import integers_from_calls, shapes_from_calls
from streamopt.frontends.c.extents import OPEN
from streamopt.frontends.c.statements import declarations, initialisers
from streamopt.frontends.c.statements.lasting import lasting_variable
from streamopt.frontends.c.symbols import Broken, Known
from streamopt.frontends.c.syntax.tree import Call, Initializers, Name, Subscript, Unary
from streamopt.frontends.c.syntax.usage import usage_of, walked
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.value import ValueProblem, converted_value, integer
from streamopt.ir.expression import Access, Read
from streamopt.ir.source import Assign

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.symbols import Symbol
    from streamopt.frontends.c.syntax.tree import Declaration, Function
    from streamopt.ir.element import ElementType

__all__ = ["declare_parameters", "declare_shared"]


def declare_shared(top: Function, state: State) -> None:
    """Declare enumerators, and the variables outside of functions that are used."""
    for name, node in state.unit.enumerators.items():
        value = expressions.value_of(node, state)
        _share(name, Broken() if value is None else Known(value), state)
    used, seen_outside = _used_names(top, state)
    changed = _changed_names(state)
    for item in state.unit.variables:
        is_fixed = item.name not in changed
        if item.is_static and item.name in used - seen_outside and not is_fixed:
            _share(item.name, lasting_variable(item, state), state)
        elif item.name in used:
            _share(item.name, _shared(item, state, is_fixed=is_fixed), state)
        elif is_fixed and not item.type.extents and item.value is not None:
            symbol = _fixed(item, state)
            if symbol is not None:
                _share(item.name, symbol, state)


def _share(name: str, symbol: Symbol, state: State) -> None:
    state.shared[name] = symbol
    state.scope.declare(name, symbol)


def _used_names(top: Function, state: State) -> tuple[set[str], set[str]]:
    """Return the names in a function with those that it calls, and what is named elsewhere too.

    Parameters of the function count as named elsewhere.
    """
    names: set[str] = set()
    waiting, seen = [top], {top.name}
    while waiting:
        function = waiting.pop()
        for node in walked(function.parameters, function.body):
            if isinstance(node, Name):
                names.add(node.name)
            elif isinstance(node, Call) and node.function not in seen:
                seen.add(node.function)
                if node.function in state.unit.functions:
                    waiting.append(state.unit.functions[node.function])
    others = [f for f in state.unit.functions.values() if f.name not in seen]
    outside = {node.name for f in others for node in walked(f.body) if isinstance(node, Name)}
    return names, outside | {item.name for item in top.parameters}


def _changed_names(state: State) -> set[str]:
    """Return the names that any function assigns, counts loops with or hands over."""
    changed: set[str] = set()
    for function in state.unit.functions.values():
        usage = usage_of(function)
        own = {parameter.name for parameter in function.parameters}
        assigned = {name for name, count in usage.assigned.items() if count > 0}
        changed |= (assigned | usage.counters) - own
    return changed


def _fixed(item: Declaration, state: State) -> Known | None:
    """Return the constant that a scalar always is, if its initialiser is one."""
    element = item.type.element
    if element is None or item.value is None:
        return None
    value = expressions.value_of(item.value, state)
    if value is None or value.constant is None:
        return None
    try:
        return Known(converted_value(value, element))
    except ValueProblem as problem:
        state.report("E134", f"{item.name} has no value: {problem}", item.loc)
        return None


def _shared(item: Declaration, state: State, *, is_fixed: bool) -> Symbol:
    """Return what a variable outside of functions is: a constant, or an argument."""
    element = item.type.element
    if element is None or item.type.is_pointer:
        message = f"{item.name} has type {item.type.text}, which is not supported"
        state.report("E135", message, item.loc, "use arrays of numbers")
        return Broken()
    if not item.type.extents and is_fixed:
        known = _fixed(item, state)
        if known is not None:
            return known
    shape = initialisers.shape_with_values(item, state)
    if shape is None:
        return Broken()
    numbers: list[float | None] = []
    if isinstance(item.value, Initializers) and shape and (is_fixed or item.type.is_const):
        nodes = initialisers.initial_values(item.value, shape, state) or []
        numbers = [initialisers.constant_of(node, element, state) for node in nodes]
    known_numbers = tuple(number for number in numbers if number is not None)
    has_values = bool(numbers) and len(known_numbers) == len(numbers)
    stored = state.add_variable(item.name, shape, element, item.loc, is_argument=not has_values)
    if has_values:
        state.values[stored.variable] = known_numbers
    is_const = item.type.is_const or has_values
    return replace(stored, is_const=is_const, is_bool=item.type.is_bool)


def declare_parameters(top: Function, state: State, parameters: Mapping[str, int]) -> None:
    """Declare the parameters: integers first, because extents depend on them."""
    _check_names(top, state, parameters)
    from_calls = integers_from_calls(top, state.unit, state.shared)
    symbols: dict[str, Symbol] = {}
    for item in top.parameters:
        element = item.type.element
        if element is not None and item.type.is_integer:
            symbol = _integer(item, element, parameters, from_calls, state)
            if symbol is not None:
                symbols[item.name] = symbol
                state.scope.declare(item.name, symbol)
    shapes = shapes_from_calls(top, state.unit, state.shared)
    used = {node.name for node in walked(top.body) if isinstance(node, Name)}
    for item in top.parameters:
        if item.name not in symbols and item.name:
            state.scope.declare(
                item.name, _parameter(item, top, shapes, state, is_used=item.name in used)
            )


def _check_names(top: Function, state: State, parameters: Mapping[str, int]) -> None:
    known = {item.name for item in top.parameters if item.type.is_integer}
    for name in parameters:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            message = f"{top.name} has no integer parameter '{name[:60]}'"
            state.report("E134", message, top.loc, f"it has: {listed}")


def _integer(
    item: Declaration,
    element: ElementType,
    parameters: Mapping[str, int],
    from_calls: Mapping[str, frozenset[int]],
    state: State,
) -> Symbol | None:
    """Return the constant that an integer parameter is bound to; None if there is none."""
    known = from_calls.get(item.name, frozenset())
    if item.name in parameters:
        number = parameters[item.name]
    elif len(known) == 1:
        (number,) = known
    elif known:
        listed = ", ".join(map(str, sorted(known)[:5]))
        message = f"{item.name} gets different values in calls: {listed}"
        state.report("E134", message, item.loc, f"choose one: --param {item.name}={max(known)}")
        return Broken()
    else:
        return None
    low = -(2 ** (element.bits - 1)) if element.is_signed else 0
    if not low <= number < low + 2**element.bits:
        message = f"{item.name} = {number} does not fit its type {item.type.text}"
        state.report("E134", message, item.loc, "choose a smaller value")
        return Broken()
    return Known(integer(number, element))


def _parameter(
    item: Declaration,
    top: Function,
    shapes: Mapping[str, tuple[int, ...]],
    state: State,
    *,
    is_used: bool,
) -> Symbol:
    element = item.type.element
    if element is None or (len(item.type.extents) > 1 and item.type.extents[1] is None):
        if is_used:
            message = f"parameter {item.name} of type {item.type.text} is not supported"
            hint = f"declare an array of numbers: float {item.name}[N][M]"
            if not item.type.extents:
                hint = "use float, double or an integer type"
            state.report("E135", message, item.loc, hint)
        return Broken()
    if not item.type.extents:
        return _scalar(item, element, state, is_used=is_used)
    if not is_used and item.type.extents[0] is None and item.name not in shapes:
        return Broken()
    shape = _array_shape(item, top, shapes, state)
    if shape is None:
        return Broken()
    stored = state.add_variable(item.name, shape, element, item.loc, is_argument=True)
    if shape and shape[0] == OPEN:
        state.pointers.add(stored.variable)
    return replace(
        stored, is_const=item.type.is_const, is_bool=item.type.is_bool, is_parameter=True
    )


def _scalar(item: Declaration, element: ElementType, state: State, *, is_used: bool) -> Symbol:
    """Return a scalar that is handed over by value; a copy of it, if the function changes it."""
    if not element.is_float and not is_used:
        return Broken()
    stored = state.add_variable(item.name, (), element, item.loc, is_argument=True)
    stored = replace(stored, is_bool=item.type.is_bool, is_open=not element.is_float)
    usage = state.usage
    if usage.assigned[item.name] <= 0 and item.name not in usage.counters:
        return stored
    copy = state.add_variable(item.name, (), element, item.loc)
    state.written.add(copy.variable)
    value = Read(Access(stored.variable, ()))
    state.emit(Assign(Access(copy.variable, ()), value, loc=item.loc))
    return replace(copy, is_bool=item.type.is_bool)


def _array_shape(
    item: Declaration, top: Function, shapes: Mapping[str, tuple[int, ...]], state: State
) -> tuple[int, ...] | None:
    if item.type.extents[0] is not None:
        return declarations.shape_of(item, state)
    handed = shapes.get(item.name)
    if handed is not None and len(handed) == len(item.type.extents):
        return declarations.shape_of(item, state, first=handed[0])
    if item.type.is_reference:
        return ()
    if len(item.type.extents) == 1:
        forms = _pointer_forms(item.name, top)
        if forms == {"*"}:
            return ()
        if forms and forms <= {"*", "[0]"}:
            return (1,)
    shape = declarations.shape_of(item, state, first=1)
    return None if shape is None else (OPEN, *shape[1:])


def _pointer_forms(name: str, top: Function) -> set[str]:
    """Return how a pointer is used: ``*p``, ``p[0]``, or something else."""
    forms: list[str] = []
    count = 0
    for node in walked(top.body):
        match node:
            case Unary("*", Name(found)) if found == name:
                forms.append("*")
            case Subscript(Name(found), index) if found == name:
                forms.append("[0]" if getattr(index, "value", None) == 0 else "[]")
            case Name(found) if found == name:
                count += 1
            case _:
                pass
    return {*forms, "other"} if count > len(forms) else set(forms)
