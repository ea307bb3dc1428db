"""Operations of the dialects arith and math as expressions."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from streamopt.frontends.mlir.text.syntax import MlirOperation, Type, element_type
from streamopt.frontends.tensors.tensor import LoweringError
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.algebra import formulas
from streamopt.ir.algebra.composing import ZERO, as_condition, as_number
from streamopt.ir.arithmetic import negated
from streamopt.ir.element import ElementType

HUGE: Mapping[str, float] = {"f16": 2.0**15, "f32": 2.0**126, "f64": 2.0**1022}
ELEMENT_HINT = "types are f16, f32, f64 and integers of 8, 16, 32 or 64 bits"
UNKNOWN = -(2**63)
"""Stands in attributes for a number that an operand gives."""


def starts_from(literal: float, identity: float, element: ElementType) -> bool:
    """Return whether a reduction that starts from a number starts from its identity.

    Of the largest or smallest element, that is the end of the range, or near it.
    """
    if not math.isinf(identity) or literal == identity:
        return literal == identity
    if element.is_float:
        return abs(literal) >= HUGE["f32"] and (literal < 0) == (identity < 0)
    low = -(2 ** (element.bits - 1)) if element.is_signed else 0
    return literal <= low if identity < 0 else literal >= low + 2**element.bits - 1


def static_integers(op: MlirOperation, *names: str) -> tuple[tuple[int, ...], ...]:
    """Return attributes that list offsets, sizes or strides.

    Raises
    ------
    LoweringError
        If one of them isn't known.
    """
    found = tuple(op.integers(name) for name in names)
    if any(UNKNOWN in numbers for numbers in found):
        hint = "use constant offsets, sizes and strides"
        raise LoweringError(f"the extent of a part in {op.name} is not known", hint)
    return found


def is_scalar_operation(op: MlirOperation) -> bool:
    """Return whether an operation computes numbers from numbers."""
    return op.name.startswith(("arith.", "math.")) and len(op.results) == 1


def known_element(kind: Type) -> ElementType:
    """Return the element type of a scalar or of elements; raises LoweringError if there is none."""
    element = element_type(kind.element)
    if element is None:
        raise LoweringError(f"elements of type {kind.element} are not supported", ELEMENT_HINT)
    return element


def scalar(op: MlirOperation, operands: Sequence[ir.Expression]) -> ir.Expression:
    """Return the expression of one operation.

    Raises
    ------
    LoweringError
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
    if op.name in _ELEMENTARY:
        return _ELEMENTARY[op.name](*operands)
    special = _SPECIAL.get(op.name)
    if special is None:
        raise LoweringError(f"operation {op.name} is not supported")
    return special(op, operands)


def _constant(op: MlirOperation) -> ir.Expression:
    value = op.attributes.get("value")
    if isinstance(value, int | float):
        number = float(value)
        if op.results[0].type.element == "i1":
            # The bindings give the bit as a signed number.
            return ir.Compare(ir.CompareOp.EQ if number else ir.CompareOp.NE, ZERO, ZERO)
        return ir.Literal(_finite(number, op.results[0].type.element))
    raise LoweringError(f"a constant of type {op.results[0].type.text} has no number")


def _finite(number: float, kind: str) -> float:
    """Return a huge number for infinity, which is no literal: as good under max and exp.

    It is far enough from the largest number to be added to something.
    """
    huge = HUGE.get(kind)
    if huge is None or math.isnan(number):
        return number
    return max(-huge, min(number, huge))


def _binary(
    op: MlirOperation, operator: ir.BinaryOp, operands: Sequence[ir.Expression], *, signed: bool
) -> ir.Expression:
    left, right = operands
    logical = {ir.BinaryOp.AND: ir.LogicOp.AND, ir.BinaryOp.OR: ir.LogicOp.OR}.get(operator)
    if op.results[0].type.element == "i1":
        if logical is not None:
            return ir.Logic(logical, (as_condition(left), as_condition(right)))
        if operator is ir.BinaryOp.XOR:
            return ir.Compare(ir.CompareOp.NE, as_number(left), as_number(right))
    if not signed:
        return _unsigned(op, left, lambda a, b: ir.Binary(operator, a, b), right)
    first, second = ir.as_affine(left), ir.as_affine(right)
    if operator in _ON_INDICES and first is not None and second is not None:
        combined = first.combined(operator, second, None)
        if isinstance(combined, Affine) and (first.terms or second.terms):
            return ir.Index(combined)
    return ir.Binary(operator, as_number(left), as_number(right))


