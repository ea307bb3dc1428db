"""Fixed-point operations as Python text: whole-number arithmetic on mantissas.

Results are exact, in the format that `streamopt.ir.fixed_point` gives them, but quotients, which
are cut off towards zero; a conversion rounds and brings into the range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.element import ElementType
from streamopt.ir.expression import BinaryOp
from streamopt.verification.exact.scalar_operations import wrap_name

if TYPE_CHECKING:
    from streamopt.ir.fixed_point import FixedPoint

__all__ = ["converted_fixed", "fixed_operation"]


def fixed_operation(
    op: BinaryOp,
    sides: tuple[str, str],
    types: tuple[ElementType, ElementType],
    element: ElementType,
) -> str:
    """Return the text of an operation on mantissas.

    Parameters
    ----------
    types
        Of the operands, both fixed-point.
    element
        Of the result.
    """
    left, right = (kind.fixed_point.fraction_bits for kind in types)
    result = element.fixed_point.fraction_bits
    match op:
        case BinaryOp.ADD | BinaryOp.SUB:
            one, other = _shifted(sides[0], result - left), _shifted(sides[1], result - right)
            return f"({one} {op} {other})"
        case BinaryOp.MUL:
            return f"({sides[0]} * {sides[1]})"
        case BinaryOp.DIV:
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
    rounding = {ElementType.FLOAT: "float32", ElementType.HALF: "float16"}.get(wanted, "float")
    return f"{rounding}(number({text}, {form.fraction_bits}))"


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
