"""Operations of the dialects arith and math as expressions."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from streamopt.frontends.mlir.text.syntax import element_type
from streamopt.frontends.tensors import functions
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import negated
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    CompareOp,
    Expression,
    Function,
    Index,
    Literal,
    Logic,
    LogicOp,
    Select,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamopt.frontends.mlir.text.syntax import MlirOperation
    from streamopt.ir.expression import Condition

__all__ = [
    "HUGE",
    "UnsupportedError",
    "as_condition",
    "as_number",
    "is_scalar_operation",
    "scalar",
    "static_integers",
]

HUGE: Mapping[str, float] = {"f16": 2.0**15, "f32": 2.0**126, "f64": 2.0**1022}
_ROUNDED = {ElementType.HALF: ("e", 65504.0), ElementType.FLOAT: ("f", 3e38)}
ZERO, ONE = Literal(0.0), Literal(1.0)
_UNKNOWN = -(2**63)
"""Stands in attributes for a number that an operand gives."""


class UnsupportedError(Exception):
    """An operation has no expression; the message says why, the hint what to change.

    The code is empty where the message's kind decides it.
    """

    def __init__(self, message: str, hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code


def static_integers(op: MlirOperation, *names: str) -> tuple[tuple[int, ...], ...]:
    """Return attributes that list offsets, sizes or strides.

    Raises
    ------
    UnsupportedError
        If one of them isn't known.
    """
    found = tuple(op.integers(name) for name in names)
    if any(_UNKNOWN in numbers for numbers in found):
        hint = "use constant offsets, sizes and strides"
        raise UnsupportedError(f"the extent of a part in {op.name} is not known", hint)
    return found


def is_scalar_operation(op: MlirOperation) -> bool:
    """Return whether an operation computes numbers from numbers."""
    return op.name.startswith(("arith.", "math.")) and len(op.results) == 1


def as_number(value: Expression) -> Expression:
    """Return a truth value as 1 or 0, a number as it is."""
    return Select(value, ONE, ZERO) if isinstance(value, Compare | Logic) else value


def as_condition(value: Expression) -> Condition:
    """Return a truth value as it is, a number as whether it isn't 0."""
    return value if isinstance(value, Compare | Logic) else Compare(CompareOp.NE, value, ZERO)


def scalar(op: MlirOperation, operands: Sequence[Expression]) -> Expression:
    """Return the expression of one operation.

    Raises
    ------
    UnsupportedError
        For operations and types that programs don't have.
    """
    kind = op.results[0].type.element
    if op.name == "arith.constant":
        return _constant(op)
    for table in (_BINARY, _UNSIGNED):
        if op.name in table:
            return _binary(op, table[op.name], operands, signed=table is _BINARY)
    if op.name in _FUNCTIONS:
        return _call(op, operands)
    if op.name in _CASTS:
        return _cast(kind, _CASTS[op.name], op, operands[0])
    special = _SPECIAL.get(op.name)
    if special is None:
        raise UnsupportedError(f"operation {op.name} is not supported")
    return special(op, operands)


def _constant(op: MlirOperation) -> Expression:
    value = op.attributes.get("value")
    if isinstance(value, int | float):
        number = float(value)
        if op.results[0].type.element == "i1":
            # The bindings give the bit as a signed number.
            return Compare(CompareOp.EQ if number else CompareOp.NE, ZERO, ZERO)
        return Literal(_finite(number, op.results[0].type.element))
    raise UnsupportedError(f"a constant of type {op.results[0].type.text} has no number")


def _finite(number: float, kind: str) -> float:
    """Return a huge number for infinity, which is no literal: as good under max and exp.

    It is far enough from the largest number to be added to something.
    """
    huge = HUGE.get(kind)
    if huge is None or math.isnan(number):
        return number
    return max(-huge, min(number, huge))


def _binary(
    op: MlirOperation, operator: BinaryOp, operands: Sequence[Expression], *, signed: bool
) -> Expression:
    left, right = operands
    logical = {BinaryOp.AND: LogicOp.AND, BinaryOp.OR: LogicOp.OR}.get(operator)
    if op.results[0].type.element == "i1":
        if logical is not None:
            return Logic(logical, (as_condition(left), as_condition(right)))
        if operator is BinaryOp.XOR:
            return Compare(CompareOp.NE, as_number(left), as_number(right))
    if not signed:
        return _unsigned(op, left, lambda a, b: Binary(operator, a, b), right)
    sides = _affine(left), _affine(right)
    if sides[0] is not None and sides[1] is not None:
        combined = _affine_binary(operator, sides[0], sides[1])
        if combined is not None:
            return Index(combined)
    return Binary(operator, as_number(left), as_number(right))


