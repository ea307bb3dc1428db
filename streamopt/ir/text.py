"""Values as text: statements in the syntax of graph.json, conditions in isl's, tables in HTML.

Reading the text of a statement gives the statement again (`streamopt.formats.graph_json`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import assert_never

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine, Atom, FloorDiv, Iter, Mod
from streamopt.ir.element import ElementType
from streamopt.ir.operators import CompareOp, Reduction

_SELECT, _OR, _AND, _COMPARE, _BIT_OR, _BIT_XOR, _BIT_AND, _SHIFT, _SUM, _PRODUCT, _UNARY, _ATOM = (
    range(12)
)
_LEVELS: Mapping[ir.BinaryOp, int] = {
    ir.BinaryOp.ADD: _SUM,
    ir.BinaryOp.SUB: _SUM,
    ir.BinaryOp.MUL: _PRODUCT,
    ir.BinaryOp.DIV: _PRODUCT,
    ir.BinaryOp.MOD: _PRODUCT,
    ir.BinaryOp.SHL: _SHIFT,
    ir.BinaryOp.SHR: _SHIFT,
    ir.BinaryOp.AND: _BIT_AND,
    ir.BinaryOp.XOR: _BIT_XOR,
    ir.BinaryOp.OR: _BIT_OR,
}


def assignment_texts(
    target: ir.Access,
    value: ir.Expression,
    reduction: Reduction | None = None,
    start: ir.Expression | None = None,
    guard: ir.Condition | None = None,
) -> Iterator[str]:
    """Yield the texts that read back as a statement: what a reduction starts from, then it."""
    place, term = access_text(target), expression_text(value)
    if start is not None:
        yield f"{place} = {expression_text(start)}"
    condition = "" if guard is None else f"if {expression_text(guard)}: "
    match reduction:
        case None:
            yield f"{condition}{place} = {term}"
        case Reduction.ADD | Reduction.MUL:
            yield f"{condition}{place} {reduction}= {term}"
        case Reduction.MAX | Reduction.MIN:
            yield f"{condition}{place} = {reduction}({place}, {term})"
        case _:
            assert_never(reduction)


def expression_text(expression: ir.Expression) -> str:
    """Return the text that reads back as the expression."""
    return _text(expression)[0]


def _text(expression: ir.Expression) -> tuple[str, int]:
    """Return text and how tightly its outermost operation binds."""
    match expression:
        case ir.Compare() | ir.Logic() | ir.Select():
            return _truth_text(expression)
        case ir.Literal(value):
            return _number(value), _ATOM
        case ir.Read(access):
            return access_text(access), _ATOM
        case ir.Index(value):
            return f"index({affine_text(value)})", _ATOM
        case ir.Cast(element, operand):
            return _cast_text(element, _text(operand)[0]), _ATOM
        case ir.Binary(_, _, right) if ir.is_negation(expression):
            return f"-{_at_least(_UNARY, right)}", _UNARY
        case ir.Binary(op, left, right):
            level = _LEVELS[op]
            return f"{_at_least(level, left)} {op} {_at_least(level + 1, right)}", level
        case ir.Call(ir.Function.MAX, (value, ir.Literal(0.0))):
            return f"relu({_text(value)[0]})", _ATOM
        case ir.Call(function, arguments):
            return f"{function}({', '.join(_text(argument)[0] for argument in arguments)})", _ATOM
        case _:
            assert_never(expression)


def _truth_text(expression: ir.Compare | ir.Logic | ir.Select) -> tuple[str, int]:
    match expression:
        case ir.Compare(op, left, right):
            return f"{_side_text(left)} {op} {_side_text(right)}", _COMPARE
        case ir.Logic(op, operands):
            level = _AND if op is ir.LogicOp.AND else _OR
            return f" {op} ".join(_at_least(level + 1, part) for part in operands), level
        case ir.Select(condition, then, otherwise):
            then_text, condition_text = _at_least(_BIT_OR, then), _text(condition)[0]
            return f"{then_text} if {condition_text} else {_text(otherwise)[0]}", _SELECT
        case _:
            assert_never(expression)


def _side_text(side: ir.Expression) -> str:
    """Return one side of a comparison, where iterators need no ``index``."""
    if isinstance(side, ir.Index) and side.value.terms:
        return affine_text(side.value)
    return _at_least(_BIT_OR, side)


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _at_least(level: int, expression: ir.Expression) -> str:
    text, own_level = _text(expression)
    return text if own_level >= level else f"({text})"


def access_text(access: ir.Access) -> str:
    """Return the text that reads back as an element of an array."""
    return access.array + "".join(f"[{affine_text(s)}]" for s in access.subscripts)


def affine_text(value: Affine) -> str:
    """Return the text that reads back as a sum of iterators."""
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
    return value.as_iterator() or f"({affine_text(value)})"


def _cast_text(element: ElementType, operand: str) -> str:
    """Return a conversion; of a fixed-point type, with its parameters behind the operand."""
    name, _, parameters = element.value.rstrip(">").partition("<")
    return f"{name}({operand}, {parameters})" if parameters else f"{name}({operand})"


_ISL_COMPARISONS: Mapping[CompareOp, str] = {
    **{op: op.value for op in CompareOp},
    CompareOp.EQ: "=",
}


def isl_affine(value: Affine, names: Mapping[str, str]) -> str:
    """Return an affine expression in isl's notation, its iterators under other names."""
    parts: list[str] = []
    for atom, factor in value.terms:
        match atom:
            case Iter(name):
                text = names[name]
            case FloorDiv(inner, divisor):
                text = f"floor(({isl_affine(inner, names)})/{divisor})"
            case Mod(inner, divisor):
                text = f"(({isl_affine(inner, names)}) mod {divisor})"
            case _:
                assert_never(atom)
        parts.append(f"{factor}*{text}")
    return " + ".join([*parts, str(value.constant)])


def isl_condition(condition: ir.Condition, names: Mapping[str, str]) -> str:
    """Return an affine condition in isl's notation, its iterators under other names."""
    match condition:
        case ir.Compare(op, left, right):
            sides = _isl_side(left, names), _isl_side(right, names)
            return f"({sides[0]} {_ISL_COMPARISONS[op]} {sides[1]})"
        case ir.Logic(op, operands):
            joint = " and " if op is ir.LogicOp.AND else " or "
            return f"({joint.join(isl_condition(operand, names) for operand in operands)})"
        case _:
            assert_never(condition)


def _isl_side(side: ir.Expression, names: Mapping[str, str]) -> str:
    match side:
        case ir.Index(value):
            return isl_affine(value, names)
        case ir.Literal(value):
            return str(int(value))
        case _:
            raise AssertionError(side)


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; whole numbers get separators of thousands and stand to the right.

    Examples
    --------
    >>> html_table("t", ("a",), [(1234,)])
    '<table><caption>t</caption><tr><th>a</th></tr><tr><td align="right">1,234</td></tr></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    top = f"<tr>{head}</tr>" if header else ""
    return f"<table><caption>{escape(caption)}</caption>{top}{body}</table>"


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f'<td align="right">{value:,}</td>'
    return f"<td>{escape(str(value))}</td>"
