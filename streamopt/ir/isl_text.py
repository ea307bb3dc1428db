"""Affine expressions and conditions in the notation of isl."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from streamopt.ir.affine import FloorDiv, Iter, Mod
from streamopt.ir.expression import Compare, CompareOp, Index, Literal, Logic, LogicOp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Condition, Expression

__all__ = ["affine_text", "condition_text"]

_OPERATORS: Mapping[CompareOp, str] = {
    **{op: op.value for op in CompareOp},
    CompareOp.EQ: "=",
}


def affine_text(value: Affine, names: Mapping[str, str]) -> str:
    """Return an affine expression with its iterators under other names."""
    parts: list[str] = []
    for atom, factor in value.terms:
        match atom:
            case Iter(name):
                text = names[name]
            case FloorDiv(inner, divisor):
                text = f"floor(({affine_text(inner, names)})/{divisor})"
            case Mod(inner, divisor):
                text = f"(({affine_text(inner, names)}) mod {divisor})"
            case _:
                assert_never(atom)
        parts.append(f"{factor}*{text}")
    return " + ".join([*parts, str(value.constant)])


def condition_text(condition: Condition, names: Mapping[str, str]) -> str:
    """Return an affine condition with its iterators under other names."""
    match condition:
        case Compare(op, left, right):
            sides = _side(left, names), _side(right, names)
            return f"({sides[0]} {_OPERATORS[op]} {sides[1]})"
        case Logic(op, operands):
            joint = " and " if op is LogicOp.AND else " or "
            return f"({joint.join(condition_text(operand, names) for operand in operands)})"
        case _:
            assert_never(condition)


def _side(side: Expression, names: Mapping[str, str]) -> str:
    match side:
        case Index(value):
            return affine_text(value, names)
        case Literal(value):
            return str(int(value))
        case _:
            raise AssertionError(side)
