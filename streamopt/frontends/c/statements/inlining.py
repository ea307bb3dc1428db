"""Functions of the file, put in place of their calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic
from streamopt.frontends.c.problems import LimitError
from streamopt.frontends.c.state import MAX_INLINED_CALLS
from streamopt.frontends.c.statements import statements
from streamopt.frontends.c.statements.assignments import hold
from streamopt.frontends.c.symbols import Broken, Known, Scope, Stored, Symbol
from streamopt.frontends.c.syntax.jumps import without_jumps
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.tree import Block, IfElse, Return
from streamopt.frontends.c.syntax.usage import Usage, usage_of
from streamopt.frontends.c.values import accesses, conditions, expressions
from streamopt.frontends.c.values.operations import selected
from streamopt.frontends.c.values.value import Value, converted_value
from streamopt.ir.expression import Access, Read
from streamopt.ir.source import Assign

if TYPE_CHECKING:
    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.syntax.tree import Call, Declaration, Function, Node, Statement

__all__ = ["inline_statement", "value_of_inlined"]

MAX_CALL_DEPTH = 16


def value_of_inlined(node: Call, state: State) -> Value | None:
    """Return the value of a call of a function of the file."""
    function = state.unit.functions[node.function]
    if function.returns.element is None or function.returns.extents:
        state.report("E138", f"{function.name} returns no number", node)
        return None
    if _is_expression(function.body):
        bound = _bound(node, function, state, is_pure=True)
        if bound is None:
            return None
        with state.function(function.name, *bound):
            return _returned(list(function.body.items), function, state)
    if state.guarded:
        message = f"{shown(node)} stands under a condition of an expression"
        state.report("E135", message, node, "call it before, and keep its result in a variable")
        return None
    return _inlined(node, function, state)


def inline_statement(node: Call, state: State) -> None:
    """Put the statements of a function in place of a call whose value nobody looks at."""
    _inlined(node, state.unit.functions[node.function], state)


def _inlined(node: Call, function: Function, state: State) -> Value | None:
    """Emit a function's statements and return what it returns, if it does."""
    bound = _bound(node, function, state, is_pure=False)
    if bound is None:
        return None
    before = set(state.variables)
    with state.function(function.name, *bound):
        items = function.body.items
        last = items[-1] if items and isinstance(items[-1], Return) else None
        items = items[:-1] if last is not None else items
        if function.returns.text == "void":
            items = without_jumps(items, Return)
        statements.read_all(items, state)
        if function.returns.element is None:
            return None
        if last is None or last.value is None:
            hint = "end the function with one return"
            state.report("E135", f"{function.name} does not end with a value", function.loc, hint)
            return None
        value = _returned([last], function, state)
    if value is None or value.affine is not None or value.is_loose:
        return value
    if isinstance(value.tree, Read) and value.tree.access.array not in before:
        return value
    result = state.add_variable(f"{function.name}_result", (), value.element, node.loc)
    access = Access(result.variable, ())
    state.written.add(result.variable)
    state.emit(Assign(access, value.tree, loc=node.loc))
    return Value(value.element, Read(access))


def _is_expression(body: Statement | None) -> bool:
    """Return whether a function is only ``return``, or a choice among such."""
    match body:
        case Return(value):
            return value is not None
        case IfElse(_, then, otherwise):
            return _is_expression(then) and (otherwise is None or _is_expression(otherwise))
        case Block(items):
            *first, last = items or (None,)
            return _is_expression(last) and all(
                isinstance(item, IfElse) and _is_expression(item) for item in first
            )
        case _:
            return False


def _returned(items: list[Statement], function: Function, state: State) -> Value | None:
    """Return the value of returns and choices among them."""
    element = function.returns.element
    assert element is not None
    match items:
        case [Block(inner), *rest]:
            return _returned([*inner, *rest], function, state)
        case [Return(value), *_] if value is not None:
            found = expressions.value_of(value, state)
            if found is None or not expressions.observed(found, value, state):
                return None
            if function.returns.is_bool:
                return expressions.as_truth(found)
            choice = found.choice if element == found.element else None
            return replace(converted_value(found, element), choice=choice)
        case [IfElse(condition, then, otherwise), *rest]:
            truth = conditions.condition_of(condition, state)
            taken = [then]
            other = rest if otherwise is None else [otherwise, *rest]
            if isinstance(truth, bool):
                return _returned(taken if truth else other, function, state)
            state.guarded += 1
            first = _returned(taken, function, state)
            second = _returned(other, function, state)
            state.guarded -= 1
            if truth is None or first is None or second is None:
                return None
            return selected(truth.tree, truth.size, first, second)
        case _:
            message = f"{function.name} does not return a value on every path"
            state.report("E135", message, function.loc, "end it with a return")
            return None


