"""Expressions of C in the texts of a design file: subscripts, guards and operations.

Generated code writes arithmetic, comparisons, connectives, ``?:``, calls and casts. Subscripts,
assignments and pointers have no place in these texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from streamopt.ir.affine import LARGEST, Affine, NotAffine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    BinaryOp,
    Compare,
    CompareOp,
    Condition,
    Index,
    Literal,
    Logic,
    LogicOp,
    negated,
    of_affine,
)
from streamopt.ir.network import Operation
from streamopt.ir.operators import Operator

if TYPE_CHECKING:
    from streamopt.published.document import DesignOperation

UNKNOWN = Operator.ADD
"""Stands for an unknown function: an operator of ordinary length."""

_MOST_CHARACTERS = 4000
_DEEPEST = 50
_FOREIGN = re.compile(r"[^\w.\s+\-*/%<>=!~&|^?:(),]|(?<![<>=!])=(?!=)|[<>]{2}=")
_WORDS = {"and": "&&", "or": "||", "not": "!"}
"""C++'s other spellings."""
_TYPE = r"(?:(?:un)?signed|u?int(?:\d+_t)?|long|short|char|bool|float|double|half|size_t)"
_CAST = re.compile(rf"\(\s*{_TYPE}(?:\s+{_TYPE})*\s*\)")
_NEVER_NEGATIVE = (0, LARGEST)
CONNECTIVES = {"&&": LogicOp.AND, "||": LogicOp.OR}
COMPARISONS = frozenset(op.value for op in CompareOp)
SIGNS: Mapping[str, Operator] = {
    "+": Operator.ADD,
    "-": Operator.SUB,
    "*": Operator.MUL,
    "/": Operator.DIV,
    "%": Operator.MOD,
    **dict.fromkeys(("<<", ">>", "&", "|", "^", "~"), Operator.BITS),
    **dict.fromkeys(COMPARISONS, Operator.COMPARE),
    **dict.fromkeys(("&&", "||", "!"), Operator.LOGIC),
    "?:": Operator.SELECT,
}
FUNCTIONS: Mapping[str, Operator] = {
    **{op.value: op for op in Operator},
    **{"relu": Operator.MAX, "recip": Operator.RECIPROCAL},
    **{"cmp": Operator.COMPARE, "neg": Operator.NEGATE, "rem": Operator.MOD},
    **{"mv": Operator.COPY, "const": Operator.COPY, "sitofp": Operator.CAST},
    **dict.fromkeys(("fptosi", "uitofp", "fpext", "fptrunc", "trunc", "sext"), Operator.CAST),
}


class CTextError(Exception):
    """A text that isn't such an expression; says why."""


class NotAffineError(Exception):
    """A text that is an expression, but not of the iterators alone; says which part."""


@lru_cache(maxsize=4096)
def parse_c(text: str) -> c_ast.Node:
    """Return the tree of an expression, of which `number` and `operands` tell the parts.

    Raises
    ------
    CTextError
        If it isn't one.
    """
    if len(text) > _MOST_CHARACTERS:
        raise CTextError(f"it has more than {_MOST_CHARACTERS} characters")
    foreign = _FOREIGN.search(text)
    if foreign is not None:
        raise CTextError(f"{foreign[0]!r} is not expected here")
    plain = re.sub(r"\b(and|or|not)\b", lambda word: _WORDS[word[0]], text)
    plain = _CAST.sub("(int)", re.sub(r"\b\w+::", "", plain))
    try:
        (declared,) = CParser().parse(f"int _ = ({plain}\n);").ext
    except (ParseError, ValueError) as error:
        raise CTextError(str(error).rpartition(": ")[2] or "it ends early") from None
    except RecursionError:
        raise CTextError("it is nested too deeply") from None
    assert isinstance(declared, c_ast.Decl)
    assert declared.init is not None
    _check(declared.init)
    return declared.init


def _check(tree: c_ast.Node) -> None:
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > _DEEPEST:
            raise CTextError("it is nested too deeply")
        match node:
            case c_ast.Constant():
                number(node)
            case c_ast.ID():
                pass
            case _:
                waiting += [(part, depth + 1) for part in operands(node)[1]]


def number(constant: c_ast.Constant) -> float:
    """Return the value of a literal; a whole number is an int."""
    text = constant.value.rstrip("fFlLuU")
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        raise CTextError(f"{constant.value!r} is not expected here") from None


def operands(node: c_ast.Node) -> tuple[str, tuple[c_ast.Node, ...]]:
    """Return the operator or function of a node, ``?:`` and ``cast`` among them, and operands."""
    match node:
        case c_ast.BinaryOp(op=sign, left=left, right=right):
            return sign, (left, right)
        case c_ast.UnaryOp(op="-" | "+" | "!" | "~" as sign, expr=inner):
            return sign, (inner,)
        case c_ast.TernaryOp(cond=condition, iftrue=then, iffalse=otherwise):
            return "?:", (condition, then, otherwise)
        case c_ast.Cast(expr=inner):
            return "cast", (inner,)
        case c_ast.FuncCall(name=c_ast.ID(name=name), args=arguments):
            return name, () if arguments is None else tuple(arguments.exprs)
        case _:
            raise CTextError(f"{type(node).__name__} has no place in it")


