"""Calls in expressions: mathematical functions, and functions of the file put in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.frontends.c.statements import inlining
from streamopt.frontends.c.syntax.rendering import shown
from streamopt.frontends.c.values import expressions
from streamopt.frontends.c.values.operations import applied
from streamopt.frontends.c.values.value import Value, promoted
from streamopt.ir.element import ElementType, common_type
from streamopt.ir.expression import Function

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.frontends.c.state import State
    from streamopt.frontends.c.syntax.tree import Call, Node

__all__ = ["value_of_call"]

_DOUBLE: Mapping[str, Function] = {
    "exp": Function.EXP,
    "log": Function.LOG,
    "sqrt": Function.SQRT,
    "tanh": Function.TANH,
    "erf": Function.ERF,
    "sin": Function.SIN,
    "cos": Function.COS,
    "floor": Function.FLOOR,
    "ceil": Function.CEIL,
    "fabs": Function.ABS,
    "fmax": Function.MAX,
    "fmin": Function.MIN,
    "pow": Function.POW,
}
_FUNCTIONS: Mapping[str, tuple[Function, ElementType | None]] = {
    **{name: (function, ElementType.DOUBLE) for name, function in _DOUBLE.items()},
    **{f"{name}f": (function, ElementType.FLOAT) for name, function in _DOUBLE.items()},
    "abs": (Function.ABS, None),
    "labs": (Function.ABS, ElementType.INT64),
    "max": (Function.MAX, None),
    "min": (Function.MIN, None),
}


def value_of_call(node: Call, state: State) -> Value | None:
    """Return the value of a call; None where a problem was reported."""
    if node.function in state.unit.functions:
        return inlining.value_of_inlined(node, state)
    if node.function not in _FUNCTIONS:
        report_unknown(node, state)
        return None
    function, element = _FUNCTIONS[node.function]
    if len(node.arguments) != function.arity:
        message = f"{node.function} takes {function.arity} argument"
        message += "s" if function.arity > 1 else ""
        state.report("E138", message, node)
        return None
    found = [_argument(argument, state) for argument in node.arguments]
    values = tuple(value for value in found if value is not None)
    if len(values) < len(found):
        return None
    if element is None:
        element = promoted(values[0].element)
        for value in values[1:]:
            element = common_type(element, value.element) or element
    return _with_choice(function, applied(function, values, element), values)


def _argument(node: Node, state: State) -> Value | None:
    value = expressions.value_of(node, state)
    return value if value is not None and expressions.observed(value, node, state) else None


def _with_choice(function: Function, result: Value, values: tuple[Value, ...]) -> Value:
    """Note a minimum or maximum of affine values, which may bound a loop."""
    if function not in (Function.MIN, Function.MAX) or result.constant is not None:
        return result
    if not all(value.is_integer for value in values):
        return result
    choice = expressions.least_or_greatest(function == Function.MIN, *values)
    return Value(
        result.element,
        result.tree,
        choice=choice,
        is_loose=result.is_loose,
        size=result.size,
        depth=result.depth,
    )


def report_unknown(node: Call, state: State) -> None:
    """Report a function that is neither known nor defined in the file."""
    hint = f"define it in this file, or use one of {', '.join(sorted(_FUNCTIONS))}"
    state.report("E137", f"function '{node.function}' in {shown(node)} is not known", node, hint)