def _affine(value: Expression) -> Affine | None:
    """Return an index or a whole number as an affine expression."""
    match value:
        case Index(affine):
            return affine
        case Literal(number) if number.is_integer():
            return Affine.of(int(number))
        case _:
            return None


def _affine_binary(operator: BinaryOp, left: Affine, right: Affine) -> Affine | None:
    """Return the operation on indices, which are not negative, if its result is affine."""
    if not left.terms and not right.terms:
        return None
    match operator:
        case BinaryOp.ADD:
            return left + right
        case BinaryOp.SUB:
            return left - right
        case BinaryOp.MUL if not right.terms:
            return left.scaled(right.constant)
        case BinaryOp.MUL if not left.terms:
            return right.scaled(left.constant)
        case _:
            return None


def _unsigned(
    op: MlirOperation,
    left: Expression,
    combine: Callable[[Expression, Expression], Expression],
    right: Expression,
) -> Expression:
    element = element_type(op.operands[0].type.element)
    if element is None or element.is_float:
        raise UnsupportedError(f"{op.name} on {op.operands[0].type.text} is not supported")
    unsigned = ElementType(f"uint{element.bits}_t")
    result = combine(Cast(unsigned, as_number(left)), Cast(unsigned, as_number(right)))
    return result if isinstance(result, Compare) else Cast(element, result)


def _call(op: MlirOperation, operands: Sequence[Expression]) -> Expression:
    function = _FUNCTIONS[op.name]
    arguments = tuple(map(as_number, operands))
    if op.name in ("arith.maxui", "arith.minui"):
        return _unsigned(op, arguments[0], lambda a, b: Call(function, (a, b)), arguments[1])
    return Call(function, arguments)


def _cast(kind: str, signed: bool, op: MlirOperation, operand: Expression) -> Expression:
    element, source = element_type(kind), element_type(op.operands[0].type.element)
    if element is None or source is None:
        raise UnsupportedError(
            f"{op.name} from {op.operands[0].type.text} to {op.results[0].type.text} "
            "is not supported",
            "types are f16, f32, f64 and integers of 8, 16, 32 or 64 bits",
        )
    if kind == "i1":
        return as_condition(Binary(BinaryOp.MOD, operand, Literal(2.0)))
    if isinstance(operand, Compare | Logic):
        number = as_number(operand)
        return number if signed is False else Select(operand, Literal(-1.0), ZERO)
    if isinstance(operand, Literal):
        return _literal(operand.value, element)
    if isinstance(operand, Index) and not element.is_float:
        return operand
    if not signed and not source.is_float:
        operand = Cast(ElementType(f"uint{source.bits}_t"), operand)
    return operand if element is source else Cast(element, operand)


def _literal(value: float, element: ElementType) -> Literal:
    form, largest = _ROUNDED.get(element, ("", 0.0))
    if math.isfinite(value) and abs(value) < largest:
        return Literal(struct.unpack(form, struct.pack(form, value))[0])
    return Literal(value if element.is_float else float(math.trunc(value)))


def _compare_floats(op: MlirOperation, operands: Sequence[Expression]) -> Expression:
    """Return the comparison; with NaN it may hold where an unordered one must and not hold."""
    left, right = operands
    predicate = op.attributes.get("predicate")
    if predicate in (0, 15):
        return Compare(CompareOp.NE if predicate == 0 else CompareOp.EQ, ZERO, ZERO)
    if predicate in (7, 14):
        both = CompareOp.EQ if predicate == 7 else CompareOp.NE
        joined = LogicOp.AND if predicate == 7 else LogicOp.OR
        if left == right:
            return Compare(both, left, left)
        return Logic(joined, (Compare(both, left, left), Compare(both, right, right)))
    names = (None, *_ORDERED, None, *_ORDERED)
    found = names[predicate] if isinstance(predicate, int) and 0 < predicate < 14 else None
    if found is None:
        raise UnsupportedError("a comparison without predicate")
    return Compare(found, left, right)


def _compare_integers(op: MlirOperation, operands: Sequence[Expression]) -> Expression:
    predicate = op.attributes.get("predicate")
    if not isinstance(predicate, int) or not 0 <= predicate < len(_INTEGER):
        raise UnsupportedError("a comparison without predicate")
    found = _INTEGER[predicate]
    left, right = map(as_number, operands)
    if predicate >= 6:
        return _unsigned(op, left, lambda a, b: Compare(found, a, b), right)
    return Compare(found, left, right)


def _select(op: MlirOperation, operands: Sequence[Expression]) -> Expression:
    condition, then, otherwise = as_condition(operands[0]), operands[1], operands[2]
    if op.results[0].type.element == "i1":
        chosen = Select(condition, as_number(then), as_number(otherwise))
        return Compare(CompareOp.NE, chosen, ZERO)
    match condition:
        case Compare(CompareOp.GT | CompareOp.GE, left, right):
            pass
        case Compare(CompareOp.LT | CompareOp.LE, right, left):
            pass
        case _:
            return Select(condition, then, otherwise)
    if (then, otherwise) == (left, right):
        return Call(Function.MAX, (left, right))
    if (then, otherwise) == (right, left):
        return Call(Function.MIN, (left, right))
    return Select(condition, then, otherwise)


