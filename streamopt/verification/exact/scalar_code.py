"""Statements as Python text that computes one scalar after another, in C's types and order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from streamopt.ir import expression as ir
from streamopt.ir.affine import FloorDiv, Iter, Mod
from streamopt.ir.arithmetic import compared_type, expression_type, operand_types
from streamopt.ir.element import ElementType
from streamopt.verification.exact.scalar_operations import CONVERSIONS, mantissa, wrap_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.affine import Affine, Atom
    from streamopt.ir.element import FixedPoint
    from streamopt.ir.program import Array

_EXTREMES = {ir.Function.MAX: "largest", ir.Function.MIN: "smallest"}
_INTEGER_CALLS = {ir.BinaryOp.DIV: "quotient", ir.BinaryOp.MOD: "remainder"}


@dataclass(frozen=True, slots=True)
class ScalarCode:
    """Prints expressions of one nest.

    Attributes
    ----------
    arrays
        Position of each array among the generated function's lists, and the array.
    trip_counts
        By iterator.
    iterators
        Name of each iterator in the generated code.
    rounded
        Literals of types that Python has no numbers of, in order, with the name of the operation
        that makes them; the code finds them in a tuple.
    """

    arrays: Mapping[str, tuple[int, Array]]
    trip_counts: Mapping[str, int]
    iterators: Mapping[str, str]
    rounded: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])

    def element(self, name: str) -> ElementType:
        """Return the element type of an array."""
        return self.arrays[name][1].element

    def place(self, access: ir.Access) -> str:
        """Return the text of an array element."""
        position, array = self.arrays[access.array]
        flat = ""
        for subscript, extent in zip(access.subscripts, array.shape, strict=True):
            text = self.affine(subscript)
            low, high = subscript.bounds(self.trip_counts)
            if low < 0 or high >= extent:
                text = f"at({text}, {extent})"
            flat = f"({flat}) * {extent} + {text}" if flat else text
        return f"a{position}[{flat or 0}]"

    def affine(self, value: Affine) -> str:
        """Return the text of an affine expression."""
        parts = [f"{factor} * {self._atom(atom)}" for atom, factor in value.terms]
        return " + ".join([*parts, str(value.constant)])

    def _atom(self, atom: Atom) -> str:
        match atom:
            case Iter(name):
                return self.iterators[name]
            case FloorDiv(value, divisor):
                return f"(({self.affine(value)}) // {divisor})"
            case Mod(value, divisor):
                return f"(({self.affine(value)}) % {divisor})"
            case _:
                assert_never(atom)

    def condition(self, condition: ir.Condition) -> str:
        """Return the text of a truth value."""
        match condition:
            case ir.Compare(op, left, right):
                element = compared_type(left, right, self.element) or ElementType.DOUBLE
                sides = self.value(left, element), self.value(right, element)
                return f"({sides[0]} {op} {sides[1]})"
            case ir.Logic(op, operands):
                return f"({f' {op} '.join(map(self.condition, operands))})"
            case _:
                assert_never(condition)

    def value(self, expression: ir.Expression, wanted: ElementType) -> str:
        """Return the text of an expression's value, converted to a type."""
        element = expression_type(expression, self.element) or wanted
        text = self._value(expression, element)
        return text if element is wanted else _converted(text, element, wanted)

    def _value(self, expression: ir.Expression, element: ElementType) -> str:
        match expression:
            case ir.Literal(value):
                return self._literal(value, element)
            case ir.Read(access):
                return self.place(access)
            case ir.Index(value):
                return f"({self.affine(value)})"
            case ir.Cast(_, operand):
                return self.value(operand, element)
            case ir.Binary(op, left, right):
                types = operand_types(expression, element, self.element)
                sides = self.value(left, types[0]), self.value(right, types[1])
                if element.is_fixed:
                    return fixed_operation(op, sides, types, element)
                return _operated(op, *sides, element)
            case ir.Call(function, arguments):
                return _called(function, [self.value(a, element) for a in arguments], element)
            case ir.Select(condition, then, otherwise):
                branches = self.value(then, element), self.value(otherwise, element)
                return f"({branches[0]} if {self.condition(condition)} else {branches[1]})"
            case ir.Compare() | ir.Logic():
                return f"int({self.condition(expression)})"
            case _:
                assert_never(expression)

    def _literal(self, value: float, element: ElementType) -> str:
        match element:
            case ElementType.DOUBLE:
                return f"({value!r})" if abs(value) < float("inf") else f"float('{value}')"
            case ElementType.FLOAT | ElementType.HALF:
                self.rounded.append((CONVERSIONS[element], value))
                return f"rounded[{len(self.rounded) - 1}]"
            case _ if element.is_fixed:
                return f"({mantissa(value, element)})"
            case _:
                return _wrapped(str(int(value)), element)