def _bound(
    node: Call, function: Function, state: State, *, is_pure: bool
) -> tuple[Scope, Usage] | None:
    """Return the scope in which a function's text is read for a call, and its usage."""
    _check_calls(node, function, state)
    if function.name in state.calls:
        hint = "replace the recursion by a loop"
        state.report("E135", f"{function.name} calls itself", node, hint)
        return None
    if len(node.arguments) != len(function.parameters):
        wanted, found = len(function.parameters), len(node.arguments)
        message = f"{function.name} takes {wanted} arguments, but gets {found}"
        state.report("E138", message, node)
        return None
    usage = usage_of(function)
    scope = Scope()
    for name, symbol in state.shared.items():
        scope.declare(name, symbol)
    scope.enter()
    pairs = list(zip(function.parameters, node.arguments, strict=True))
    is_complete = True
    for arrays_now in (False, True):
        for parameter, argument in pairs:
            if bool(parameter.type.extents) == arrays_now:
                symbol = (
                    _array(parameter, argument, scope, state)
                    if arrays_now
                    else _scalar(parameter, argument, usage, state, is_pure=is_pure)
                )
                is_complete = is_complete and not isinstance(symbol, Broken)
                scope.declare(parameter.name, symbol)
    return (scope, usage) if is_complete else None


def _check_calls(node: Call, function: Function, state: State) -> None:
    state.inlined += 1
    if len(state.calls) > MAX_CALL_DEPTH or state.inlined > MAX_INLINED_CALLS:
        message = f"{function.name} is the call that makes inlining too large"
        raise LimitError(Diagnostic("E139", message, node.loc, "use loops and fewer calls"))


def _scalar(
    parameter: Declaration, argument: Node, usage: Usage, state: State, *, is_pure: bool
) -> Symbol:
    element = parameter.type.element
    if element is None:
        return _unsupported(parameter, state)
    value = expressions.value_of(argument, state)
    if value is None or not expressions.observed(value, argument, state):
        return Broken()
    choice = value.choice
    value = (
        expressions.as_truth(value) if parameter.type.is_bool else converted_value(value, element)
    )
    is_changed = usage.assigned[parameter.name] > 0 or parameter.name in usage.counters
    if not is_changed and (is_pure or value.affine is not None or value.constant is not None):
        return Known(replace(value, choice=choice) if value.is_integer else value)
    stored = state.add_variable(parameter.name, (), element, parameter.loc)
    state.written.add(stored.variable)
    access = Access(stored.variable, ())
    state.emit(Assign(access, value.tree, loc=argument.loc))
    stored = replace(stored, is_bool=parameter.type.is_bool)
    hold(access, stored, value, state)
    return stored


def _array(parameter: Declaration, argument: Node, scope: Scope, state: State) -> Symbol:
    if parameter.type.element is None:
        return _unsupported(parameter, state)
    part = accesses.pointed_part(argument, state, rank=len(parameter.type.extents))
    if part is None:
        return Broken()
    if part.element != parameter.type.element:
        message = f"{shown(argument)} has elements of type {part.element.value}, but parameter "
        message += f"{parameter.name} of type {parameter.type.text}"
        state.report("E138", message, argument)
        return Broken()
    extents = parameter.type.extents
    if not part.shape and len(extents) == 1:
        return _handed_over(part, parameter)
    outer, state.scope = state.scope, scope
    inner_extents = [
        None if extent is None else expressions.integer_of(extent, state, "extent")
        for extent in extents[1:]
    ]
    state.scope = outer
    if len(part.shape) != len(extents) or tuple(inner_extents) != part.shape[1:]:
        wanted = "".join(f"[{extent}]" for extent in ["", *inner_extents])
        found = "".join(f"[{extent}]" for extent in part.shape)
        message = f"{shown(argument)} has shape {found or 'of a scalar'}, but parameter "
        message += f"{parameter.name} has {wanted}"
        state.report("E138", message, argument, "pass an array of the declared shape")
        return Broken()
    return _handed_over(part, parameter)


def _unsupported(parameter: Declaration, state: State) -> Broken:
    message = f"parameter {parameter.name} of type {parameter.type.text} is not supported"
    state.report("E135", message, parameter.loc, "use numbers and arrays of numbers")
    return Broken()


def _handed_over(part: Stored, parameter: Declaration) -> Symbol:
    is_const = part.is_const or parameter.type.is_const
    return replace(part, is_const=is_const, is_parameter=True)