def _negated(op: MlirOperation, operands: Sequence[Expression]) -> Expression:
    del op
    return negated(operands[0])


def _power(base: float) -> Callable[[MlirOperation, Sequence[Expression]], Expression]:
    return lambda op, operands: Call(Function.POW, (Literal(base), operands[0]))


def _logarithm(base: float) -> Callable[[MlirOperation, Sequence[Expression]], Expression]:
    scale = Literal(1.0 / math.log(base))
    return lambda op, operands: Binary(BinaryOp.MUL, Call(Function.LOG, (operands[0],)), scale)


_ORDERED = tuple(map(CompareOp, ("==", ">", ">=", "<", "<=", "!=")))
_INTEGER = tuple(map(CompareOp, ("==", "!=", *2 * ("<", "<=", ">", ">="))))
"""By predicate: signed comparisons, then those without a sign."""
_BINARY: Mapping[str, BinaryOp] = {
    "arith.addf": BinaryOp.ADD,
    "arith.addi": BinaryOp.ADD,
    "arith.subf": BinaryOp.SUB,
    "arith.subi": BinaryOp.SUB,
    "arith.mulf": BinaryOp.MUL,
    "arith.muli": BinaryOp.MUL,
    "arith.divf": BinaryOp.DIV,
    "arith.divsi": BinaryOp.DIV,
    "arith.remsi": BinaryOp.MOD,
    "arith.shli": BinaryOp.SHL,
    "arith.shrsi": BinaryOp.SHR,
    "arith.andi": BinaryOp.AND,
    "arith.ori": BinaryOp.OR,
    "arith.xori": BinaryOp.XOR,
}
_UNSIGNED: Mapping[str, BinaryOp] = {
    "arith.divui": BinaryOp.DIV,
    "arith.remui": BinaryOp.MOD,
    "arith.shrui": BinaryOp.SHR,
}
_FUNCTIONS: Mapping[str, Function] = {
    "arith.maximumf": Function.MAX,
    "arith.maxnumf": Function.MAX,
    "arith.maxsi": Function.MAX,
    "arith.maxui": Function.MAX,
    "arith.minimumf": Function.MIN,
    "arith.minnumf": Function.MIN,
    "arith.minsi": Function.MIN,
    "arith.minui": Function.MIN,
    **{f"math.{function}": function for function in Function},
    "math.absf": Function.ABS,
    "math.absi": Function.ABS,
    "math.powf": Function.POW,
    "math.fpowi": Function.POW,
    "math.ipowi": Function.POW,
}
_CASTS: Mapping[str, bool] = {
    "arith.extf": True,
    "arith.truncf": True,
    "arith.extsi": True,
    "arith.trunci": True,
    "arith.sitofp": True,
    "arith.fptosi": True,
    "arith.index_cast": True,
    "arith.extui": False,
    "arith.uitofp": False,
    "arith.fptoui": False,
    "arith.index_castui": False,
}
_SPECIAL: Mapping[str, Callable[[MlirOperation, Sequence[Expression]], Expression]] = {
    "arith.cmpf": _compare_floats,
    "arith.cmpi": _compare_integers,
    "arith.select": _select,
    "arith.negf": _negated,
    "math.fma": lambda op, v: Binary(BinaryOp.ADD, Binary(BinaryOp.MUL, v[0], v[1]), v[2]),
    "math.rsqrt": lambda op, v: Binary(BinaryOp.DIV, ONE, Call(Function.SQRT, (v[0],))),
    "math.exp2": _power(2.0),
    "math.log2": _logarithm(2.0),
    "math.log10": _logarithm(10.0),
    "math.log1p": lambda op, v: Call(Function.LOG, (Binary(BinaryOp.ADD, ONE, v[0]),)),
    "math.roundeven": lambda op, v: functions.round_half_even(v[0]),
    "math.tan": lambda op, v: functions.tangent(v[0]),
    "math.sinh": lambda op, v: functions.hyperbolic_sine(v[0]),
    "math.cosh": lambda op, v: functions.hyperbolic_cosine(v[0]),
    "math.asinh": lambda op, v: functions.arc_hyperbolic_sine(v[0]),
    "math.acosh": lambda op, v: functions.arc_hyperbolic_cosine(v[0]),
    "math.atanh": lambda op, v: functions.arc_hyperbolic_tangent(v[0]),
    "math.expm1": lambda op, v: Binary(BinaryOp.SUB, Call(Function.EXP, (v[0],)), ONE),
}