def _wrapped(text: str, element: ElementType) -> str:
    return f"{wrap_name(element)}({text})"


def _operated(op: ir.BinaryOp, left: str, right: str, element: ElementType) -> str:
    if not element.is_float:
        call = _INTEGER_CALLS.get(op)
        text = f"{call}({left}, {right})" if call else f"{left} {op} {right}"
        return _wrapped(text, element)
    if op is ir.BinaryOp.DIV:
        return f"divided({left}, {right})"
    return f"({left} {op} {right})"


def _called(function: ir.Function, arguments: list[str], element: ElementType) -> str:
    listed = ", ".join(arguments)
    if function is ir.Function.ABS:
        return f"abs({listed})"
    if function in _EXTREMES:
        return f"{_EXTREMES[function]}({listed})"
    return f"{function}_{element}({listed})"


def _converted(text: str, element: ElementType, wanted: ElementType) -> str:
    if element.is_fixed or wanted.is_fixed:
        return converted_fixed(text, element, wanted)
    if wanted.is_float:
        return f"{CONVERSIONS[wanted]}({text})"
    return _wrapped(f"whole({text})" if element.is_float else text, wanted)


def fixed_operation(
    op: ir.BinaryOp,
    sides: tuple[str, str],
    types: tuple[ElementType, ElementType],
    element: ElementType,
) -> str:
    """Return the text of an operation on mantissas of fixed-point types."""
    left, right = (kind.fixed_point.fraction_bits for kind in types)
    result = element.fixed_point.fraction_bits
    match op:
        case ir.BinaryOp.ADD | ir.BinaryOp.SUB:
            one, other = _shifted(sides[0], result - left), _shifted(sides[1], result - right)
            return f"({one} {op} {other})"
        case ir.BinaryOp.MUL:
            return f"({sides[0]} * {sides[1]})"
        case ir.BinaryOp.DIV:
            return f"quotient({_shifted(sides[0], max(right, 0))}, {sides[1]})"
        case _:
            raise AssertionError(f"{op} of fixed-point numbers")


def converted_fixed(text: str, element: ElementType, wanted: ElementType) -> str:
    """Return the text of a conversion from or to a fixed-point type."""
    if element.is_float:
        return f"mantissa({text}, '{wanted}')"
    form = element.fixed_point
    if wanted.is_fixed:
        return _moved(text, form, wanted)
    if not wanted.is_float:
        return f"{wrap_name(wanted)}({_cut_off(text, form.fraction_bits)})"
    return f"{CONVERSIONS[wanted]}(number({text}, {form.fraction_bits}))"


def _shifted(text: str, bits: int) -> str:
    return f"({text} << {bits})" if bits else text


def _moved(text: str, form: FixedPoint, wanted: ElementType) -> str:
    into = wanted.fixed_point
    shift = form.fraction_bits - into.fraction_bits
    if shift <= 0 and into.integer_bits >= form.integer_bits:
        return _shifted(text, -shift)
    return f"moved({text}, {shift}, '{wanted}')"


def _cut_off(text: str, fraction_bits: int) -> str:
    if fraction_bits <= 0:
        return _shifted(text, -fraction_bits)
    return f"quotient({text}, {1 << fraction_bits})"
