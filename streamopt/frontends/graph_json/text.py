"""Programs as text: statements in the syntax that the reader of statements reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, assert_never, cast

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compare,
    Expression,
    Function,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
    is_negation,
)
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamopt.ir.affine import Atom
    from streamopt.ir.element import ElementType
    from streamopt.ir.program import Statement

__all__ = ["document_text", "expression_text", "statement_texts"]

_SELECT, _OR, _AND, _COMPARE, _BIT_OR, _BIT_XOR, _BIT_AND, _SHIFT, _SUM, _PRODUCT, _UNARY, _ATOM = (
    range(12)
)
_LEVELS: Mapping[BinaryOp, int] = {
    BinaryOp.ADD: _SUM,
    BinaryOp.SUB: _SUM,
    BinaryOp.MUL: _PRODUCT,
    BinaryOp.DIV: _PRODUCT,
    BinaryOp.MOD: _PRODUCT,
    BinaryOp.SHL: _SHIFT,
    BinaryOp.SHR: _SHIFT,
    BinaryOp.AND: _BIT_AND,
    BinaryOp.XOR: _BIT_XOR,
    BinaryOp.OR: _BIT_OR,
}


def statement_texts(statement: Statement) -> Iterator[str]:
    """Yield the texts that read back as the statement: what a reduction starts from, then it."""
    target, value = _access_text(statement.target), _text(statement.value)[0]
    if statement.start is not None:
        yield f"{target} = {_text(statement.start)[0]}"
    guard = f"if {_text(statement.guard)[0]}: " if statement.guard is not None else ""
    match statement.reduction:
        case None:
            yield f"{guard}{target} = {value}"
        case Reduction.ADD | Reduction.MUL:
            yield f"{guard}{target} {statement.reduction}= {value}"
        case Reduction.MAX | Reduction.MIN:
            yield f"{guard}{target} = {statement.reduction}({target}, {value})"
        case _:
            assert_never(statement.reduction)


def expression_text(expression: Expression) -> str:
    """Return the text that reads back as the expression."""
    return _text(expression)[0]


def document_text(document: Mapping[str, object]) -> str:
    """Return a graph.json with one line for an array and two for a node.

    The document has the keys of `streamopt.frontends.graph_json.document.GraphDocument`.
    """
    fields: list[str] = []
    for key, value in document.items():
        match key:
            case "arrays":
                arrays = cast("Mapping[str, object]", value)
                lines = [f"    {json.dumps(name)}: {json.dumps(a)}" for name, a in arrays.items()]
                fields.append('  "arrays": {\n' + ",\n".join(lines) + "\n  }")
            case "nodes":
                nodes = cast("list[Mapping[str, object]]", value)
                fields.append('  "nodes": [\n' + ",\n".join(map(_node_text, nodes)) + "\n  ]")
            case _:
                fields.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _node_text(node: Mapping[str, object]) -> str:
    head = f'"name": {json.dumps(node["name"])}, "loops": {json.dumps(node["loops"])}'
    for key in ("sequential", "carries"):
        if key in node:
            head += f', "{key}": {json.dumps(node[key])}'
    return f'    {{{head},\n     "body": {json.dumps(node["body"])}}}'


def _text(expression: Expression) -> tuple[str, int]:
    """Return text and how tightly its outermost operation binds."""
    match expression:
        case Compare() | Logic() | Select():
            return _truth_text(expression)
        case Literal(value):
            return _number(value), _ATOM
        case Read(access):
            return _access_text(access), _ATOM
        case Index(value):
            return f"index({_affine_text(value)})", _ATOM
        case Cast(element, operand):
            return _cast_text(element, _text(operand)[0]), _ATOM
        case Binary(_, _, right) if is_negation(expression):
            return f"-{_at_least(_UNARY, right)}", _UNARY
        case Binary(op, left, right):
            level = _LEVELS[op]
            return f"{_at_least(level, left)} {op} {_at_least(level + 1, right)}", level
        case Call(Function.MAX, (value, Literal(0.0))):
            return f"relu({_text(value)[0]})", _ATOM
        case Call(function, arguments):
            return f"{function}({', '.join(_text(argument)[0] for argument in arguments)})", _ATOM
        case _:
            assert_never(expression)


def _truth_text(expression: Compare | Logic | Select) -> tuple[str, int]:
    match expression:
        case Compare(op, left, right):
            return f"{_side_text(left)} {op} {_side_text(right)}", _COMPARE
        case Logic(op, operands):
            level = _AND if op is LogicOp.AND else _OR
            return f" {op} ".join(_at_least(level + 1, part) for part in operands), level
        case Select(condition, then, otherwise):
            then_text, condition_text = _at_least(_BIT_OR, then), _text(condition)[0]
            return f"{then_text} if {condition_text} else {_text(otherwise)[0]}", _SELECT
        case _:
            assert_never(expression)


def _side_text(side: Expression) -> str:
    """Return one side of a comparison, where iterators need no ``index``."""
    if isinstance(side, Index) and side.value.terms:
        return _affine_text(side.value)
    return _at_least(_BIT_OR, side)


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _at_least(level: int, expression: Expression) -> str:
    text, own_level = _text(expression)
    return text if own_level >= level else f"({text})"


def _access_text(access: Access) -> str:
    return access.array + "".join(f"[{_affine_text(s)}]" for s in access.subscripts)


def _affine_text(value: Affine) -> str:
    parts = [_term_text(atom, factor) for atom, factor in value.terms]
    if value.constant or not parts:
        parts.append(str(value.constant))
    return " + ".join(parts).replace("+ -", "- ")


def _term_text(atom: Atom, factor: int) -> str:
    match atom:
        case Iter(name):
            text = name
        case FloorDiv(value, divisor):
            text = f"{_operand_text(value)} // {divisor}"
        case Mod(value, divisor):
            text = f"{_operand_text(value)} % {divisor}"
        case _:
            assert_never(atom)
    if factor == 1:
        return text
    wrapped = text if isinstance(atom, Iter) else f"({text})"
    return f"-{wrapped}" if factor == -1 else f"{factor}*{wrapped}"


def _operand_text(value: Affine) -> str:
    return value.as_iterator() or f"({_affine_text(value)})"


def _cast_text(element: ElementType, operand: str) -> str:
    """Return a conversion; of a fixed-point type, with its parameters behind the operand."""
    name, _, parameters = element.value.rstrip(">").partition("<")
    return f"{name}({operand}, {parameters})" if parameters else f"{name}({operand})"