def read_subscript(text: str, iterators: Sequence[str]) -> Affine:
    """Return the affine expression that a text stands for, its terms in loop order.

    Raises
    ------
    CTextError
        If it isn't an expression.
    NotAffineError
        If it is no sum of iterators times constants, with divisions and remainders by constants.
    """
    return _affine(parse_c(text), frozenset(iterators)).ordered(iterators)


def read_guard(text: str, iterators: Sequence[str]) -> Condition:
    """Return the condition that a text stands for; raises as `read_subscript`."""
    return _condition(parse_c(text), iterators)


def _condition(tree: c_ast.Node, iterators: Sequence[str]) -> Condition:
    match tree:
        case c_ast.UnaryOp(op="!", expr=inner):
            return negated(_condition(inner, iterators))
        case c_ast.BinaryOp(op="&&" | "||" as sign, left=left, right=right):
            sides = _condition(left, iterators), _condition(right, iterators)
            return Logic(CONNECTIVES[sign], sides)
        case c_ast.BinaryOp(op=sign, left=left, right=right) if sign in COMPARISONS:
            return Compare(CompareOp(sign), _side(left, iterators), _side(right, iterators))
        case _:
            return Compare(CompareOp.NE, _side(tree, iterators), Literal(0))


def _side(tree: c_ast.Node, iterators: Sequence[str]) -> Index | Literal:
    return of_affine(_affine(tree, frozenset(iterators)).ordered(iterators))


def _affine(tree: c_ast.Node, iterators: frozenset[str]) -> Affine:
    match tree:
        case c_ast.Constant():
            value = number(tree)
            if not isinstance(value, int):
                raise CTextError("it is not a whole number")
            return Affine.of(value)
        case c_ast.ID(name=name) if name in iterators:
            return Affine.iterator(name)
        case c_ast.ID(name=name):
            raise NotAffineError(f"'{name}' is no iterator")
        case _:
            return _combined(*operands(tree), iterators)


def _combined(sign: str, parts: Sequence[c_ast.Node], iterators: frozenset[str]) -> Affine:
    if sign not in ("+", "-", "*", "/", "%", "cast"):
        raise NotAffineError(f"'{sign}' has no place in it")
    first, *others = (_affine(part, iterators) for part in parts)
    if not others:
        return first.scaled(-1) if sign == "-" else first
    combined = first.combined(BinaryOp(sign), others[0], _NEVER_NEGATIVE)
    if isinstance(combined, NotAffine):
        raise NotAffineError(f"'{sign}' is not by a positive constant")
    return combined


def read_operations(document: DesignOperation, element: ElementType) -> tuple[Operation, ...]:
    """Return the operations of ``dst = expr``, innermost first; the last one makes ``dst``.

    Names of the values between them are made of ``dst``. An expression that can't be read is one
    operator by the operation's name, on the names that stand in it.
    """
    result = document.dst or "_"
    try:
        tree = parse_c(document.expr or "")
    except CTextError:
        names = tuple(_names_in(document.expr or ""))
        return (Operation(operator_named(document.op), element, names, result),)
    found: list[Operation] = []
    value = _lowered(tree, result, element, found)
    if not found or found[-1].result != result:
        found.append(Operation(Operator.COPY, element, (value,), result))
    return tuple(found)


def _names_in(text: str) -> Iterator[str]:
    word = "".join(c if c.isalnum() or c == "_" else " " for c in text)
    yield from (name for name in word.split() if not name[0].isdigit())


def operator_named(name: str) -> Operator:
    """Return the operator of a function: ``exp``, ``expf``, ``fexp`` and ``std::exp`` are one."""
    bare = name.removeprefix("f")
    for candidate in (name, name.removesuffix("f"), bare, bare.removesuffix("f")):
        if candidate in FUNCTIONS:
            return FUNCTIONS[candidate]
    return UNKNOWN


def _lowered(tree: c_ast.Node, result: str, element: ElementType, found: list[Operation]) -> str:
    """Return the name of a tree's value, its operations put behind those found."""
    match tree:
        case c_ast.Constant():
            return str(number(tree))
        case c_ast.ID(name=name):
            return name
        case c_ast.Cast(expr=inner) | c_ast.UnaryOp(op="+", expr=inner):
            return _lowered(inner, result, element, found)
        case _:
            function, parts = operands(tree)
    names = tuple(
        _lowered(part, f"{result}.{place}", element, found) for place, part in enumerate(parts)
    )
    if function in ("rsqrt", "frsqrt"):
        found.append(Operation(Operator.SQRT, element, names, f"{result}.sqrt"))
        function, names = "recip", (f"{result}.sqrt",)
    is_sign = isinstance(tree, c_ast.UnaryOp) and function == "-"
    operator = Operator.NEGATE if is_sign else SIGNS.get(function) or operator_named(function)
    found.append(Operation(operator, element, names, result))
    return result
