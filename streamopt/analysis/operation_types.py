"""How wide the operator of an operation is built: as its values need, not as C's types say.

Vitis HLS makes a multiplier of the bits that its operands may have, so that ``int8_t`` times
``int8_t``, which C computes in ``int32_t``, is an 8-bit multiplier, whatever casts are around.
"""

from __future__ import annotations

from math import frexp
from typing import TYPE_CHECKING

from streamopt.analysis.value_ranges import value_range
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Binary, BinaryOp, Literal, children, uncast
from streamopt.ir.expression_type import operand_types
from streamopt.ir.fixed_point import FixedPoint

if TYPE_CHECKING:
    from streamopt.analysis.value_ranges import Surroundings
    from streamopt.ir.expression import Expression

__all__ = ["built_type", "integer_of_bits", "is_shift"]

_WHOLE = (ElementType.INT8, ElementType.INT16, ElementType.INT32, ElementType.INT64)
_MOST_MANTISSA_BITS = 53


def built_type(expression: Expression, element: ElementType, among: Surroundings) -> ElementType:
    """Return the type of the operator that computes an operation.

    A multiplier is as wide as its wider operand, other operators of integers as the widest of
    operands and result; never wider than the type in which C computes.

    Parameters
    ----------
    element
        In which C computes it.
    """
    product: Binary | None = None
    if isinstance(expression, Binary) and expression.op is BinaryOp.MUL:
        product = expression
    if element.is_fixed and product is not None:
        types = operand_types(product, element, among.element_of)
        return max(types, key=lambda one: one.bits)
    if not element.is_integer:
        return element
    values = [value_range(operand, among) for operand in children(expression)]
    if product is None:
        values.append(value_range(expression, among))
    if None in values:
        return element
    bits = max(value.bits for value in values if value is not None)
    return integer_of_bits(bits) if bits < element.bits else element


def is_shift(product: Binary, element: ElementType) -> bool:
    """Return whether a product of whole or fixed-point numbers is one by a power of two.

    It takes no multiplier, but wires.
    """
    if element.is_float:
        return False
    return any(map(_is_power_of_two, (product.left, product.right)))


def _is_power_of_two(factor: Expression) -> bool:
    inner = uncast(factor)
    return isinstance(inner, Literal) and frexp(abs(inner.value))[0] == 0.5


def integer_of_bits(bits: int) -> ElementType:
    """Return the type of whole numbers of a width: C's where there is one that is no wider than 16.

    Examples
    --------
    >>> integer_of_bits(5).value, integer_of_bits(20).value, integer_of_bits(60).value
    ('int8_t', 'ap_fixed<20, 20>', 'int64_t')
    """
    for element in _WHOLE:
        fits = bits <= element.bits
        if fits and (element.bits <= 16 or bits == element.bits or bits > _MOST_MANTISSA_BITS):
            return element
    return ElementType.of_fixed_point(FixedPoint(bits, bits))
