"""Pyomo expressions rebuilt over another algebra: a solver's expressions, or plain numbers.

One walk serves the SCIP and Gurobi adapters, and evaluates incumbents with exact integers.
"""

import math
from collections.abc import Callable, Mapping
from functools import reduce
from numbers import Number
from operator import add, mul
from typing import Any, cast

from streamopt.solvers.linear_form import unsupported

NUMBER_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "abs": abs,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
}


def rebuild(
    expression: Any,
    variable: Callable[[Any], Any],
    functions: Mapping[str, Callable[[Any], Any]],
    solver: str,
) -> Any:
    """Return the expression with variables and functions replaced.

    Parameters
    ----------
    expression
        A Pyomo expression of sums, products, quotients, powers and named functions.
    variable
        Image of a Pyomo variable that is not fixed.
    functions
        Image of each function the target algebra knows, by Pyomo's name.
    solver
        Name for the error message.

    Raises
    ------
    SolverError
        E502 for an operator or function that has no image.
    """
    if isinstance(expression, Number):
        return expression
    if not expression.is_potentially_variable():
        return _number(expression)
    if expression.is_variable_type():
        return _number(expression) if expression.fixed else variable(expression)
    if expression.is_named_expression_type():
        return rebuild(expression.expr, variable, functions, solver)
    arguments = [rebuild(argument, variable, functions, solver) for argument in expression.args]
    return _apply(expression, arguments, functions, solver)


def _number(expression: Any) -> int | float:
    from pyomo.core.expr import numvalue

    number: Any = cast("Any", numvalue).value(expression)
    return int(number) if number == int(number) else float(number)


def _apply(
    expression: Any,
    arguments: list[Any],
    functions: Mapping[str, Callable[[Any], Any]],
    solver: str,
) -> Any:
    from pyomo.core.expr import numeric_expr

    kind: Any = expression.__class__
    if issubclass(kind, numeric_expr.SumExpression):
        return reduce(add, arguments)
    if issubclass(kind, numeric_expr.ProductExpression):
        return reduce(mul, arguments)
    if issubclass(kind, numeric_expr.NegationExpression):
        return -arguments[0]
    if issubclass(kind, numeric_expr.DivisionExpression):
        return arguments[0] / arguments[1]
    if issubclass(kind, numeric_expr.PowExpression):
        return arguments[0] ** arguments[1]
    name: str = expression.getname()
    if name not in functions:
        hint = f"known functions: {', '.join(sorted(functions))}"
        raise unsupported(solver, f"the function '{name}'", hint)
    return functions[name](arguments[0])
