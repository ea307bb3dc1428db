"""From an operator and the formats of its operands to the block that is built: one table.

Whole and fixed-point numbers are as wide as their operands make them, and never wider than the type
that the program computes in: what doesn't fit into that wraps, as there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import frexp
from typing import TypeAlias

from streamopt.ir.element import ElementType
from streamopt.ir.operators import BinaryOp, CompareOp, LogicOp, Operator
from streamopt.rtl.operators.choice import ChoiceLeaf
from streamopt.rtl.operators.conversion_leaf import ConversionLeaf
from streamopt.rtl.operators.float_format import DOUBLE, FloatFormat
from streamopt.rtl.operators.float_leaf import FloatLeaf
from streamopt.rtl.operators.leaf import OperatorBlock
from streamopt.rtl.operators.number_format import (
    TRUTH,
    NumberFormat,
    WholeFormat,
    format_of,
    narrowest,
)
from streamopt.rtl.operators.whole_leaf import WholeLeaf

CONVERSION_LEVELS = 3
"""Registers of a conversion from or to a floating-point number."""
PRODUCT_LEVELS = 3
"""Of a product of whole numbers: before, in and behind a DSP's multiplier."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An operation as a program means it.

    Attributes
    ----------
    symbol
        Which of the comparisons, of the connectives, and of the operations on bits.
    element
        In which it computes.
    operands
        As they are; None for numbers of no value that is computed.
    constants
        Their values, where they are known.
    """

    operator: Operator
    symbol: BinaryOp | CompareOp | LogicOp | None
    element: ElementType
    operands: tuple[NumberFormat, ...]
    constants: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class BlockChoice:
    """A block, and which operands it takes, in which order."""

    leaf: OperatorBlock
    order: tuple[int, ...]


FLOAT_LEVELS = {
    "add": 5,
    "sub": 5,
    "mul": 4,
    "div": 16,
    "sqrt": 16,
    "exp": 10,
    "exp2": 10,
    "log": 12,
    "tanh": 10,
    "erf": 10,
    "recip": 10,
    "max": 1,
    "min": 1,
    "neg": 0,
    "abs": 0,
    "lt": 1,
    "le": 1,
    "eq": 1,
    "ne": 1,
}
"""Registers of each kind of operator on floating-point numbers."""
_KINDS = {
    Operator.ADD: "add",
    Operator.SUB: "sub",
    Operator.MUL: "mul",
    Operator.DIV: "div",
    Operator.MOD: "mod",
    Operator.RECIPROCAL: "recip",
    Operator.EXP: "exp",
    Operator.LOG: "log",
    Operator.TANH: "tanh",
    Operator.ERF: "erf",
    Operator.SQRT: "sqrt",
    Operator.MAX: "max",
    Operator.MIN: "min",
    Operator.NEGATE: "neg",
    Operator.ABS: "abs",
}
_SYMBOLS: Mapping[BinaryOp | CompareOp | LogicOp, tuple[str, bool]] = {
    CompareOp.LT: ("lt", False),
    CompareOp.LE: ("le", False),
    CompareOp.GT: ("lt", True),
    CompareOp.GE: ("le", True),
    CompareOp.EQ: ("eq", False),
    CompareOp.NE: ("ne", False),
    LogicOp.AND: ("and", False),
    LogicOp.OR: ("or", False),
    BinaryOp.AND: ("and", False),
    BinaryOp.OR: ("or", False),
    BinaryOp.XOR: ("xor", False),
    BinaryOp.SHL: ("shl", False),
    BinaryOp.SHR: ("shr", False),
    BinaryOp.MUL: ("mul", False),
}
"""Kind, and whether the operands change their places."""


FUNCTIONS = ("exp", "exp2", "log", "tanh", "erf", "recip")
"""By tables, which are for ``float`` and ``half``."""


def choose(asked: Asked) -> BlockChoice | None:
    """Return the block for an operation; None if there is none."""
    kind, is_swapped = _kind(asked)
    order = tuple(range(len(asked.operands)))
    if asked.operator is Operator.POW:
        order = (1,)
    elif is_swapped:
        order = order[::-1]
    operands = tuple(asked.operands[at] for at in order)
    if asked.operator is Operator.SELECT:
        return BlockChoice(ChoiceLeaf(_joined(operands[1:]), 1), order)
    if any(isinstance(form, FloatFormat) for form in operands):
        return _of_floats(kind, operands, order)
    wholes = tuple(form for form in operands if isinstance(form, WholeFormat))
    if not kind or kind in ("sqrt", *FUNCTIONS):
        return None
    target = format_of(asked.element)
    assert isinstance(target, WholeFormat)
    constants = tuple(asked.constants[at] for at in order)
    result = TRUTH if kind in ("lt", "le", "eq", "ne") else _result(kind, wholes, constants, target)
    levels = _whole_levels(kind, wholes, constants)
    return BlockChoice(WholeLeaf(kind, wholes, result, levels), order)


def converted(source: NumberFormat, element: ElementType) -> OperatorBlock | None:
    """Return the block that brings numbers into a type; None where they are of it already."""
    target = format_of(element)
    if isinstance(source, WholeFormat) and isinstance(target, WholeFormat):
        if source == target.plain:
            return None
        into = target.plain if target.holds(source) else target
        if source.fraction_bits <= into.fraction_bits and into.rounds:
            into = WholeFormat(into.bits, True, into.fraction_bits, False, into.saturates)
        is_wiring = not (into.rounds or into.saturates)
        return WholeLeaf("as", (source,), into, 0 if is_wiring else 1)
    if source == target:
        return None
    return ConversionLeaf(source, target, CONVERSION_LEVELS, element.is_integer)


def _kind(asked: Asked) -> tuple[str, bool]:
    if asked.operator in (Operator.COMPARE, Operator.BITS, Operator.LOGIC):
        assert asked.symbol is not None
        return _SYMBOLS[asked.symbol]
    if asked.operator is Operator.RECIPROCAL and len(asked.operands) > 1:
        return "div", False
    if asked.operator is Operator.POW:
        return "exp2" if asked.constants[0] == 2 else "", False
    return _KINDS.get(asked.operator, ""), False


def _of_floats(
    kind: str, operands: tuple[NumberFormat, ...], order: tuple[int, ...]
) -> BlockChoice | None:
    form = operands[0]
    if form == DOUBLE and kind in FUNCTIONS:
        return None
    is_same = all(one == form for one in operands)
    if kind not in FLOAT_LEVELS or not isinstance(form, FloatFormat) or not is_same:
        return None
    return BlockChoice(FloatLeaf(kind, form, FLOAT_LEVELS[kind]), order)


def _joined(forms: tuple[NumberFormat, ...]) -> NumberFormat:
    one, other = forms
    if isinstance(one, WholeFormat) and isinstance(other, WholeFormat):
        return one.joined(other)
    assert one == other
    return one


Ends: TypeAlias = tuple[int, int]


def _result(
    kind: str,
    operands: tuple[WholeFormat, ...],
    constants: tuple[float | None, ...],
    target: WholeFormat,
) -> WholeFormat:
    """Return the format of a result: the narrowest for its operands, or the type's."""
    pairs = zip(operands, constants, strict=True)
    ends = [_ends(form, constant) for form, constant in pairs]
    points = [form.fraction_bits for form in operands]
    if kind in ("mul", "div", "mod", "shl", "shr"):
        exact = _SPANS[kind](ends, operands, constants)
    else:
        point = max(points)
        moved = [
            (low << point - at, high << point - at)
            for (low, high), at in zip(ends, points, strict=True)
        ]
        exact = narrowest(*_ALIGNED_SPANS[kind](*moved), point)
    if exact is None or not target.holds(exact):
        return target
    return exact


