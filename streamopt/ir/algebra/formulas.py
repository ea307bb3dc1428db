"""Functions that expressions don't have, made of those that they do: formulas, activations."""

import ast
import math
from collections.abc import Callable, Mapping
from functools import partial

from streamopt.ir.algebra import composing as ex
from streamopt.ir.arithmetic import negated
from streamopt.ir.expression import Compare, CompareOp, Expression, Function, Literal, Select

_OPERATIONS: Mapping[type[ast.operator], Callable[[Expression, Expression], Expression]] = {
    ast.Add: ex.add,
    ast.Sub: ex.subtract,
    ast.Mult: ex.multiply,
    ast.Div: ex.divide,
}
_COMPARISONS: Mapping[type[ast.cmpop], CompareOp] = {
    ast.Lt: CompareOp.LT,
    ast.Gt: CompareOp.GT,
    ast.GtE: CompareOp.GE,
    ast.Eq: CompareOp.EQ,
    ast.NotEq: CompareOp.NE,
}
_NAMED = {
    "celu": "max(0, x) + min(0, alpha * (exp(x / alpha) - 1))",
    "elu": "x if x > 0 else alpha * (exp(x) - 1)",
    "gelu": f"0.5 * x * (1 + erf(x * {math.sqrt(0.5)}))",
    "hard_sigmoid": "min(max(alpha * x + beta, 0), 1)",
    "hard_swish": f"x * hard_sigmoid(x, {1 / 6}, 0.5)",
    "leaky_relu": "x if x >= 0 else alpha * x",
    "mish": "x * tanh(softplus(x))",
    "relu": "max(x, 0)",
    "sigmoid": "1 / (1 + exp(-x))",
    "sign": "1 if x > 0 else -1 if x < 0 else 0",
    "silu": "x / (1 + exp(-(alpha * x)))",
    "softplus": "max(x, 0) + log(1 + exp(-abs(x)))",  # without overflow for large x
    "softsign": "x / (1 + abs(x))",
    "tanh_gelu": f"0.5 * x * (1 + tanh({math.sqrt(2 / math.pi)} * (x + 0.044715 * (x * x * x))))",
    "thresholded_relu": "x if x > alpha else 0",
}
"""Activations that formulas may call."""
_OPERANDS = ("x", "alpha", "beta")


def formula(text: str) -> Callable[..., Expression]:
    """Return the function that a formula of ours says, in the syntax of Python.

    It takes ``x``, ``alpha`` and ``beta`` as operands in this order, and numbers by name::

        formula("leaky_relu(x, alpha)")(value, alpha=0.01)
    """
    return partial(_called, ast.parse(text, mode="eval").body)


def _called(tree: ast.expr, *operands: Expression, **numbers: float) -> Expression:
    known = {name: Literal(number) for name, number in numbers.items()}
    return _evaluated(tree, {**dict(zip(_OPERANDS, operands, strict=False)), **known})


def _evaluated(tree: ast.expr, known: Mapping[str, Expression]) -> Expression:
    def of(part: ast.expr) -> Expression:
        return _evaluated(part, known)

    match tree:
        case ast.Constant(value=int() | float() as number):
            return Literal(float(number))
        case ast.Name(id=name):
            return known[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return negated(of(operand))
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATIONS[type(op)](of(left), of(right))
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _NAMED:
            return formula(_NAMED[name])(*map(of, arguments))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return ex.call(Function(name), *map(of, arguments))
        case ast.IfExp(test=ast.Compare(left=left, ops=[op], comparators=[right])):
            holds = Compare(_COMPARISONS[type(op)], of(left), of(right))
            return Select(holds, of(tree.body), of(tree.orelse))
        case _:
            raise AssertionError(ast.unparse(tree))


def power(x: Expression, exponent: float) -> Expression:
    """Return ``x`` to a constant power: products and roots where that is exact enough."""
    match exponent:
        case 0.0:
            return ex.ONE
        case 0.5:
            return ex.call(Function.SQRT, x)
        case -0.5:
            return ex.reciprocal(ex.call(Function.SQRT, x))
        case 1.0 | 2.0 | 3.0 | 4.0:
            return ex.product(*[x] * int(exponent))
        case -1.0 | -2.0:
            return ex.reciprocal(ex.product(*[x] * int(-exponent)))
        case _:
            return ex.call(Function.POW, x, Literal(exponent))


ELEMENTARY: Mapping[str, Callable[..., Expression]] = {
    **{function.value: partial(ex.call, function) for function in Function if function.arity == 1},
    "tan": formula("sin(x) / cos(x)"),
    "asin": formula("atan(x / sqrt((1 - x) * (1 + x)))"),
    "acos": formula(f"{math.pi / 2} - atan(x / sqrt((1 - x) * (1 + x)))"),
    "sinh": formula("0.5 * (exp(x) - exp(-x))"),
    "cosh": formula("0.5 * (exp(x) + exp(-x))"),
    "asinh": formula("-log(abs(x) + sqrt(x * x + 1)) if x < 0 else log(abs(x) + sqrt(x * x + 1))"),
    "acosh": formula("log(x + sqrt(x * x - 1))"),
    "atanh": formula("0.5 * log((1 + x) / (1 - x))"),
}
"""Elementary functions of one number by the name that C, ONNX and MLIR share."""
