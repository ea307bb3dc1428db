"""C++ text of expressions: same operations in the same order, with as few brackets as needed.

Types are C's on both sides, so the compiler's own conversions do what the expression tree says;
casts stand only where C++ would do something else.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, assert_never

import numpy as np

from streamopt.codegen.operators import OPERATOR_FUNCTION_NAMES
from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod
from streamopt.ir.arithmetic import compared_type, expression_type, operand_types
from streamopt.ir.element import ElementType, common_type
from streamopt.ir.graph import Node
from streamopt.ir.operators import Operator, Reduction


def literal(value: float, element: ElementType) -> str:
    """Return the shortest text that gives back a value in an element type.

    Raises
    ------
    CodegenError
        E601 for what is no number of the type: NaN, a finite number beyond its range, and an
        infinity where it has none.

    Examples
    --------
    >>> literal(0.1, ElementType.FLOAT), literal(3, ElementType("int8_t"))
    ('0.1f', '3')
    """
    if math.isinf(value) and element.is_float:
        text = {ElementType.FLOAT: "{}"}.get(element, f"{element}({{}})")
        return text.format("-INFINITY" if value < 0 else "INFINITY")
    if not math.isfinite(value):
        raise CodegenError(Diagnostic("E601", f"literal {value} is not a finite {element}"))
    if element.is_fixed:
        form = element.fixed_point
        return f"{element}({float(form.number(form.mantissa(Fraction(value))))!r})"
    if element.is_narrow:
        return f"{element}({int(value)})"
    if not element.is_float:
        return f"INT64_C({int(value)})" if element.bits == 64 else str(int(value))
    with np.errstate(over="ignore"):
        number = np.dtype(element.dtype).type(value)
    if not np.isfinite(number):
        raise CodegenError(Diagnostic("E601", f"literal {value} is not a finite {element}"))
    if element is ElementType.HALF:
        return f"half({float(number)!r}f)"
    return str(number) if element is ElementType.DOUBLE else f"{number!s}f"


_SELECT, _OR, _AND, _BIT_OR, _BIT_XOR, _BIT_AND, _EQUAL, _LESS, _SHIFT, _SUM, _PRODUCT, _ATOM = (
    range(12)
)
_PRECEDENCE = {
    ir.BinaryOp.ADD: _SUM,
    ir.BinaryOp.SUB: _SUM,
    ir.BinaryOp.MUL: _PRODUCT,
    ir.BinaryOp.DIV: _PRODUCT,
    ir.BinaryOp.MOD: _PRODUCT,
    ir.BinaryOp.SHL: _SHIFT,
    ir.BinaryOp.SHR: _SHIFT,
    ir.BinaryOp.AND: _BIT_AND,
    ir.BinaryOp.XOR: _BIT_XOR,
    ir.BinaryOp.OR: _BIT_OR,
}
_BOUND = {
    ir.BinaryOp.ADD: Operator.ADD,
    ir.BinaryOp.SUB: Operator.SUB,
    ir.BinaryOp.MUL: Operator.MUL,
}
_REDUCING = {Reduction.ADD: Operator.ADD, Reduction.MUL: Operator.MUL}
_CONNECTIVES = {ir.LogicOp.AND: ("&&", _AND), ir.LogicOp.OR: ("||", _OR)}

FUNCTION_NAMES = OPERATOR_FUNCTION_NAMES.union(
    f"{function.c_name}{suffix}" for function in ir.Function for suffix in ("", "f")
)
"""All functions that emitted code may call."""


def _needs_casts(element: ElementType) -> bool:
    """Return whether a type is a class, to and from which we convert by casts."""
    return element.is_fixed or element is ElementType.HALF


def _cast(text: str, source: ElementType, wanted: ElementType) -> str:
    if _needs_casts(source) and _needs_casts(wanted) and not (source.is_fixed and wanted.is_fixed):
        text = f"static_cast<double>({text})"
    return f"static_cast<{wanted}>({text})"


def _promoted(text: str, element: ElementType) -> str:
    """Return a number in the type that C computes in; numbers of C's own types are as they are."""
    kind = common_type(element, element)
    return f"{kind}({text})" if element.is_narrow else text