def _unsigned(
    op: MlirOperation,
    left: ir.Expression,
    combine: Callable[[ir.Expression, ir.Expression], ir.Expression],
    right: ir.Expression,
) -> ir.Expression:
    element = element_type(op.operands[0].type.element)
    if element is None or element.is_float:
        raise LoweringError(f"{op.name} on {op.operands[0].type.text} is not supported")
    unsigned = ElementType(f"uint{element.bits}_t")
    result = combine(ir.Cast(unsigned, as_number(left)), ir.Cast(unsigned, as_number(right)))
    return result if isinstance(result, ir.Compare) else ir.Cast(element, result)


def _call(op: MlirOperation, operands: Sequence[ir.Expression]) -> ir.Expression:
    function = _FUNCTIONS[op.name]
    arguments = tuple(map(as_number, operands))
    if op.name in ("arith.maxui", "arith.minui"):
        return _unsigned(op, arguments[0], lambda a, b: ir.Call(function, (a, b)), arguments[1])
    return ir.Call(function, arguments)


def _cast(kind: str, signed: bool, op: MlirOperation, operand: ir.Expression) -> ir.Expression:
    element, source = element_type(kind), element_type(op.operands[0].type.element)
    if element is None or source is None:
        raise LoweringError(
            f"{op.name} from {op.operands[0].type.text} to {op.results[0].type.text} "
            "is not supported",
            ELEMENT_HINT,
        )
    if kind == "i1":
        return as_condition(ir.Binary(ir.BinaryOp.MOD, operand, ir.Literal(2.0)))
    if isinstance(operand, ir.Compare | ir.Logic):
        return as_number(operand) if signed is False else ir.Select(operand, ir.Literal(-1.0), ZERO)
    if isinstance(operand, ir.Literal):
        return _literal(operand.value, element)
    if isinstance(operand, ir.Index) and not element.is_float:
        return operand
    if not signed and not source.is_float:
        operand = ir.Cast(ElementType(f"uint{source.bits}_t"), operand)
    return operand if element is source else ir.Cast(element, operand)


def _literal(value: float, element: ElementType) -> ir.Literal:
    if not element.is_float:
        return ir.Literal(float(math.trunc(value)))
    with suppress(OverflowError):
        return ir.Literal(element.nearest(value))
    return ir.Literal(value)


def _compare_floats(op: MlirOperation, operands: Sequence[ir.Expression]) -> ir.Expression:
    """Return the comparison; with NaN it may hold where an unordered one must and not hold."""
    left, right = operands
    predicate = op.attributes.get("predicate")
    if predicate in (0, 15):
        return ir.Compare(ir.CompareOp.NE if predicate == 0 else ir.CompareOp.EQ, ZERO, ZERO)
    if predicate in (7, 14):
        both = ir.CompareOp.EQ if predicate == 7 else ir.CompareOp.NE
        joined = ir.LogicOp.AND if predicate == 7 else ir.LogicOp.OR
        if left == right:
            return ir.Compare(both, left, left)
        return ir.Logic(joined, (ir.Compare(both, left, left), ir.Compare(both, right, right)))
    names = (None, *_ORDERED, None, *_ORDERED)
    found = names[predicate] if isinstance(predicate, int) and 0 < predicate < 14 else None
    if found is None:
        raise LoweringError("a comparison without predicate")
    return ir.Compare(found, left, right)


def _compare_integers(op: MlirOperation, operands: Sequence[ir.Expression]) -> ir.Expression:
    predicate = op.attributes.get("predicate")
    if not isinstance(predicate, int) or not 0 <= predicate < len(_INTEGER):
        raise LoweringError("a comparison without predicate")
    found = _INTEGER[predicate]
    left, right = map(as_number, operands)
    if predicate >= 6:
        return _unsigned(op, left, lambda a, b: ir.Compare(found, a, b), right)
    return ir.Compare(found, left, right)


