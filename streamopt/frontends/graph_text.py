"""Programs as text: statements in the syntax that `streamopt.frontends.statements` reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, assert_never, cast

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Compare,
    Expression,
    Function,
    Literal,
    Read,
    Select,
)
from streamopt.ir.program import Reduction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.affine import Atom
    from streamopt.ir.program import Statement

__all__ = ["document_text", "statement_text"]

_SELECT, _SUM, _PRODUCT, _UNARY, _ATOM = range(5)
_LEVELS: Mapping[BinaryOp, int] = {
    BinaryOp.ADD: _SUM,
    BinaryOp.SUB: _SUM,
    BinaryOp.MUL: _PRODUCT,
    BinaryOp.DIV: _PRODUCT,
}


def statement_text(statement: Statement) -> str:
    """Return the text that reads back as the statement."""
    target, value = _access_text(statement.target), _text(statement.value)[0]
    match statement.reduction:
        case None:
            return f"{target} = {value}"
        case Reduction.ADD | Reduction.MUL:
            return f"{target} {statement.reduction}= {value}"
        case Reduction.MAX | Reduction.MIN:
            return f"{target} = {statement.reduction}({target}, {value})"
        case _:
            assert_never(statement.reduction)


def document_text(document: Mapping[str, object]) -> str:
    """Return a graph.json with one line for an array and two for a node.

    The document has the keys of `streamopt.frontends.document.GraphDocument`.
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
    return f'    {{{head},\n     "body": {json.dumps(node["body"])}}}'


def _text(expression: Expression) -> tuple[str, int]:
    """Return text and how tightly its outermost operation binds."""
    match expression:
        case Literal(value):
            return _number(value), _ATOM
        case Read(access):
            return _access_text(access), _ATOM
        case Binary(BinaryOp.SUB, Literal(0.0), right):
            return f"-{_at_least(_UNARY, right)}", _UNARY
        case Binary(op, left, right):
            level = _LEVELS[op]
            return f"{_at_least(level, left)} {op} {_at_least(level + 1, right)}", level
        case Call(Function.MAX, (value, Literal(0.0))):
            return f"relu({_text(value)[0]})", _ATOM
        case Call(function, arguments):
            return f"{function}({', '.join(_text(argument)[0] for argument in arguments)})", _ATOM
        case Compare(op, left, right):
            return f"{_at_least(_SUM, left)} {op} {_at_least(_SUM, right)}", _SELECT
        case Select(condition, then, otherwise):
            then_text, condition_text = _at_least(_SUM, then), _text(condition)[0]
            return f"{then_text} if {condition_text} else {_text(otherwise)[0]}", _SELECT
        case _:
            assert_never(expression)


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
