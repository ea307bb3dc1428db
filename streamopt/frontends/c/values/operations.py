"""Operations on values: folded where they are constant, affine where they can be.

C's conversions become explicit here, wherever the rules of `streamopt.ir.expression` would choose
another type than C does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from streamopt.frontends.c.syntax.types import Subset
from streamopt.frontends.c.text.cplusplus import OVERLOADED
from streamopt.frontends.c.values.value import (
    CValue,
    Extremum,
    affine_value,
    converted_value,
    integer,
    nearest,
    promoted,
    real,
    wrapped,
)
from streamopt.frontends.c.values.wide import finished, narrowed, positive, prepared, scaled
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.arithmetic import (
    ConstantError,
    Range,
    called,
    computed,
    computed_range,
    result_type,
)
from streamopt.ir.element import ElementType, common_type


def combined(op: ir.BinaryOp, left: CValue, right: CValue) -> CValue:
    """Return ``left op right`` in the type that C computes it in.

    Raises
    ------
    ConstantError
        If a constant result does not exist or does not fit its type.
    """
    if left.wide or right.wide or left.element.is_fixed or right.element.is_fixed:
        if left.element.is_fixed and op in (ir.BinaryOp.SHL, ir.BinaryOp.SHR):
            return scaled(left, right, 1 if op is ir.BinaryOp.SHL else -1)
        one, other, width = prepared(op, left, right)
        return finished(op, _combined(op, one, other), width)
    return _combined(op, left, right)


def _combined(op: ir.BinaryOp, left: CValue, right: CValue) -> CValue:
    if op in (ir.BinaryOp.SHL, ir.BinaryOp.SHR):
        element = promoted(left.element)
        left, right = converted_value(left, element), converted_value(right, element)
    element = result_type(op, left.element, right.element) or left.element
    if element.is_fixed:
        return _composed(ir.Binary(op, left.tree, right.tree), element, left, right)
    first, second = left.constant, right.constant
    if first is not None and second is not None:
        return _folded(op, converted_value(left, element), converted_value(right, element))
    linear = _linear(op, left, right, element) if not element.is_float else None
    if linear is not None:
        return linear
    one, other = met(left, right, element)
    tree = ir.Binary(op, one.tree, other.tree)
    result = _composed(tree, element, one, other)
    return replace(result, choice=_shifted(op, left, right))


def met(left: CValue, right: CValue, element: ElementType) -> tuple[CValue, CValue]:
    """Return two operands such that the rules of the expression trees compute in a type."""
    left = converted_value(left, element) if left.constant is not None else left
    right = converted_value(right, element) if right.constant is not None else right
    one, other = (None if side.is_loose else side.element for side in (left, right))
    if common_type(one, other) == element:
        return left, right
    if not left.is_loose or right.is_loose:
        left = _cast(left, element)
    if not right.is_loose:
        right = _cast(right, element)
    return left, right


def _cast(value: CValue, element: ElementType) -> CValue:
    """Return the value with a cast in its tree, also where it is only a literal."""
    if value.element == element and not value.is_loose:
        return value
    tree = ir.Cast(element, value.tree)
    return CValue(element, tree, size=value.size + 1, depth=value.depth + 1)


def _composed(tree: ir.Expression, element: ElementType, *operands: CValue) -> CValue:
    size = 1 + sum(operand.size for operand in operands)
    depth = 1 + max(operand.depth for operand in operands)
    is_loose = all(operand.is_loose for operand in operands)
    return CValue(element, tree, is_loose=is_loose, size=size, depth=depth)


def _linear(op: ir.BinaryOp, left: CValue, right: CValue, element: ElementType) -> CValue | None:
    one, other = left.affine, right.affine
    if one is None or other is None:
        return None
    if op is ir.BinaryOp.MUL and not one.terms:
        left, right, one, other = right, left, other, one
    match op:
        case ir.BinaryOp.ADD:
            found = one + other
        case ir.BinaryOp.SUB:
            found = one - other
        case ir.BinaryOp.MUL if not other.terms:
            found = one.scaled(other.constant)
        case ir.BinaryOp.SHL if not other.terms and 0 <= other.constant < 31:
            found = one.scaled(1 << other.constant)
        case _ if not other.terms and left.range.low >= 0:
            return _divided(op, left, other.constant, element)
        case _:
            return None
    limits = computed_range(op, left.range, right.range)
    return None if limits is None else affine_value(found, element, limits)


def _divided(op: ir.BinaryOp, value: CValue, by: int, element: ElementType) -> CValue | None:
    """Return the quotient or remainder of a value that is not negative."""
    assert value.affine is not None
    match op:
        case ir.BinaryOp.DIV if by > 0:
            divisor = by
        case ir.BinaryOp.SHR if 0 <= by < 31:
            divisor = 1 << by
        case ir.BinaryOp.MOD if by > 0:
            return _remainder(value, by, element)
        case ir.BinaryOp.AND if by >= 0 and by & (by + 1) == 0:
            return _remainder(value, by + 1, element)
        case _:
            return None
    quotient = value.affine.floordiv(divisor)
    return affine_value(quotient, element, Range(*(end // divisor for end in value.range)))


def _remainder(value: CValue, by: int, element: ElementType) -> CValue:
    assert value.affine is not None
    first, last = (end // by for end in value.range)
    if first == last:
        rest = value.affine - Affine.of(first * by)
        return affine_value(rest, element, Range(*(end % by for end in value.range)))
    return affine_value(value.affine.mod(by), element, Range(0, by - 1))


def _shifted(op: ir.BinaryOp, left: CValue, right: CValue) -> Extremum | None:
    """Return a choice plus or minus an affine value."""
    if op not in (ir.BinaryOp.ADD, ir.BinaryOp.SUB):
        return None
    if left.choice is not None and right.affine is not None:
        choice, by = left.choice, right.affine.scaled(1 if op is ir.BinaryOp.ADD else -1)
    elif right.choice is not None and left.affine is not None and op is ir.BinaryOp.ADD:
        choice, by = right.choice, left.affine
    else:
        return None
    return replace(choice, parts=tuple(part + by for part in choice.parts))


def _folded(op: ir.BinaryOp, left: CValue, right: CValue) -> CValue:
    """Return the constant that an operation on constants of one type gives."""
    element = left.element
    number = computed(op, left.constant or 0, right.constant or 0, element)
    if element.is_float:
        return real(number, element)
    result = wrapped(int(number), element)
    if element.is_signed and result != number:
        raise ConstantError(f"the result does not fit {element.value}")
    return integer(result, element)


LIBRARY: Mapping[str, tuple[ir.Function, ElementType | None]] = {
    **{function.c_name: (function, ElementType.DOUBLE) for function in ir.Function},
    **{f"{function.c_name}f": (function, ElementType.FLOAT) for function in ir.Function},
    "abs": (ir.Function.ABS, None),
    "labs": (ir.Function.ABS, ElementType.INT64),
    "max": (ir.Function.MAX, None),
    "min": (ir.Function.MIN, None),
}
"""Functions that need no definition, with the type that they compute in if it is always one."""


def library_call(name: str, arguments: Sequence[CValue]) -> CValue:
    """Return a call of one of `LIBRARY`; raises ConstantError for constants without result."""
    function, element = LIBRARY[name.removeprefix(OVERLOADED)]
    is_open = name.startswith(OVERLOADED) and all(one.element.is_float for one in arguments)
    if element is None or is_open:
        element = promoted(arguments[0].element)
        for argument in arguments[1:]:
            element = common_type(element, argument.element) or element
    operands = [converted_value(argument, element) for argument in arguments]
    numbers = [operand.constant for operand in operands]
    known = [number for number in numbers if number is not None]
    if len(known) == len(arguments):
        try:
            result = called(function, *known)
        except ConstantError:
            raise ConstantError(f"{function.value} has no value there") from None
        if element.is_float:
            return real(nearest(result, element), element)
        return integer(int(result), element)
    value = _composed(ir.Call(function, tuple(o.tree for o in operands)), element, *operands)
    is_choice = function in (ir.Function.MIN, ir.Function.MAX)
    if not is_choice or not all(argument.is_integer for argument in arguments):
        return value
    return replace(value, choice=least_or_greatest(function is ir.Function.MIN, *arguments))


def selected(condition: ir.Condition, size: int, then: CValue, otherwise: CValue) -> CValue:
    """Return ``condition ? then : otherwise``, in the common type of the two."""
    element = common_type(then.element, otherwise.element) or then.element
    if then.is_loose and otherwise.is_loose:
        then = converted_value(then, element) if then.constant is not None else then
        if otherwise.constant is not None:
            otherwise = converted_value(otherwise, element)
    else:
        then, otherwise = met(then, otherwise, element)
    result = _composed(ir.Select(condition, then.tree, otherwise.tree), element, then, otherwise)
    return replace(result, size=result.size + size)


def kept_value(value: CValue, kept: Subset, element: ElementType) -> CValue:
    """Return a value as a variable takes it whose type has some numbers of its element."""
    match kept:
        case Subset.ALL:
            return narrowed(value, element)
        case Subset.TRUTH:
            return _as_truth(value)
        case Subset.POSITIVE:
            return positive(value, element)


def _as_truth(value: CValue) -> CValue:
    """Return 1 where the value is not zero and 0 elsewhere, as conversion to bool does."""
    number = value.constant
    if number is not None:
        return integer(int(number != 0), ElementType.UINT8)
    match value.tree:
        case ir.Select(_, ir.Literal(1.0), ir.Literal(0.0)):
            return replace(value, element=ElementType.UINT8)
        case _:
            condition = ir.Compare(ir.CompareOp.NE, value.tree, ir.Literal(0.0))
    tree = ir.Select(condition, ir.Literal(1.0), ir.Literal(0.0))
    size, depth = value.size + 4, value.depth + 2
    return CValue(ElementType.UINT8, tree, is_loose=True, size=size, depth=depth)


def least_or_greatest(is_least: bool, *values: CValue) -> Extremum | None:
    """Return the minimum or maximum of affine values and of such minima or maxima."""
    parts: list[Affine] = []
    for value in values:
        if value.affine is not None:
            parts.append(value.affine)
        elif value.choice is not None and value.choice.is_least == is_least:
            parts.extend(value.choice.parts)
        else:
            return None
    return Extremum(is_least, tuple(dict.fromkeys(parts)))