def _select(op: MlirOperation, operands: Sequence[ir.Expression]) -> ir.Expression:
    condition, then, otherwise = as_condition(operands[0]), operands[1], operands[2]
    if op.results[0].type.element == "i1":
        chosen = ir.Select(condition, as_number(then), as_number(otherwise))
        return ir.Compare(ir.CompareOp.NE, chosen, ZERO)
    match condition:
        case ir.Compare(ir.CompareOp.GT | ir.CompareOp.GE, left, right):
            pass
        case ir.Compare(ir.CompareOp.LT | ir.CompareOp.LE, right, left):
            pass
        case _:
            return ir.Select(condition, then, otherwise)
    if (then, otherwise) == (left, right):
        return ir.Call(ir.Function.MAX, (left, right))
    if (then, otherwise) == (right, left):
        return ir.Call(ir.Function.MIN, (left, right))
    return ir.Select(condition, then, otherwise)


_ON_INDICES = (ir.BinaryOp.ADD, ir.BinaryOp.SUB, ir.BinaryOp.MUL)
_ORDERED = tuple(map(ir.CompareOp, ("==", ">", ">=", "<", "<=", "!=")))
_INTEGER = tuple(map(ir.CompareOp, ("==", "!=", *2 * ("<", "<=", ">", ">="))))
"""By predicate: signed comparisons, then those without a sign."""
_BINARY: Mapping[str, ir.BinaryOp] = {
    f"arith.{name}{kind}": op
    for op, name, kinds in (
        (ir.BinaryOp.ADD, "add", ("f", "i")),
        (ir.BinaryOp.SUB, "sub", ("f", "i")),
        (ir.BinaryOp.MUL, "mul", ("f", "i")),
        (ir.BinaryOp.DIV, "div", ("f", "si")),
        (ir.BinaryOp.MOD, "rem", ("si",)),
        (ir.BinaryOp.SHL, "shl", ("i",)),
        (ir.BinaryOp.SHR, "shr", ("si",)),
        (ir.BinaryOp.AND, "and", ("i",)),
        (ir.BinaryOp.OR, "or", ("i",)),
        (ir.BinaryOp.XOR, "xor", ("i",)),
    )
    for kind in kinds
}
_UNSIGNED: Mapping[str, ir.BinaryOp] = {
    "arith.divui": ir.BinaryOp.DIV,
    "arith.remui": ir.BinaryOp.MOD,
    "arith.shrui": ir.BinaryOp.SHR,
}
_FUNCTIONS: Mapping[str, ir.Function] = {
    **{f"arith.max{kind}": ir.Function.MAX for kind in ("imumf", "numf", "si", "ui")},
    **{f"arith.min{kind}": ir.Function.MIN for kind in ("imumf", "numf", "si", "ui")},
    **{f"math.{function}": function for function in ir.Function},
    **{f"math.{name}": ir.Function.ABS for name in ("absf", "absi")},
    **{f"math.{name}": ir.Function.POW for name in ("powf", "fpowi", "ipowi")},
}
_SIGNED_CASTS = ("extf", "truncf", "extsi", "trunci", "sitofp", "fptosi", "index_cast")
_UNSIGNED_CASTS = ("extui", "uitofp", "fptoui", "index_castui")
_CASTS: Mapping[str, bool] = {
    **{f"arith.{name}": True for name in _SIGNED_CASTS},
    **{f"arith.{name}": False for name in _UNSIGNED_CASTS},
}
_SPECIAL: Mapping[str, Callable[[MlirOperation, Sequence[ir.Expression]], ir.Expression]] = {
    "arith.cmpf": _compare_floats,
    "arith.cmpi": _compare_integers,
    "arith.select": _select,
    "arith.negf": lambda op, v: negated(v[0]),
    "math.fma": lambda op, v: ir.Binary(
        ir.BinaryOp.ADD, ir.Binary(ir.BinaryOp.MUL, v[0], v[1]), v[2]
    ),
}
_ELEMENTARY: Mapping[str, Callable[..., ir.Expression]] = {
    **{f"math.{name}": function for name, function in formulas.ELEMENTARY.items()},
    "math.roundeven": formulas.ELEMENTARY["rint"],
    "math.rsqrt": formulas.formula("1 / sqrt(x)"),
    "math.exp2": formulas.formula("pow(2, x)"),
    "math.log2": formulas.formula(f"log(x) * {1 / math.log(2)}"),
    "math.log10": formulas.formula(f"log(x) * {1 / math.log(10)}"),
    "math.log1p": formulas.formula("log(1 + x)"),
    "math.expm1": formulas.formula("exp(x) - 1"),
}
