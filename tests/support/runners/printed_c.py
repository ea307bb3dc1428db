"""A source printed as C that says every conversion: what it means, for the system's compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.arithmetic import expression_type
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    Function,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
)
from streamopt.ir.source import Assign, Branch, RangeLoop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Access, Condition, Expression
    from streamopt.ir.source import Item, Source

__all__ = ["printed"]

PROLOGUE = """#include <math.h>
#include <stdint.h>
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define GREATEST(a, b) ((a) > (b) ? (a) : (b))
"""


def printed(source: Source) -> str:
    """Return a function ``run`` that takes a pointer for each argument, in their order."""
    lines = [PROLOGUE, "void run(void **p) {"]
    for variable in source.variables:
        extents = "".join(f"[{extent}]" for extent in variable.shape)
        if variable.is_argument:
            position = [v.name for v in source.variables if v.is_argument].index(variable.name)
            lines.append(f"{variable.element} (*_{variable.name}){extents} = p[{position}];")
        else:
            init = ""
            if variable.name in source.values:
                numbers = ", ".join(repr(n) for n in source.values[variable.name].ravel().tolist())
                init = f" = {{{numbers}}}"
            lines.append(f"static {variable.element} v_{variable.name}{extents}{init};")
            lines.append(f"{variable.element} (*_{variable.name}){extents} = &v_{variable.name};")
    types = {variable.name: variable.element for variable in source.variables}
    lines += [_item(item, types) for item in source.body]
    return "\n".join([*lines, "}", ""])


def _item(item: Item, types: dict[str, ElementType]) -> str:
    match item:
        case RangeLoop(iterator, lower, upper, body):
            first, last = _bound("GREATEST", lower), _bound("LEAST", upper)
            inner = "\n".join(_item(part, types) for part in body)
            head = f"for (int {iterator} = {first}; {iterator} < {last}; {iterator}++)"
            return f"{head} {{\n{inner}\n}}"
        case Branch(condition, then, otherwise):
            parts = ["\n".join(_item(part, types) for part in body) for body in (then, otherwise)]
            return (
                f"if ({_text(condition, None, types)}) {{\n{parts[0]}\n}} else {{\n{parts[1]}\n}}"
            )
        case Assign(target, value):
            element = types[target.array]
            own = expression_type(value, types.__getitem__)
            return f"{_access(target)} = ({element})({_text(value, own or element, types)});"


def _bound(function: str, parts: Sequence[Affine]) -> str:
    text = str(parts[0])
    for part in parts[1:]:
        text = f"{function}({text}, {part})"
    return text


def _access(access: Access) -> str:
    return f"(*_{access.array})" + "".join(f"[{subscript}]" for subscript in access.subscripts)


def _text(value: Expression, wanted: ElementType | None, types: dict[str, ElementType]) -> str:
    """Return C for an expression, converted to the wanted type."""
    own = expression_type(value, types.__getitem__) or wanted or ElementType.INT32
    match value:
        case Literal(number):
            is_whole = not own.is_float
            return f"(({own}){int(number) if is_whole else repr(number)})"
        case Read(access):
            text = _access(access)
        case Index(affine):
            text = f"({affine})"
        case Cast(element, operand):
            inner = expression_type(operand, types.__getitem__) or element
            text = f"(({element}){_text(operand, inner, types)})"
        case Binary(op, left, right):
            text = f"({_text(left, own, types)} {op} {_text(right, own, types)})"
            if op in (BinaryOp.SHL, BinaryOp.SHR):
                text = f"({_text(left, own, types)} {op} {_text(right, None, types)})"
        case Select(condition, then, otherwise):
            text = f"({_text(condition, None, types)} ? {_text(then, own, types)}"
            text += f" : {_text(otherwise, own, types)})"
        case Compare() | Logic():
            text = _truth(value, types)
        case Call(function, arguments):
            text = _call(function, [_text(part, own, types) for part in arguments], own)
    return f"(({wanted}){text})" if wanted is not None and wanted != own else text


def _truth(condition: Condition, types: dict[str, ElementType]) -> str:
    match condition:
        case Compare(op, left, right):
            both = expression_type(Binary(BinaryOp.ADD, left, right), types.__getitem__)
            return f"({_text(left, both, types)} {op} {_text(right, both, types)})"
        case Logic(op, operands):
            joint = " && " if op == LogicOp.AND else " || "
            return f"({joint.join(_text(part, None, types) for part in operands)})"


def _call(function: Function, arguments: list[str], element: ElementType) -> str:
    suffix = "f" if element == ElementType.FLOAT else ""
    name = function.value
    if not element.is_float:
        names = {Function.ABS: "llabs", Function.MAX: "GREATEST", Function.MIN: "LEAST"}
        name, suffix = names[function], ""
    elif function in (Function.ABS, Function.MAX, Function.MIN):
        name = f"f{name}"
    return f"{name}{suffix}({', '.join(arguments)})"
