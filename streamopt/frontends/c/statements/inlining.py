"""Functions of the file, put in place of their calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pycparser import c_ast as ast

from streamopt.frontends.c.problems import LimitError
from streamopt.frontends.c.state import Frame, ReadingState
from streamopt.frontends.c.statements import statements
from streamopt.frontends.c.statements.assignments import assign, hold
from streamopt.frontends.c.statements.pointers import pointer_to
from streamopt.frontends.c.symbols import Broken, Known, Stored, Symbol
from streamopt.frontends.c.syntax.files import CFunction
from streamopt.frontends.c.syntax.jumps import (
    with_notes,
    without_jumps,
    without_returns_in_loops,
)
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.syntax.trees import (
    arguments_of,
    base_name,
    is_block,
    items_of,
    jumps_in,
    walked,
)
from streamopt.frontends.c.syntax.types import Declaration
from streamopt.frontends.c.syntax.usage import NameUsage, assigned_target, usage_of
from streamopt.frontends.c.values import accesses, conditions, expressions
from streamopt.frontends.c.values.operations import kept_value, selected
from streamopt.frontends.c.values.value import CValue, converted_value, integer, typed_as
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Read

MAX_CALL_DEPTH = 16
MAX_RECURSION = 12
"""Calls of a function inside of itself, of which constants decide that they end."""
MAX_INLINED_CALLS = 2_000


def value_of_inlined(node: ast.FuncCall, state: ReadingState) -> CValue | None:
    """Return the value of a call of a function of the file."""
    assert isinstance(node.name, ast.ID)
    function = state.file.functions[node.name.name]
    if function.returns.element is None or function.returns.extents:
        state.report("E138", f"{function.name} returns no number", node)
        return None
    if _is_expression(function.body):
        frame = _frame(node, function, state, is_pure=True)
        if frame is None:
            return None
        with state.within(frame):
            return _returned([function.body], function, state)
    if state.guarded and not _is_harmless(function, state):
        message = f"{shown(node)} stands under a condition of an expression"
        state.report("E135", message, node, "call it before, and keep its result in a variable")
        return None
    return inlined(node, function, state)


def _is_harmless(
    function: CFunction, state: ReadingState, known: dict[str, bool] | None = None
) -> bool:
    """Return whether a call does nothing but give a value, whatever its arguments are.

    Parameters
    ----------
    known
        Answers for functions that were asked for; those of callers are no until they are known.
    """
    known = {} if known is None else known
    if function.name not in known:
        known[function.name] = False
        known[function.name] = _has_no_effect(function, state, known)
    return known[function.name]


def _has_no_effect(function: CFunction, state: ReadingState, known: dict[str, bool]) -> bool:
    """Return whether neither a function nor one that it calls does anything but give a value."""
    functions, nodes = state.file.functions, [*walked(function.body)]
    declared = [node for node in nodes if isinstance(node, ast.Decl)]
    own = {item.name for item in (*function.parameters, *declared)}
    own -= {item.name for item in function.parameters if item.type.extents}
    for node in nodes:
        target = assigned_target(node)
        if target is not None and not own.intersection(base_name(target)):
            return False
        match node:
            case ast.Decl(storage=["static", *_]):
                return False
            case (
                ast.BinaryOp(op="/" | "%", right=divisor)
                | ast.Assignment(op="/=" | "%=", rvalue=divisor)
            ) if not isinstance(divisor, ast.Constant):
                return False
            case ast.FuncCall(name=ast.ID(name=name)) if name in functions and not _is_harmless(
                functions[name], state, known
            ):
                return False
            case _:
                pass
    return True


def inlined(node: ast.FuncCall, function: CFunction, state: ReadingState) -> CValue | None:
    """Emit a function's statements and return what it returns, if it does."""
    frame = _frame(node, function, state, is_pure=False)
    if frame is None:
        return None
    before = set(state.source.variables)
    with state.within(frame):
        items = items_of(function.body)
        if function.returns.text == "void":
            statements.read_all(without_jumps(items, ast.Return), state)
            return None
        value = value_of_body(items, function, state)
    if value is None or value.affine is not None or value.is_loose:
        return value
    if isinstance(value.tree, Read) and value.tree.access.array not in before:
        return value
    name, loc = f"{function.name}_result", state.file.loc(node)
    return CValue(value.element, Read(state.source.keep(name, value.tree, value.element, loc)))


