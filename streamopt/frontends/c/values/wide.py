"""Numbers of ``ap_int``, ``ap_uint`` and ``ap_fixed``: their sums and products lose nothing.

A result of so many bits is computed in the integer of C that holds it (UG1399, "Arbitrary
Precision Integer Arithmetic"); an assignment drops upper bits. What needs more than 64 bits is
computed in 64: sums, products and the like of its lower bits are right, and nothing else is asked
of it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from streamopt.frontends.c.values.value import CValue, Width, converted_value, integer, real
from streamopt.ir import expression as ir
from streamopt.ir.arithmetic import ConstantError
from streamopt.ir.element import MAX_BITS, ElementType, FixedPoint
from streamopt.ir.operators import BinaryOp

_MOST_BITS = 64
_OF_LOW_BITS = (
    BinaryOp.ADD,
    BinaryOp.SUB,
    BinaryOp.MUL,
    BinaryOp.AND,
    BinaryOp.OR,
    BinaryOp.XOR,
    BinaryOp.SHL,
)


def width_of(value: CValue) -> Width:
    """Return the bits that hold all values of an integer, and whether one is for a sign."""
    if value.wide is not None:
        return value.wide
    if value.affine is not None:
        low, high = value.range
        bits = max(high.bit_length(), (~low).bit_length() if low < 0 else 0, 1)
        return Width(bits + (low < 0), low < 0)
    return Width(value.element.bits, value.element.is_signed)


def prepared(op: BinaryOp, left: CValue, right: CValue) -> tuple[CValue, CValue, Width | None]:
    """Return operands in types in which C computes their exact result, and its width.

    Raises
    ------
    ConstantError
        If the operation needs bits that are dropped already.
    """
    if left.element.is_float or right.element.is_float:
        return left, right, None
    if left.element.is_fixed or right.element.is_fixed:
        return _as_fixed(left), _as_fixed(right), None
    one, other = width_of(left), width_of(right)
    found = _result(op, one, other)
    if op in (BinaryOp.SHL, BinaryOp.SHR):
        element = holding(Width(max(one.bits, 32), one.is_signed))
        return converted_value(left, element), right, one
    if max(one.bits, other.bits) > _MOST_BITS and op not in _OF_LOW_BITS:
        raise ConstantError("an operand has more than 64 bits; convert it first")
    if op in (BinaryOp.DIV, BinaryOp.MOD):
        sides = (left, right)
        types = [one.wide or Width(one.element.bits, one.element.is_signed) for one in sides]
        narrow, wide = sorted(types, key=lambda side: side.bits)
        if narrow.is_signed and not wide.is_signed and narrow.bits < wide.bits < _MOST_BITS:
            # the vendor's headers divide in the wider type, which has no sign
            unsigned = ElementType(f"ap_uint<{wide.bits + 1}>")
            kept = (converted_value(side, unsigned) for side in sides)
            left, right = (converted_value(side, ElementType.UINT64) for side in kept)
            return left, right, found
    needed = Width(max(found.bits, one.bits, other.bits), found.is_signed)
    element = holding(needed)
    return converted_value(left, element), converted_value(right, element), found


def holding(width: Width) -> ElementType:
    """Return the integer of C that holds numbers of a width; one of 64 bits if none does."""
    signed_bits = width.bits + (not width.is_signed)
    if signed_bits <= 32:
        return ElementType.INT32
    if signed_bits <= _MOST_BITS:
        return ElementType.INT64
    return ElementType.INT64 if width.is_signed else ElementType.UINT64


def _result(op: BinaryOp, left: Width, right: Width) -> Width:
    is_signed = left.is_signed or right.is_signed
    ends = [side.bits + (is_signed and not side.is_signed) for side in (left, right)]
    match op:
        case BinaryOp.ADD:
            return Width(max(ends) + 1, is_signed)
        case BinaryOp.SUB:
            mixed = [side.bits + (not side.is_signed) for side in (left, right)]
            return Width(max(mixed if is_signed else ends) + 1, is_signed=True)
        case BinaryOp.MUL:
            return Width(left.bits + right.bits, is_signed)
        case BinaryOp.DIV:
            return Width(left.bits + right.is_signed, is_signed)
        case BinaryOp.MOD:
            return left
        case _:
            return Width(max(ends), is_signed)


def finished(op: BinaryOp, value: CValue, width: Width | None) -> CValue:
    """Return a result with its width; a shift keeps the bits of what is shifted."""
    if width is None:
        return value
    is_cut = width.is_signed and value.element is ElementType.UINT64
    if op in (BinaryOp.SHL, BinaryOp.SHR) or is_cut:
        kept = ElementType(f"ap_{'' if width.is_signed else 'u'}int<{min(width.bits, 64)}>")
        value = converted_value(value, kept)
    return replace(value, wide=width)


def _as_fixed(value: CValue) -> CValue:
    """Return a number as fixed-point arithmetic takes it: a literal in a format of its own."""
    number = value.constant
    if value.element.is_fixed or number is None:
        return value
    bits = width_of(value).bits + (not width_of(value).is_signed)
    element = ElementType(f"ap_fixed<{bits}, {bits}>")
    return CValue(element, ir.Cast(element, integer(int(number)).tree))


def scaled(value: CValue, by: CValue, sign: int) -> CValue:
    """Return a fixed-point number shifted by a constant; its format stays.

    Raises
    ------
    ConstantError
        If the number of bits is not constant.
    """
    count = by.constant
    if not isinstance(count, int) or not 0 <= count <= _MOST_BITS:
        raise ConstantError("a fixed-point number is shifted by a number of bits that varies")
    element = ElementType(f"ap_fixed<{2}, {sign * count + 2}>")
    factor = ir.Cast(element, ir.Literal(2.0 ** (sign * count)))
    tree = ir.Cast(value.element, ir.Binary(BinaryOp.MUL, value.tree, factor))
    return CValue(value.element, tree, size=value.size + 4, depth=value.depth + 2)


def narrowed(value: CValue, element: ElementType) -> CValue:
    """Return a sum of more bits than there are without the upper ones, which a type drops."""
    if not value.element.is_fixed or value.element.bits <= MAX_BITS or not element.is_fixed:
        return value
    form, tree, bits = element.fixed_point, value.tree, MAX_BITS - 1
    kept = FixedPoint(bits, bits - value.element.fixed_point.fraction_bits)
    is_cut = not form.saturates and form.integer_bits <= kept.integer_bits
    if not isinstance(tree, ir.Binary) or tree.op not in (BinaryOp.ADD, BinaryOp.SUB) or not is_cut:
        return value
    kind = ElementType.of_fixed_point(kept)
    tree = ir.Binary(tree.op, ir.Cast(kind, tree.left), ir.Cast(kind, tree.right))
    return replace(value, tree=tree, size=value.size + 2, depth=value.depth + 1)


def positive(value: CValue, element: ElementType) -> CValue:
    """Return a value as ``ap_ufixed`` takes it, of which an element has one bit more."""
    form, number = element.fixed_point, value.constant
    bits, point = form.width_bits - 1, form.fraction_bits
    if form.saturates:
        held = converted_value(value, element)
        if number is not None:
            return converted_value(real(max(0.0, held.constant or 0), ElementType.DOUBLE), element)
        tree = ir.Call(ir.Function.MAX, (held.tree, ir.Cast(element, ir.Literal(0.0))))
        return CValue(element, tree, size=held.size + 3, depth=held.depth + 1)
    if number is not None:
        wider = FixedPoint(MAX_BITS, MAX_BITS - point, form.rounds)
        mantissa = wider.mantissa(Fraction(number)) % (1 << bits)
        return converted_value(real(float(form.number(mantissa)), ElementType.DOUBLE), element)
    signed = replace(form, width_bits=bits, integer_bits=form.integer_bits - 1)
    whole_bits = max(form.width_bits, form.integer_bits)
    moved = FixedPoint(whole_bits + max(0, point), whole_bits)
    kinds = [ElementType.of_fixed_point(kind) for kind in (signed, moved)]
    value = converted_value(converted_value(value, kinds[0]), kinds[1])
    value = scaled(value, integer(abs(point)), 1 if point > 0 else -1)
    value = converted_value(converted_value(value, ElementType(f"ap_uint<{bits}>")), kinds[1])
    return converted_value(scaled(value, integer(abs(point)), -1 if point > 0 else 1), element)


def compared(left: CValue, right: CValue) -> tuple[CValue, CValue]:
    """Return two operands in a type in which C compares their values."""
    one, other, _ = prepared(BinaryOp.MOD, left, right)
    if one.element.is_fixed or one.element.is_float or other.element.is_float:
        return one, other
    element = holding(_result(BinaryOp.AND, width_of(left), width_of(right)))
    return converted_value(left, element), converted_value(right, element)
