"""Values of `ir` as text: statements and sources, in the syntax that graph.json has.

Reading the text of a statement gives the statement again (`streamopt.formats.graph_json`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

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
from streamopt.ir.source import Assign, Branch, RangeLoop

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.affine import Atom
    from streamopt.ir.element import ElementType
    from streamopt.ir.program import Statement
    from streamopt.ir.source import Item

__all__ = ["expression_text", "source_text", "statement_texts"]

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


def source_text(body: Sequence[Item], notes: Mapping[str, str]) -> str:
    """Return loops and statements as text, two columns a level.

    Parameters
    ----------
    notes
        By iterator: what is said behind the head of its loop.
    """
    return "\n".join(_lines(body, "", notes))


def _lines(items: Sequence[Item], indent: str, notes: Mapping[str, str]) -> Iterator[str]:
    for item in items:
        match item:
            case RangeLoop(iterator, lower, upper, body):
                low, high = _bound("max", lower), _bound("min", upper)
                head = f"{indent}for ({iterator} = {low}; {iterator} < {high}; {iterator}++)"
                note = notes.get(iterator, "")
                yield f"{head}  // {note}" if note else head
                yield from _lines(body, f"{indent}  ", notes)
            case Branch(condition, then, otherwise):
                yield f"{indent}if ({expression_text(condition)})"
                yield from _lines(then, f"{indent}  ", notes)
                if otherwise:
                    yield f"{indent}else"
                    yield from _lines(otherwise, f"{indent}  ", notes)
            case Assign():
                yield f"{indent}{_assignment(item)}"


def _bound(function: str, bounds: Sequence[Affine]) -> str:
    if len(bounds) == 1:
        return str(bounds[0])
    return f"{function}({', '.join(map(str, bounds))})"


def _assignment(assign: Assign) -> str:
    label = f"{assign.label}: " if assign.label else ""
    match assign.value:
        case Binary(BinaryOp.ADD | BinaryOp.MUL as op, Read(access), term) if (
            access == assign.target
        ):
            return f"{label}{assign.target} {op}= {expression_text(term)}"
        case _:
            return f"{label}{assign.target} = {expression_text(assign.value)}"
