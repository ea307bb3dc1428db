"""Statements as Python text that computes one scalar after another, in C's types and order."""

from dataclasses import dataclass, field

from streamopt.ir import expression as ir
from streamopt.ir.element import ElementType, FixedPoint
from streamopt.verification.exact.scalar_operations import CONVERSIONS, mantissa, wrap_name
from streamopt.verification.exact.scalar_text import Pair, ScalarText, ScalarWords, Types

_FUNCTIONS = {
    ir.Function.ABS: "abs",
    ir.Function.MAX: "largest",
    ir.Function.MIN: "smallest",
}
_INTEGER_CALLS = {ir.BinaryOp.DIV: "quotient", ir.BinaryOp.MOD: "remainder"}


@dataclass(frozen=True, slots=True)
class ScalarCode(ScalarText):
    """Prints expressions of one nest; arrays are lists."""

    words = ScalarWords(
        floored="(({}) // {})",
        modulo="(({}) % {})",
        both="and",
        either="or",
        chosen="({1} if {0} else {2})",
        number="({})",
        truth="int({})",
    )

    rounded: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    """Literals of types that Python has no numbers of, in order, with the name of the operation
    that makes them; the code finds them in a tuple."""

    def _converted(self, text: str, element: ElementType, wanted: ElementType) -> str:
        if element.is_fixed or wanted.is_fixed:
            return converted_fixed(text, element, wanted)
        if wanted.is_float:
            return f"{CONVERSIONS[wanted]}({text})"
        return _wrapped(f"whole({text})" if element.is_float else text, wanted)

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

    def _operated(self, op: ir.BinaryOp, sides: Pair, types: Types, element: ElementType) -> str:
        if element.is_fixed:
            return fixed_operation(op, sides, types, element)
        left, right = sides
        if not element.is_float:
            call = _INTEGER_CALLS.get(op)
            text = f"{call}({left}, {right})" if call else f"{left} {op} {right}"
            return _wrapped(text, element)
        if op is ir.BinaryOp.DIV:
            return f"divided({left}, {right})"
        return f"({left} {op} {right})"

    def _function(self, function: ir.Function, element: ElementType) -> str:
        return _FUNCTIONS.get(function, f"{function}_{element}")


def _wrapped(text: str, element: ElementType) -> str:
    return f"{wrap_name(element)}({text})"


def fixed_operation(op: ir.BinaryOp, sides: Pair, types: Types, element: ElementType) -> str:
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
