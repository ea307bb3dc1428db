"""Declared types: from pycparser's declarators to element types and extents."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from pycparser import c_ast as ast

from streamopt.errors import SourceLoc
from streamopt.frontends.c.syntax.trees import parts_of
from streamopt.frontends.c.text.places import Places
from streamopt.ir.element import ElementType

_ELEMENTS: Mapping[str, ElementType] = {
    "_Bool": ElementType.UINT8,
    "char": ElementType.INT8,
    "char signed": ElementType.INT8,
    "char unsigned": ElementType.UINT8,
    "double": ElementType.DOUBLE,
    "float": ElementType.FLOAT,
    "float short": ElementType.HALF,  # what _Float16 is to the parser
    "int": ElementType.INT32,
    "int long": ElementType.INT64,
    "int long long": ElementType.INT64,
    "int short": ElementType.INT16,
    "int unsigned": ElementType.UINT32,
    "int long unsigned": ElementType.UINT64,
    "int long long unsigned": ElementType.UINT64,
    "int short unsigned": ElementType.UINT16,
}
BIT_FIELD = "bits_of_"
"""How tags of members begin that have so many bits: C's arithmetic, unlike that of ``ap_int``."""
_IMPLIED_INT = {"long", "short", "unsigned", "signed"}


class Subset(Enum):
    """The numbers of its element type that a type of C++ has."""

    ALL = "all"
    TRUTH = "0 and 1"
    POSITIVE = "from 0 on"
    """A type without a sign, whose element has one bit more: ``ap_ufixed``."""


@dataclass(frozen=True, slots=True, eq=False)
class CType:
    """A type as declared."""

    element: ElementType | None
    """Type of a scalar or of the elements; None for void, structures and functions."""
    text: str
    """The element's type in C; ``auto`` where the initialiser decides it."""
    extents: tuple[ast.Node | None, ...] = ()
    """Extents, outermost first; None for a pointer and for ``[]``."""
    is_pointer: bool = False
    """Whether the first of them is a pointer."""
    is_const: bool = False
    kept: Subset = Subset.ALL
    is_reference: bool = False
    """Whether that is a reference of C++."""
    is_wide: bool = False
    """Whether numbers of the type have exact sums and products (``ap_int`` and its kin)."""

    @property
    def is_integer(self) -> bool:
        """Return whether it is a whole number by itself."""
        return self.element is not None and self.element.is_integer and not self.extents


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """A variable or parameter; its name is empty if it has none."""

    node: ast.Decl
    name: str
    type: CType
    loc: SourceLoc

    @property
    def value(self) -> ast.Node | None:
        """Return the initialiser, if there is one; of ``{x}`` for a number, ``x``."""
        match self.node.init:
            case ast.InitList(exprs=[one]) if self.type.element and not self.type.extents:
                return one
            case ast.InitList(exprs=[], coord=at) if self.type.element and not self.type.extents:
                return ast.Constant("int", "0", at)
            case found:
                return found

    @property
    def is_stream(self) -> bool:
        """Return whether it is the data of a stream, as many as are written."""
        return "stream" in (self.node.storage or ())

    @property
    def is_static(self) -> bool:
        """Return whether it is declared static."""
        return "static" in (self.node.storage or ())