def value_of_body(
    items: Sequence[ast.Node], function: CFunction, state: ReadingState
) -> CValue | None:
    """Read a function that returns a value, and return it."""
    if _is_expression(function.body):
        return _returned([function.body], function, state)
    last = items[-1] if items and isinstance(items[-1], ast.Return) else None
    if any(jumps_in(item, ast.Return) for item in items if item is not last):
        return _value_of_paths(items, function, state)
    statements.read_all(items[:-1] if last is not None else items, state)
    if function.returns.element is None:
        return None
    if last is None or last.expr is None:
        hint = "end the function with one return"
        state.report("E135", f"{function.name} does not end with a value", function.loc, hint)
        return None
    return _returned([last], function, state)


def _value_of_paths(
    items: Sequence[ast.Node], function: CFunction, state: ReadingState
) -> CValue | None:
    """Read a function that returns at several places, and return what it returns."""
    kind = function.returns
    if kind.element is None:
        return None
    name = f"{function.name}_result"
    stored = state.source.add_variable(name, (), kind.element, function.loc)
    state.scope.declare(stored.variable, replace(stored, kept=kind.kept, is_wide=kind.is_wide))
    noted = with_notes(items, ast.Return, stored.variable)
    if any(jumps_in(loop, ast.Return) for loop in items if isinstance(loop, ast.For | ast.While)):
        flag = state.source.add_variable("returned", (), ElementType.INT32, function.loc)
        state.scope.declare(flag.variable, flag)
        assign(Access(flag.variable, ()), flag, integer(0), state, function.loc)
        noted = without_returns_in_loops(noted, flag.variable)
    statements.read_all(without_jumps(noted, ast.Return), state)
    return expressions.value_of(ast.ID(stored.variable, function.body.coord), state)


def _is_expression(body: ast.Node | None) -> bool:
    """Return whether a function is only ``return``, or a choice among such."""
    match body:
        case ast.Return(expr=value):
            return value is not None
        case ast.If(iftrue=then, iffalse=otherwise):
            return _is_expression(then) and (otherwise is None or _is_expression(otherwise))
        case _ if is_block(body):
            *first, last = items_of(body) or [None]
            return _is_expression(last) and all(
                isinstance(item, ast.If) and _is_expression(item) for item in first
            )
        case _:
            return False


def _returned(items: Sequence[ast.Node], function: CFunction, state: ReadingState) -> CValue | None:
    match items:
        case [ast.Return(expr=value), *_] if value is not None:
            return _converted(value, function, state)
        case [ast.If() as choice, *rest]:
            truth = conditions.condition_of(choice.cond, state)
            taken = items_of(choice.iftrue)
            other = rest if choice.iffalse is None else [choice.iffalse, *rest]
            if isinstance(truth, bool):
                return _returned(taken if truth else other, function, state)
            state.guarded += 1
            first = _returned(taken, function, state)
            second = _returned(other, function, state)
            state.guarded -= 1
            if truth is None or first is None or second is None:
                return None
            return selected(truth.tree, truth.size, first, second)
        case [block, *rest] if is_block(block):
            return _returned([*items_of(block), *rest], function, state)
        case _:
            message = f"{function.name} does not return a value on every path"
            state.report("E135", message, function.loc, "end it with a return")
            return None


def _converted(value: ast.Node, function: CFunction, state: ReadingState) -> CValue | None:
    """Return a value in the type that a function returns."""
    found = expressions.value_of(value, state)
    if found is None or not expressions.observed(found, value, state):
        return None
    element = function.returns.element
    assert element is not None
    choice = found.choice if element == found.element else None
    value_of_type = typed_as(
        converted_value(kept_value(found, function.returns.kept, element), element),
        is_wide=function.returns.is_wide,
    )
    return replace(value_of_type, choice=choice)


