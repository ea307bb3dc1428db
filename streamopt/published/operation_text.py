"""Operations as text: to the operators that they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.network import Operation, Operator
from streamopt.published.c_text import Apply, CTextError, Name, Number, parse_c

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamopt.ir.element import ElementType
    from streamopt.published.c_text import Tree
    from streamopt.published.document import OperationDocument

__all__ = ["UNKNOWN", "read_operations"]

UNKNOWN = Operator.ADD
"""What a function that nobody knows is taken for: an operator of ordinary length."""

_SIGNS: Mapping[str, Operator] = {
    "+": Operator.ADD,
    "-": Operator.SUB,
    "*": Operator.MUL,
    "/": Operator.DIV,
    "%": Operator.MOD,
    **dict.fromkeys(("<<", ">>", "&", "|", "^", "~"), Operator.BITS),
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), Operator.COMPARE),
    **dict.fromkeys(("&&", "||", "!"), Operator.LOGIC),
    "?:": Operator.SELECT,
    "cast": Operator.COPY,
}
_FUNCTIONS: Mapping[str, Operator] = {
    **{op.value: op for op in Operator},
    **{
        "max": Operator.MAX,
        "min": Operator.MIN,
        "relu": Operator.MAX,
        "recip": Operator.RECIPROCAL,
    },
    **{"cmp": Operator.COMPARE, "neg": Operator.NEGATE, "rem": Operator.MOD},
    **{"mv": Operator.COPY, "const": Operator.COPY, "sitofp": Operator.CAST},
    **dict.fromkeys(("fptosi", "uitofp", "fpext", "fptrunc", "trunc", "sext"), Operator.CAST),
}


def read_operations(document: OperationDocument, element: ElementType) -> tuple[Operation, ...]:
    """Return the operations of ``dst = expr``, innermost first; the last one makes ``dst``.

    Names of the values between them are made of ``dst``. An expression that can't be read is one
    operator by the operation's name, on the names that stand in it.
    """
    result = document.dst or "_"
    try:
        tree = parse_c(document.expr or "")
    except CTextError:
        operands = tuple(_names_in(document.expr or ""))
        return (Operation(_function(document.op), element, operands, result),)
    found: list[Operation] = []
    value = _lowered(tree, result, element, found)
    if not found or found[-1].result != result:
        found.append(Operation(Operator.COPY, element, (value,), result))
    return tuple(found)


def _names_in(text: str) -> Iterator[str]:
    word = "".join(c if c.isalnum() or c == "_" else " " for c in text)
    yield from (name for name in word.split() if not name[0].isdigit())


def _function(name: str) -> Operator:
    """Return the operator of a function: ``exp``, ``expf``, ``fexp`` and ``std::exp`` are one."""
    for candidate in (name, name.removesuffix("f"), name.removeprefix("f")):
        if candidate in _FUNCTIONS:
            return _FUNCTIONS[candidate]
    return UNKNOWN


def _lowered(tree: Tree, result: str, element: ElementType, found: list[Operation]) -> str:
    """Return the name of a tree's value, its operations put behind those found."""
    match tree:
        case Number(value):
            return str(value)
        case Name(name):
            return name
        case Apply("cast", (inner,)):
            return _lowered(inner, result, element, found)
        case Apply(function, operands):
            names = tuple(
                _lowered(operand, f"{result}.{place}", element, found)
                for place, operand in enumerate(operands)
            )
            if function in ("rsqrt", "frsqrt"):
                found.append(Operation(Operator.SQRT, element, names, f"{result}.sqrt"))
                function, names = "recip", (f"{result}.sqrt",)
            found.append(Operation(_operator(function, len(names)), element, names, result))
            return result


def _operator(function: str, arity: int) -> Operator:
    if function == "-" and arity == 1:
        return Operator.NEGATE
    return _SIGNS.get(function) or _function(function)
