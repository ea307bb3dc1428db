"""Functions of the DSL: reductions over iterators, and functions of values.

`sum`, `prod`, `max` and `min` reduce over iterators; `maximum` and `minimum` take two values.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable
from typing import TYPE_CHECKING

from streamopt.frontends.dsl.checks import element_type, unknown_element
from streamopt.frontends.dsl.facts import (
    ARRAYS,
    EXPRESSIONS,
    ITERATORS,
    Axis,
    Facts,
    Pending,
    caller,
)
from streamopt.frontends.dsl.values import Condition, LoopIndex, Reduced, Value, as_value, meeting
from streamopt.ir import expression as ir
from streamopt.ir.element import ElementType, common_type
from streamopt.ir.expression import Function
from streamopt.ir.operators import Reduction

if TYPE_CHECKING:
    from streamopt.frontends.dsl.values import Operand


def sum(
    iterators: LoopIndex | Iterable[LoopIndex],
    value: Operand,
    *,
    start: Operand | None = None,
    where: Condition | None = None,
) -> Value:
    """Return the sum of a value over iterators.

    Parameters
    ----------
    iterators
        One or several; the last one runs fastest.
    start
        What the sum starts from; 0 if left out.
    where
        Terms for which this doesn't hold are left out.

    Examples
    --------
    >>> from streamopt.frontends import dsl
    >>> p = dsl.program("dot")
    >>> (i,) = p.iterators(i=8)
    >>> a, b = p.input("a", 8), p.input("b", 8)
    >>> s = p.output("s", (), dsl.sum(i, a[i] * b[i]))
    >>> print(p)
    program dot
    input a[8]: float
    input b[8]: float
    output s: float
    s: for i in range(8):
        s += a[i] * b[i]
    """
    return _reduced(Reduction.ADD, iterators, value, start, where)


def prod(
    iterators: LoopIndex | Iterable[LoopIndex],
    value: Operand,
    *,
    start: Operand | None = None,
    where: Condition | None = None,
) -> Value:
    """Return the product of a value over iterators; parameters as `sum`."""
    return _reduced(Reduction.MUL, iterators, value, start, where)


def max(
    iterators: LoopIndex | Iterable[LoopIndex],
    value: Operand,
    *,
    start: Operand | None = None,
    where: Condition | None = None,
) -> Value:
    """Return the largest value over iterators; parameters as `sum`."""
    return _reduced(Reduction.MAX, iterators, value, start, where)


def min(
    iterators: LoopIndex | Iterable[LoopIndex],
    value: Operand,
    *,
    start: Operand | None = None,
    where: Condition | None = None,
) -> Value:
    """Return the smallest value over iterators; parameters as `sum`."""
    return _reduced(Reduction.MIN, iterators, value, start, where)


def where(condition: Condition, then: Operand, otherwise: Operand) -> Value:
    """Return one value where a condition holds, and the other elsewhere.

    A branch may read outside an array at iterations that don't take it: a padded border is
    ``where((i > 0) & (i <= n), x[i - 1], 0)``.
    """
    (first, second), element, is_real = meeting(then, otherwise)
    if not isinstance(condition, Condition):  # pyright: ignore[reportUnnecessaryIsInstance]
        facts = Facts.joined(first.facts, second.facts)
        message = f"where needs a condition first, not {type(condition).__name__}"
        return Value(first.expression, element, facts.with_problem(EXPRESSIONS, message))
    facts = Facts.joined(condition.facts, first.facts, second.facts)
    expression = ir.Select(condition.expression, first.expression, second.expression)
    return _bounded(Value(expression, element, facts, is_real))


def maximum(left: Operand, right: Operand) -> Value:
    """Return the larger of two values."""
    return _call(Function.MAX, left, right)


def minimum(left: Operand, right: Operand) -> Value:
    """Return the smaller of two values."""
    return _call(Function.MIN, left, right)


def power(base: Operand, exponent: Operand) -> Value:
    """Return ``base`` to the power of ``exponent``."""
    return _call(Function.POW, base, exponent)


def exp(value: Operand) -> Value:
    """Return e to the power of a value."""
    return _call(Function.EXP, value)


def log(value: Operand) -> Value:
    """Return the natural logarithm."""
    return _call(Function.LOG, value)


def sqrt(value: Operand) -> Value:
    """Return the square root."""
    return _call(Function.SQRT, value)


def tanh(value: Operand) -> Value:
    """Return the hyperbolic tangent."""
    return _call(Function.TANH, value)


def erf(value: Operand) -> Value:
    """Return the error function."""
    return _call(Function.ERF, value)


def sin(value: Operand) -> Value:
    """Return the sine of an angle in radians."""
    return _call(Function.SIN, value)


def cos(value: Operand) -> Value:
    """Return the cosine of an angle in radians."""
    return _call(Function.COS, value)


def atan(value: Operand) -> Value:
    """Return the arctangent, an angle in radians."""
    return _call(Function.ATAN, value)


def floor(value: Operand) -> Value:
    """Return the largest whole number that is not larger."""
    return _call(Function.FLOOR, value)


def rint(value: Operand) -> Value:
    """Return the nearest whole number; the even one where two are as near."""
    return _call(Function.RINT, value)


def ceil(value: Operand) -> Value:
    """Return the smallest whole number that is not smaller."""
    return _call(Function.CEIL, value)


def absolute(value: Operand) -> Value:
    """Return the value without its sign."""
    return _call(Function.ABS, value)


def call(name: str, *values: Operand) -> Value:
    """Return a function of C's ``math.h`` by its name, such as ``call("fma", x, y, z)``.

    One that graph.json has not, or with other arguments, is a problem of the program (E187).
    """
    if name in {*Function} and Function(name).arity == len(values):
        return _call(Function(name), *values)
    facts = Facts.joined(*(as_value(value).facts for value in values))
    message = f"there is no function '{name}' of {len(values)} arguments"
    return Value(ir.Literal(0), None, facts.with_problem(EXPRESSIONS, message))


def relu(value: Operand) -> Value:
    """Return ``maximum(value, 0)``."""
    return maximum(value, 0)


def sigmoid(value: Operand) -> Value:
    """Return ``1 / (1 + exp(-value))``."""
    return 1 / (1 + exp(-as_value(value)))


def cast(value: Operand, element: ElementType | str) -> Value:
    """Return a value converted to an element type, as C does."""
    operand, wanted = as_value(value), element_type(element)
    if wanted is None:
        facts = operand.facts.with_problem(ARRAYS, *unknown_element(element))
        return Value(operand.expression, operand.element, facts)
    facts = Facts.joined(operand.facts)
    return _bounded(Value(ir.Cast(wanted, operand.expression), wanted, facts))


def _call(function: Function, *operands: Operand) -> Value:
    arguments, element, is_real = meeting(*operands)
    if element is not None and element.is_integer and not function.keeps_type:
        element = ElementType.DOUBLE
    facts = Facts.joined(*(argument.facts for argument in arguments))
    expression = ir.Call(function, tuple(argument.expression for argument in arguments))
    return _bounded(Value(expression, element, facts, is_real or not function.keeps_type))


def _bounded(value: Value) -> Value:
    excess = value.facts.excess()
    return value if excess is None else Value(ir.Literal(0.0), value.element, excess)


def _reduced(
    reduction: Reduction,
    iterators: LoopIndex | Iterable[LoopIndex],
    value: Operand,
    start: Operand | None,
    where: Condition | None,
) -> Value:
    body, first = as_value(value), None if start is None else as_value(start)
    own = Facts.joined(*(part.facts for part in (body, first, where) if part is not None))
    axes, problems = _axes(iterators)
    facts = Facts.joined(own, problems)
    if first is not None and set(first.facts.axes) & set(axes):
        message = "what a reduction starts from can't depend on the iterators that it reduces"
        facts = facts.with_problem(ITERATORS, message)
    free = tuple(axis for axis in facts.axes if axis not in axes)
    element = common_type(body.element, None if first is None else first.element)
    if reduction in (Reduction.MAX, Reduction.MIN) and first is None:
        element = body.element
    element = element or ElementType.FLOAT
    loc, terms = caller(), body.expression
    begin = None if first is None else first.expression
    guard = None if where is None else where.expression
    pending = Pending(reduction, axes, free, element, terms, own, loc, begin, guard)
    access = ir.Access(pending.token, pending.subscripts)
    return Reduced(
        ir.Read(access), element, Facts(free, ((access, loc),), (pending,), facts.problems)
    )


def _axes(iterators: object) -> tuple[tuple[Axis, ...], Facts]:
    """Return the loops of iterators, and facts with what is wrong with them."""
    listed = [iterators]
    if isinstance(iterators, list | tuple):
        listed = list(typing.cast("list[object]", iterators))
    axes: list[Axis] = []
    for iterator in listed:
        if not isinstance(iterator, LoopIndex) or len(iterator.affine.terms) != 1:
            message = "a reduction runs over iterators"
            hint = "write sum(k, ...), or sum((k, l), ...) for several"
            return (), Facts().with_problem(ITERATORS, message, hint)
        axes += iterator.facts.axes
    if not axes:
        return (), Facts().with_problem(ITERATORS, "a reduction needs one iterator or several")
    return tuple(dict.fromkeys(axes)), Facts()