class DeclarationReader:
    """Reads declarations in the order of the text, which typedefs need.

    Attributes
    ----------
    declarations, types
        Variables and parameters, and the types of casts and ``sizeof``, by their nodes.
    enumerators
        The value of each enumerator, by its name.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._typedefs: dict[str, CType] = {}
        self.declarations: dict[ast.Decl, Declaration] = {}
        self.types: dict[ast.Typename, CType] = {}
        self.enumerators: dict[str, ast.Node] = {}

    def read(self, root: ast.Node) -> None:
        """Read all declarations in a tree."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            match node:
                case ast.Decl():
                    if not isinstance(node.type, ast.FuncDecl):
                        self.declarations[node] = self._declaration(node)
                case ast.Typedef():
                    self._typedefs[node.name] = self.type_of(node.type)
                case ast.Typename():
                    self.types[node] = self.type_of(node)
                case ast.EnumeratorList():
                    self._add_enumerators(node)
                case _:
                    pass
            waiting += parts_of(node)[::-1]

    def type_of(self, node: ast.Node) -> CType:
        """Return the type of a declarator or type name."""
        extents: list[ast.Node | None] = []
        is_pointer = is_const = is_reference = False
        while True:
            match node:
                case ast.ArrayDecl(dim=extent):
                    extents.append(extent)
                case ast.PtrDecl(quals=qualifiers):
                    is_pointer = is_pointer or not extents
                    is_reference = is_reference or "_Atomic" in (qualifiers or [])
                    extents.append(None)
                case ast.TypeDecl(quals=qualifiers) | ast.Typename(quals=qualifiers):
                    is_const = is_const or "const" in (qualifiers or [])
                case _:
                    break
            node = node.type
        base = self._base(node)
        return CType(
            base.element,
            base.text,
            (*extents, *base.extents),
            is_pointer if extents else base.is_pointer,
            is_const or base.is_const,
            base.kept,
            is_reference,
            base.is_wide,
        )

    def _base(self, node: ast.Node) -> CType:
        text = type_text(node)
        match node:
            case ast.IdentifierType(names=[name]) if name in self._typedefs:
                return self._typedefs[name]
            case ast.IdentifierType(names=names):
                kept = Subset.TRUTH if names == ["_Bool"] else Subset.ALL
                return CType(element_named(names), text, kept=kept)
            case ast.Enum():
                return CType(ElementType.INT32, text)
            case ast.Struct(name=str(name)) if name.startswith(BIT_FIELD):
                return CType(element_named([name.removeprefix(BIT_FIELD)]), text)
            case ast.Struct(name=str(name)) if name.startswith("ap_"):
                kept = Subset.POSITIVE if name.startswith("ap_ufixed") else Subset.ALL
                return CType(element_named([name]), text, kept=kept, is_wide=True)
            case _:
                return CType(None, text)

    def _declaration(self, node: ast.Decl) -> Declaration:
        declarator = node.type
        while isinstance(declarator, ast.ArrayDecl | ast.PtrDecl):
            declarator = declarator.type
        loc = self._places.of(declarator.coord or node.coord)
        return Declaration(node, node.name or "", self.type_of(node.type), loc)

    def _add_enumerators(self, node: ast.EnumeratorList) -> None:
        before: ast.Node | None = None
        for item in node.enumerators:
            value = item.value
            if value is None:
                number = ast.Constant("int", "0" if before is None else "1", item.coord)
                value = number if before is None else ast.BinaryOp("+", before, number, item.coord)
            self.enumerators[item.name] = value
            before = ast.ID(item.name, item.coord)


def element_named(names: Sequence[str]) -> ElementType | None:
    """Return the element type that a type's words mean, or its tag; None for other types."""
    if len(names) == 1 and names[0].startswith("ap_"):
        return _element_tagged(names[0])
    words = [word for word in names if word != "signed" or "char" in names]
    if set(words) <= _IMPLIED_INT:
        words.append("int")
    return _ELEMENTS.get(" ".join(sorted(words)))


def _element_tagged(tag: str) -> ElementType | None:
    """Return the type of numbers that ``struct ap_int_12_`` stands for."""
    family, _, listed = tag.removeprefix("ap_").rstrip("_").partition("_")
    words = re.findall(r"AP_(?:(?!_AP_)[A-Z_])+|m?\d+", listed)
    words = [word.replace("m", "-") for word in words]
    if family == "ufixed" and len(words) > 1:
        family, words[:2] = "fixed", [str(int(word) + 1) for word in words[:2]]
    try:
        return ElementType(f"ap_{family}<{', '.join(words)}>")
    except ValueError:
        return None


def type_text(node: ast.Node) -> str:
    """Return the text of the element's type, as the user wrote it."""
    while isinstance(node, ast.ArrayDecl | ast.PtrDecl | ast.TypeDecl | ast.Typename):
        node = node.type
    match node:
        case ast.IdentifierType(names=names):
            return "half" if sorted(names) == ["float", "short"] else " ".join(names)
        case ast.Enum():
            return "enum"
        case ast.Struct(name="auto_"):
            return "auto"
        case ast.Struct(name=str(name)) if name.startswith("ap_"):
            family, _, widths = name.removeprefix("ap_").partition("_")
            return f"ap_{family}<{', '.join(widths.strip('_').split('_'))}>"
        case ast.Struct(name=name) | ast.Union(name=name):
            return f"{type(node).__name__.lower()} {name or ''}".strip()
        case _:
            return "a function or another type"