def _frame(
    node: ast.FuncCall, function: CFunction, state: ReadingState, *, is_pure: bool
) -> Frame | None:
    """Return the frame in which a function's text is read for a call."""
    state.inlined += 1
    if len(state.frames) > MAX_CALL_DEPTH or state.inlined > MAX_INLINED_CALLS:
        message = f"{function.name} is the call that makes inlining too large"
        loc = state.file.loc(node)
        raise LimitError(message, loc, "use loops and fewer calls")
    inside = sum(frame.function == function.name for frame in state.frames)
    if inside and (state.guarded or inside > MAX_RECURSION):
        hint = "replace the recursion by a loop"
        state.report("E135", f"{function.name} calls itself", node, hint)
        return None
    arguments = arguments_of(node)
    if len(arguments) != len(function.parameters):
        wanted, found = len(function.parameters), len(arguments)
        message = f"{function.name} takes {wanted} arguments, but gets {found}"
        state.report("E138", message, node)
        return None
    frame = Frame(function.name, state.scope.of_file(), usage_of(function))
    pairs = zip(function.parameters, arguments, strict=True)
    is_complete = True
    for parameter, argument in sorted(pairs, key=lambda pair: bool(pair[0].type.extents)):
        if parameter.type.extents:
            symbol = _array(parameter, argument, frame, state)
        else:
            symbol = _scalar(parameter, argument, frame.usage, state, is_pure=is_pure)
        is_complete = is_complete and not isinstance(symbol, Broken)
        frame.scope.declare(parameter.name, symbol)
    return frame if is_complete else None


def _scalar(
    parameter: Declaration,
    argument: ast.Node,
    usage: NameUsage,
    state: ReadingState,
    *,
    is_pure: bool,
) -> Symbol:
    element = parameter.type.element
    if element is None:
        return _unsupported(parameter, state)
    handed = state.scope.find(argument.name) if isinstance(argument, ast.ID) else None
    is_changed = usage.assigned[parameter.name] > 0 or parameter.name in usage.counters
    if isinstance(handed, Stored):
        is_open = handed.is_open and handed.element == element
        if parameter.name not in usage.named or (is_open and not is_changed):
            return handed
    value = expressions.value_of(argument, state)
    if value is None or not expressions.observed(value, argument, state):
        return Broken()
    choice = value.choice
    value = converted_value(kept_value(value, parameter.type.kept, element), element)
    if not is_changed and (is_pure or value.affine is not None or value.constant is not None):
        known = replace(value, choice=choice) if value.is_integer else value
        return Known(typed_as(known, is_wide=parameter.type.is_wide))
    stored = state.source.add_declared(parameter, ())
    access = Access(stored.variable, ())
    state.source.store(access, value.tree, state.file.loc(argument))
    hold(access, stored, value, state)
    return stored


def _array(parameter: Declaration, argument: ast.Node, frame: Frame, state: ReadingState) -> Symbol:
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
    with state.within(frame):
        inner_extents = [
            None if extent is None else expressions.integer_of(extent, state, "extent")
            for extent in extents[1:]
        ]
    is_scalar = not part.shape and len(extents) == 1
    pairs = [*zip(inner_extents, part.shape, strict=False)]
    is_same = len(inner_extents) == len(part.shape) and all(one in (None, n) for one, n in pairs)
    if extents[0] is None and is_same and part.shape:
        part = replace(part, is_single=True)
    elif not is_scalar and (len(part.shape), *inner_extents) != (len(extents), *part.shape[1:]):
        wanted = "".join(f"[{extent}]" for extent in ["", *inner_extents])
        found = "".join(f"[{extent}]" for extent in part.shape)
        message = f"{shown(argument)} has shape {found or 'of a scalar'}, but parameter "
        message += f"{parameter.name} has {wanted}"
        state.report("E138", message, argument, "pass an array of the declared shape")
        return Broken()
    is_const = part.is_const or parameter.type.is_const
    found = replace(part, is_const=is_const, is_parameter=True)
    return pointer_to(found, parameter, state.file.functions[frame.function], state)


def _unsupported(parameter: Declaration, state: ReadingState) -> Broken:
    message = f"parameter {parameter.name} of type {parameter.type.text} is not supported"
    state.report("E135", message, parameter.loc, "use numbers and arrays of numbers")
    return Broken()