def _no_function(operator: Operator, element: ElementType, number: int = 0) -> str | None:
    return None


OperatorNames: TypeAlias = Callable[[Operator, ElementType, int], str | None]


@dataclass(frozen=True, slots=True)
class ExpressionText:
    """Prints expressions."""

    element_of: Callable[[str], ElementType]
    """Element type of an array by name."""
    read: Callable[[ir.Access], str]
    """Text of an operand, of its array's type."""
    index: Callable[[Affine], str]
    """Text of an affine expression of the iterators."""
    function: OperatorNames = _no_function
    """Name of the function that stands for an operator at a place of its phase, or None."""
    numbers: Mapping[ir.Expression, int] = field(default_factory=dict[ir.Expression, int])
    """Places of operators in their phase; 0 for others."""

    def text(self, expression: ir.Expression, wanted: ElementType) -> str:
        """Return the text of an expression's value, converted to a type.

        Raises
        ------
        CodegenError
            E601 for a literal that is no finite number of its type.
        """
        element = self._type(expression) or wanted
        text = self._text(expression, element)[0]
        widens = (element, wanted) == (ElementType.FLOAT, ElementType.DOUBLE)
        return text if element is wanted or widens else _cast(text, element, wanted)

    def condition(self, condition: ir.Condition) -> str:
        """Return the text of a truth value."""
        return self._truth(condition)[0]

    def extreme(self, element: ElementType, *, largest: bool) -> str:
        """Return the largest or smallest value of an element type, infinite where there is one."""
        sign = "" if largest else "-"
        if element.is_fixed:
            form = element.fixed_point
            end = form.number(form.highest if largest else form.lowest)
            return literal(float(end), element)
        if element is ElementType.HALF:
            return f"half({sign}INFINITY)"
        if element.is_float:
            return f"{sign}std::numeric_limits<{element}>::infinity()"
        return f"std::numeric_limits<{element}>::{'max' if largest else 'lowest'}()"

    def combine(self, reduction: Reduction, left: str, right: str, element: ElementType) -> str:
        """Return one step of a reduction; the operands are names or in brackets."""
        match reduction:
            case Reduction.ADD | Reduction.MUL:
                function = self.function(_REDUCING[reduction], element, 0)
                return f"{function}({left}, {right})" if function else f"{left} {reduction} {right}"
            case Reduction.MAX | Reduction.MIN:
                return self._called(ir.Function(reduction.value), [left, right], element)

    def _type(self, expression: ir.Expression) -> ElementType | None:
        return expression_type(expression, self.element_of)

    def _binary(
        self, op: ir.BinaryOp, left: ir.Expression, right: ir.Expression, element: ElementType
    ) -> tuple[str, int]:
        number = self.numbers.get(ir.Binary(op, left, right), 0)
        function = self.function(_BOUND[op], element, number) if op in _BOUND else None
        if function is not None:
            operands = [self._exactly(side, element) for side in (left, right)]
            return f"{function}({', '.join(operands)})", _ATOM
        level = least = _PRECEDENCE[op]
        if level <= _SHIFT and not (isinstance(left, ir.Binary) and left.op is op):
            least = _PRODUCT  # compilers warn of sums, shifts and bits without brackets
        after = max(level + 1, _PRODUCT) if level <= _SHIFT else level + 1
        types = operand_types(ir.Binary(op, left, right), element, self.element_of)
        sides = self._inside(left, least, types[0]), self._inside(right, after, types[1])
        return f"{sides[0]} {op} {sides[1]}", level

    def _call(
        self, function: ir.Function, arguments: Sequence[ir.Expression], element: ElementType
    ) -> str:
        keeps = element.is_fixed and function is ir.Function.ABS
        types = [(self._type(a) or element) if keeps else element for a in arguments]
        texts = [self._exactly(a, kind) for a, kind in zip(arguments, types, strict=True)]
        return self._called(function, texts, element)

    def _called(self, function: ir.Function, arguments: list[str], element: ElementType) -> str:
        listed = ", ".join(arguments)
        if element is ElementType.HALF:
            listed = ", ".join(f"static_cast<float>({argument})" for argument in arguments)
            return f"static_cast<half>({function.c_name}f({listed}))"
        if element.is_fixed and function is ir.Function.ABS:
            return f"std::max<{element}>({listed}, -({listed}))"
        if not element.is_float:
            name = {ir.Function.ABS: "abs"}.get(function, f"{function}<{element}>")
            return f"std::{name}({listed})"
        return f"{function.c_name}{'f' if element is ElementType.FLOAT else ''}({listed})"

    def _text(self, expression: ir.Expression, element: ElementType) -> tuple[str, int]:
        match expression:
            case ir.Literal(value):
                text = literal(value, element)
                return (f"({text})" if text.startswith("-") else text), _ATOM
            case ir.Read(access):
                return _promoted(self.read(access), self.element_of(access.array)), _ATOM
            case ir.Index(value):
                text = self.index(value)
                return (text if text.isidentifier() else f"({text})"), _ATOM
            case ir.Cast(target, operand):
                source = self._type(operand) or target
                text = _cast(self._text(operand, source)[0], source, target)
                return _promoted(text, target), _ATOM
            case ir.Binary(_, _, operand) if ir.is_negation(expression):
                own = (self._type(operand) or element) if element.is_fixed else element
                return f"-{self._inside(operand, _ATOM, own)}", _PRODUCT
            case ir.Binary(op, left, right):
                return self._binary(op, left, right, element)
            case ir.Call(function, arguments):
                return self._call(function, arguments, element), _ATOM
            case ir.Select(condition, then, otherwise):
                sides = self._inside(then, _OR, element), self._inside(otherwise, _OR, element)
                return f"({self.condition(condition)} ? {sides[0]} : {sides[1]})", _ATOM
            case ir.Compare() | ir.Logic():
                return self._truth(expression)
            case _:
                assert_never(expression)

    def _truth(self, condition: ir.Condition) -> tuple[str, int]:
        match condition:
            case ir.Compare(op, left, right):
                element = compared_type(left, right, self.element_of) or ElementType.DOUBLE
                sides = self._side(left, element), self._side(right, element)
                return f"{sides[0]} {op} {sides[1]}", _LESS
            case ir.Logic(op, operands):
                symbol, level = _CONNECTIVES[op]
                parts = (self._truth(operand) for operand in operands)
                texts = (text if own >= _BIT_OR else f"({text})" for text, own in parts)
                return f" {symbol} ".join(texts), level
            case _:
                assert_never(condition)

    def _side(self, expression: ir.Expression, element: ElementType) -> str:
        """Return one side of a comparison; integers of the other sign are converted."""
        if isinstance(expression, ir.Index) and not _needs_casts(element):
            return self.index(expression.value)
        own = self._type(expression)
        if own is not None and not element.is_float and own.is_signed is not element.is_signed:
            return self._exactly(expression, element)
        return self._inside(expression, _SUM, element)

    def _exactly(self, expression: ir.Expression, element: ElementType) -> str:
        """Return the text of an operand, with a cast where it has another type."""
        own = self._type(expression) or element
        text = self._text(expression, own)[0]
        return text if own is element else _cast(text, own, element)

    def _inside(self, expression: ir.Expression, level: int, element: ElementType) -> str:
        """Return the text of an operand, in brackets if it binds weaker than ``level``.

        C converts between its own types; others are cast to the type that is wanted.
        """
        kind = self._type(expression) or element
        if kind is not element and (_needs_casts(kind) or _needs_casts(element)):
            return self._exactly(expression, element)
        text, own = self._text(expression, element)
        return text if own >= level else f"({text})"


def check_dividends(value: Affine, node: Node) -> None:
    """Refuse a dividend that can be negative, where C and `Affine` differ.

    Raises
    ------
    CodegenError
        E603 for the first such dividend.
    """
    for atom, _ in value.terms:
        match atom:
            case Iter():
                pass
            case FloorDiv(inner, _) | Mod(inner, _):
                check_dividends(inner, node)
                if inner.bounds(node.trip_counts)[0] < 0:
                    message = f"{atom} in node '{node.name}' divides a negative number"
                    raise CodegenError(Diagnostic("E603", message, node.loc))
