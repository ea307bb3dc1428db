"""C as this front end sees it: typed nodes with places, made from pycparser's tree.

Nodes are equal where they are the same: nothing compares them, and classes without comparison
take less time to make.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.errors import SourceLoc
    from streamopt.ir.element import ElementType

__all__ = [
    "Assignment",
    "Block",
    "Call",
    "Comma",
    "Continue",
    "Conversion",
    "Declaration",
    "Designated",
    "Evaluate",
    "ForLoop",
    "Function",
    "IfElse",
    "Increment",
    "Initializers",
    "Labelled",
    "Name",
    "Node",
    "Number",
    "Operation",
    "Return",
    "SizeOf",
    "Statement",
    "Subscript",
    "Ternary",
    "TypeUse",
    "Unary",
    "Unit",
    "Unsupported",
]


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """A variable, or the name of a constant."""

    name: str
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A literal of C's type for it."""

    value: int | float
    element: ElementType
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Subscript:
    """``base[index]``."""

    base: Node
    index: Node
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Unary:
    """One of ``+ - ! ~ & *`` before an operand."""

    op: str
    operand: Node
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Increment:
    """``x++`` and its kin; by is 1 or -1."""

    operand: Node
    by: int
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """``left op right``: arithmetic, comparison or connective."""

    op: str
    left: Node
    right: Node
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """``target = value``, or ``target op= value`` where op is not empty."""

    op: str
    target: Node
    value: Node
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call of a function by its name."""

    function: str
    arguments: tuple[Node, ...]
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Conversion:
    """``(type)operand``."""

    type: TypeUse
    operand: Node
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Ternary:
    """``condition ? then : otherwise``."""

    condition: Node
    then: Node
    otherwise: Node
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Comma:
    """Expressions one after another; the last one is the value."""

    parts: tuple[Node, ...]
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Initializers:
    """``{a, b, ...}``."""

    parts: tuple[Node, ...]
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Designated:
    """``[i][j] = value`` in braces."""

    path: tuple[Node, ...]
    value: Node
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class SizeOf:
    """``sizeof operand`` or ``sizeof(type)``."""

    operand: Node | TypeUse
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Unsupported:
    """An expression or statement that has no meaning here: what it is and what to do."""

    what: str
    hint: str
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class TypeUse:
    """A type as declared.

    Attributes
    ----------
    element
        Type of a scalar or of the elements; None for void, structures and functions.
    text
        The element's type in C.
    extents
        Extents, outermost first; None for a pointer and for ``[]``.
    is_pointer
        Whether the first of them is a pointer.
    is_reference
        Whether that is a reference of C++.
    """

    element: ElementType | None
    text: str
    extents: tuple[Node | None, ...] = ()
    is_pointer: bool = False
    is_const: bool = False
    is_bool: bool = False
    is_reference: bool = False

    @property
    def is_integer(self) -> bool:
        """Return whether it is a whole number by itself."""
        return self.element is not None and not self.element.is_float and not self.extents


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """A variable or parameter."""

    name: str
    type: TypeUse
    value: Node | None
    is_static: bool
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Statements with a scope of their own."""

    items: tuple[Statement, ...]
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class ForLoop:
    """``for (first; condition; step) body``; what is left out is None."""

    first: Statement | None
    condition: Node | None
    step: Node | None
    body: Statement
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class IfElse:
    """``if (condition) then else otherwise``."""

    condition: Node
    then: Statement
    otherwise: Statement | None
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Evaluate:
    """An expression for its effects."""

    value: Node
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Return:
    """``return value;``."""

    value: Node | None
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Continue:
    """``continue;``."""

    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """``name: body``."""

    name: str
    body: Statement
    loc: SourceLoc


Node: TypeAlias = (
    Name
    | Number
    | Subscript
    | Unary
    | Increment
    | Operation
    | Assignment
    | Call
    | Conversion
    | Ternary
    | Comma
    | Initializers
    | Designated
    | SizeOf
    | Unsupported
)
Statement: TypeAlias = (
    Block | Declaration | ForLoop | IfElse | Evaluate | Return | Continue | Labelled | Unsupported
)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function with a body."""

    name: str
    parameters: tuple[Declaration, ...]
    returns: TypeUse
    body: Block
    has_scop: bool
    loc: SourceLoc


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A file: its functions, its global variables and the values of its enumerators."""

    functions: Mapping[str, Function]
    variables: tuple[Declaration, ...]
    enumerators: Mapping[str, Node] = field(default_factory=dict[str, Node])