def _ends(form: WholeFormat, constant: float | None) -> Ends:
    if constant is None:
        return form.low, form.high
    mantissa = form.mantissa_of(Fraction(constant))
    value = mantissa - (1 << form.bits) if form.is_signed and mantissa > form.high else mantissa
    return value, value


def _bits(*ends: Ends) -> Ends:
    forms = [narrowest(*one) for one in ends]
    if not any(form.is_signed for form in forms):
        return 0, max(form.high for form in forms)
    width = max(form.bits + (not form.is_signed) for form in forms)
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def _sum(one: Ends, other: Ends) -> Ends:
    return one[0] + other[0], one[1] + other[1]


def _difference(one: Ends, other: Ends) -> Ends:
    return _sum(one, _negated(other))


def _negated(one: Ends) -> Ends:
    return -one[1], -one[0]


def _absolute(one: Ends) -> Ends:
    return 0, max(abs(one[0]), abs(one[1]))


def _both(by: Callable[[int, int], int], one: Ends, other: Ends) -> Ends:
    return by(one[0], other[0]), by(one[1], other[1])


_ALIGNED_SPANS: Mapping[str, Callable[..., Ends]] = {
    "add": _sum,
    "sub": _difference,
    "min": partial(_both, min),
    "max": partial(_both, max),
    "neg": _negated,
    "abs": _absolute,
    "and": _bits,
    "or": _bits,
    "xor": _bits,
}
Constants: TypeAlias = tuple[float | None, ...]


def _product(ends: list[Ends], forms: tuple[WholeFormat, ...], _: Constants) -> WholeFormat:
    corners = [one * other for one in ends[0] for other in ends[1]]
    return narrowest(min(corners), max(corners), forms[0].fraction_bits + forms[1].fraction_bits)


def _quotient(ends: list[Ends], forms: tuple[WholeFormat, ...], _: Constants) -> WholeFormat:
    one, other = forms
    more = max(0, other.fraction_bits)
    size = max(map(abs, ends[0])) << more
    low = -size if one.is_signed or other.is_signed else 0
    return narrowest(low, size, one.fraction_bits + more - other.fraction_bits)


def _rest(ends: list[Ends], forms: tuple[WholeFormat, ...], _: Constants) -> WholeFormat:
    size = min(max(map(abs, ends[0])), max(map(abs, ends[1])))
    return narrowest(-size if forms[0].is_signed else 0, size)


def _shifted(
    ends: list[Ends], forms: tuple[WholeFormat, ...], constants: Constants
) -> WholeFormat | None:
    by = constants[1]
    if by is None:
        return forms[0].plain
    return narrowest(ends[0][0] >> int(by), ends[0][1] >> int(by))


def _widened(
    ends: list[Ends], forms: tuple[WholeFormat, ...], constants: Constants
) -> WholeFormat | None:
    by = constants[1]
    if by is None:
        return None
    return narrowest(ends[0][0] << int(by), ends[0][1] << int(by))


_SPANS: Mapping[str, Callable[..., WholeFormat | None]] = {
    "mul": _product,
    "div": _quotient,
    "mod": _rest,
    "shl": _widened,
    "shr": _shifted,
}


def _whole_levels(kind: str, forms: tuple[WholeFormat, ...], constants: Constants) -> int:
    """Return the registers of an operator on whole numbers: none where it is wires."""
    if kind == "mul":
        powers = (c is not None and frexp(abs(c))[0] in (0.0, 0.5) for c in constants)
        return 0 if any(powers) else PRODUCT_LEVELS
    if kind in ("shl", "shr"):
        return int(constants[1] is None)
    if kind in ("and", "or", "xor"):
        return 0
    if kind in ("div", "mod"):
        return forms[0].bits // 2 + 2
    return 1
