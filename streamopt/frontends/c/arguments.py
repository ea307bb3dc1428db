"""The parameters of the function that is read, and the variables outside of functions it uses.

Calls of the function in its file tell the values of integers and the shapes behind pointers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from pycparser import c_ast as ast

from streamopt.frontends.c.extents import OPEN
from streamopt.frontends.c.problems import Problems
from streamopt.frontends.c.state import Frame, ReadingState
from streamopt.frontends.c.statements import initialisers
from streamopt.frontends.c.statements.declarations import static_variable
from streamopt.frontends.c.statements.pointers import pointer_to
from streamopt.frontends.c.symbols import Broken, Known, Symbol
from streamopt.frontends.c.syntax.files import CFunction
from streamopt.frontends.c.syntax.literals import TypedNumber, number_of
from streamopt.frontends.c.syntax.trees import items_of
from streamopt.frontends.c.syntax.types import Declaration
from streamopt.frontends.c.syntax.usage import calls_in, names_in, usage_of, walked
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.value import converted_value, integer
from streamopt.ir.arithmetic import ConstantError
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Read, reads


def declare_shared(top: CFunction, state: ReadingState) -> None:
    """Declare enumerators, and the variables outside of functions that are used."""
    for name, node in state.file.enumerators.items():
        value = expressions.value_of(node, state)
        state.scope.declare(name, Broken() if value is None else Known(value))
    used, seen_outside = _used_names(top, state)
    changed = _changed_names(state)
    for item in state.file.variables:
        is_fixed = item.name not in changed
        if item.is_static and item.name in used - seen_outside and not is_fixed:
            state.scope.declare(item.name, static_variable(item, state))
        elif item.name in used:
            state.scope.declare(item.name, _shared(item, state, is_fixed=is_fixed))
        elif is_fixed and not item.type.extents and item.value is not None:
            symbol = _fixed(item, state)
            if symbol is not None:
                state.scope.declare(item.name, symbol)


def _used_names(top: CFunction, state: ReadingState) -> tuple[set[str], set[str]]:
    """Return the names in a function with those that it calls, and the names elsewhere.

    Parameters of the function count as elsewhere.
    """
    functions = state.file.functions
    names: set[str] = set()
    waiting, seen = [top], {top.name}
    while waiting:
        function = waiting.pop()
        names |= names_in(*(item.node for item in function.parameters), function.body)
        called = {name for name, _ in calls_in(function)} - seen
        seen |= called
        waiting += [functions[name] for name in called if name in functions]
    outside = names_in(*(f.body for f in functions.values() if f.name not in seen))
    return names, outside | {item.name for item in top.parameters}


def _changed_names(state: ReadingState) -> set[str]:
    """Return the names that any function assigns, counts loops with or hands over."""
    changed: set[str] = set()
    for function in state.file.functions.values():
        usage = usage_of(function)
        own = {parameter.name for parameter in function.parameters}
        assigned = {name for name, count in usage.assigned.items() if count > 0}
        changed |= (assigned | usage.counters) - own
    return changed


def _fixed(item: Declaration, state: ReadingState) -> Known | None:
    """Return the constant that a scalar always is, if its initialiser is one."""
    element = item.type.element
    if element is None or item.value is None:
        return None
    value = expressions.value_of(item.value, state)
    if value is None or reads(value.tree):
        return None
    try:
        return Known(converted_value(value, element))
    except ConstantError as problem:
        state.report("E134", f"{item.name} has no value: {problem}", item.loc)
        return None


def _shared(item: Declaration, state: ReadingState, *, is_fixed: bool) -> Symbol:
    """Return the symbol of a variable outside of functions: a constant, or an argument."""
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
    if isinstance(item.value, ast.InitList) and shape and (is_fixed or item.type.is_const):
        nodes = initialisers.initial_values(item.value, shape, state) or []
        numbers = [initialisers.constant_of(node, element, state) for node in nodes]
    known_numbers = tuple(number for number in numbers if number is not None)
    has_values = bool(numbers) and len(known_numbers) == len(numbers)
    if numbers and not has_values:
        message = f"a value of {item.name} has more than 53 bits, or is not constant"
        state.report("E135", message, item.loc, "declare it inside of the function")
        return Broken()
    stored = state.source.add_declared(item, shape, is_argument=not has_values)
    if has_values:
        state.source.values[stored.variable] = known_numbers
    return replace(stored, is_const=item.type.is_const or has_values)


def declare_parameters(top: CFunction, state: ReadingState, parameters: Mapping[str, int]) -> None:
    """Declare the parameters: integers first, because extents depend on them."""
    _check_names(top, state, parameters)
    integers, shapes = _facts_from_calls(top, state)
    symbols: dict[str, Symbol] = {}
    for item in top.parameters:
        element = item.type.element
        if element is not None and item.type.is_integer:
            symbol = _integer(item, element, parameters, integers.get(item.name, set()), state)
            if symbol is not None:
                symbols[item.name] = symbol
                state.scope.declare(item.name, symbol)
    used = names_in(top.body)
    for item in top.parameters:
        if item.name not in symbols and item.name:
            state.scope.declare(
                item.name, _parameter(item, top, shapes, state, is_used=item.name in used)
            )


def _check_names(top: CFunction, state: ReadingState, parameters: Mapping[str, int]) -> None:
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
    known: Set[int],
    state: ReadingState,
) -> Symbol | None:
    """Return the constant that an integer parameter is bound to; None if there is none."""
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
    top: CFunction,
    shapes: Mapping[str, tuple[int, ...]],
    state: ReadingState,
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
    stored = state.source.add_declared(item, shape, is_argument=True)
    if shape and shape[0] == OPEN:
        state.source.pointers.add(stored.variable)
    found = replace(stored, is_const=item.type.is_const, is_parameter=True)
    return pointer_to(found, item, top, state)


def _scalar(
    item: Declaration, element: ElementType, state: ReadingState, *, is_used: bool
) -> Symbol:
    """Return a scalar that is handed over by value; a copy of it, if the function changes it."""
    if element.is_integer and not is_used:
        return Broken()
    stored = state.source.add_declared(item, (), is_argument=True)
    stored = replace(stored, is_open=element.is_integer)
    usage = state.usage
    if usage.assigned[item.name] <= 0 and item.name not in usage.counters:
        return stored
    copy = state.source.add_declared(item, ())
    value = Read(Access(stored.variable, ()))
    state.source.store(Access(copy.variable, ()), value, item.loc)
    return copy


def _array_shape(
    item: Declaration, top: CFunction, shapes: Mapping[str, tuple[int, ...]], state: ReadingState
) -> tuple[int, ...] | None:
    if item.type.extents[0] is not None:
        return initialisers.shape_of(item, state)
    handed = shapes.get(item.name)
    if handed is not None and len(handed) == len(item.type.extents):
        return initialisers.shape_of(item, state, first=handed[0])
    if item.type.is_reference:
        return ()
    if len(item.type.extents) == 1:
        forms = _pointer_forms(item.name, top)
        if forms == {"*"}:
            return ()
        if forms and forms <= {"*", "[0]"}:
            return (1,)
    shape = initialisers.shape_of(item, state, first=1)
    return None if shape is None else (OPEN, *shape[1:])


def _pointer_forms(name: str, top: CFunction) -> set[str]:
    """Return how a pointer is used: ``*p``, ``p[0]``, or something else."""
    forms: list[str] = []
    count = 0
    for node in walked(top.body):
        match node:
            case ast.UnaryOp(op="*", expr=ast.ID(name=found)) if found == name:
                forms.append("*")
            case ast.ArrayRef(name=ast.ID(name=found), subscript=index) if found == name:
                number = number_of(index) if isinstance(index, ast.Constant) else None
                is_zero = isinstance(number, TypedNumber) and number.value == 0
                forms.append("[0]" if is_zero else "[]")
            case ast.ID(name=found) if found == name:
                count += 1
            case _:
                pass
    return {*forms, "other"} if count > len(forms) else set(forms)


def _facts_from_calls(
    top: CFunction, state: ReadingState
) -> tuple[dict[str, set[int]], dict[str, tuple[int, ...]]]:
    """Return by parameter the constants that calls hand over, and the shape if all agree."""
    integers: dict[str, set[int]] = {}
    shapes: dict[str, set[tuple[int, ...]]] = {}
    for caller in state.file.functions.values():
        calls = [arguments for name, arguments in calls_in(caller) if name == top.name]
        if caller.name == top.name or not calls:
            continue
        local = [
            state.file.declarations[d] for d in items_of(caller.body) if isinstance(d, ast.Decl)
        ]
        constants = _constants_of(caller, local, state)
        declared = {item.name: item for item in (*state.file.variables, *local)}
        for arguments in calls:
            if len(arguments) != len(top.parameters):
                continue
            for parameter, argument in zip(top.parameters, arguments, strict=True):
                if parameter.type.is_integer:
                    value = expressions.value_of(argument, constants)
                    number = None if value is None else value.constant
                    if isinstance(number, int):
                        integers.setdefault(parameter.name, set()).add(number)
                elif parameter.type.extents:
                    shape = _handed_shape(argument, declared, constants)
                    if shape is not None:
                        shapes.setdefault(parameter.name, set()).add(shape)
    agreed = {name: next(iter(found)) for name, found in shapes.items() if len(found) == 1}
    return integers, agreed


def _constants_of(
    caller: CFunction, local: Sequence[Declaration], state: ReadingState
) -> ReadingState:
    """Return a state that knows a caller's integers that never change; its problems don't count."""
    frame = Frame(scope=state.scope.of_file())
    found = ReadingState(state.file, Problems(), state.inline, [frame])
    usage = usage_of(caller)
    for item in local:
        is_fixed = usage.assigned[item.name] == 0 and item.name not in usage.counters
        known = _fixed(item, found) if is_fixed and item.type.is_integer else None
        if known is not None:
            frame.scope.declare(item.name, known)
    return found


def _handed_shape(
    argument: ast.Node, declared: Mapping[str, Declaration], state: ReadingState
) -> tuple[int, ...] | None:
    """Return the shape of ``A``, or of ``*A`` for a pointer to an array."""
    levels = 0
    while isinstance(argument, ast.UnaryOp) and argument.op in ("*", "&"):
        levels += 1 if argument.op == "*" else -1
        argument = argument.expr
    if not isinstance(argument, ast.ID) or argument.name not in declared or levels < 0:
        return None
    item = declared[argument.name]
    if len(item.type.extents) <= levels or None in item.type.extents[levels:]:
        return None
    shape = initialisers.shape_of(item, state, first=1)
    return None if shape is None else shape[levels:]
