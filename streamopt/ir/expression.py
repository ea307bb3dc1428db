"""Expression trees: what a statement computes from array elements and literals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias, assert_never

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.affine import Affine

__all__ = [
    "Access",
    "Binary",
    "BinaryOp",
    "Call",
    "Compare",
    "CompareOp",
    "Expression",
    "Function",
    "Literal",
    "Read",
    "Select",
    "children",
    "reads",
    "rebuild",
    "walk",
]


@dataclass(frozen=True, slots=True)
class Access:
    """An access function: which element of an array an iteration touches ([1] section 3.4)."""

    array: str
    subscripts: tuple[Affine, ...]

    def iterators(self) -> tuple[str, ...]:
        """Return the iterators in the subscripts, each once, in order of first appearance."""
        return tuple(dict.fromkeys(name for s in self.subscripts for name in s.iterators()))

    def __str__(self) -> str:
        """Return C-like text, for instance ``A[i][k + 1]``."""
        return self.array + "".join(f"[{subscript}]" for subscript in self.subscripts)


class BinaryOp(StrEnum):
    """Arithmetic on two operands."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"


class CompareOp(StrEnum):
    """Comparisons; only inside the condition of a select."""

    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    EQ = "=="
    NE = "!="


class Function(StrEnum):
    """Functions that a statement may call; MAX and MIN take two arguments, the rest one."""

    EXP = "exp"
    LOG = "log"
    SQRT = "sqrt"
    TANH = "tanh"
    ERF = "erf"
    ABS = "abs"
    MAX = "max"
    MIN = "min"


@dataclass(frozen=True, slots=True)
class Literal:
    """A number."""

    value: float


@dataclass(frozen=True, slots=True)
class Read:
    """The value of an array element."""

    access: Access


@dataclass(frozen=True, slots=True)
class Binary:
    """``left op right``; a negation is ``0 - x``."""

    op: BinaryOp
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """A function of one or two arguments."""

    function: Function
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right`` as a truth value."""

    op: CompareOp
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Select:
    """``then if condition else otherwise``."""

    condition: Compare
    then: Expression
    otherwise: Expression


Expression: TypeAlias = Literal | Read | Binary | Call | Compare | Select


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct operands, left to right."""
    match expression:
        case Literal() | Read():
            return ()
        case Binary(_, left, right) | Compare(_, left, right):
            return (left, right)
        case Call(_, arguments):
            return arguments
        case Select(condition, then, otherwise):
            return (condition, then, otherwise)
        case _:
            assert_never(expression)


def rebuild(expression: Expression, operands: tuple[Expression, ...]) -> Expression:
    """Return the same operation on other operands; the inverse of `children`."""
    match expression:
        case Literal() | Read():
            return expression
        case Binary(op):
            return Binary(op, *operands)
        case Compare(op):
            return Compare(op, *operands)
        case Call(function):
            return Call(function, operands)
        case Select():
            condition, then, otherwise = operands
            assert isinstance(condition, Compare)
            return Select(condition, then, otherwise)
        case _:
            assert_never(expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and all its operands, depth first, left to right."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def reads(expression: Expression) -> tuple[Access, ...]:
    """Return the distinct accesses read, in order of first appearance."""
    found = (node.access for node in walk(expression) if isinstance(node, Read))
    return tuple(dict.fromkeys(found))
